"""An unmodified `anthropic` client in the ordinary tool loop, over real sockets."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import anthropic
import pydantic
import pytest
from anthropic import beta_async_tool, beta_tool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coderelay.models.scripted_model import ScriptedAnswer
from coderelay.server.app import create_app
from coderelay.server.settings import Settings
from tests.dialects.contract.anthropic_client import AnthropicClient
from tests.server.serving import ADD, Upstream, gateway, served
from tests.server.test_openai_sdk import CONVERSATIONS, PROGRAMS, following

Json = Any

TOOL: Json = {
    "name": "add_numbers",
    "description": "The sum.",
    "input_schema": ADD["function"]["parameters"],
}
CODE: Json = {"type": "code_execution_20250825", "name": "code_execution"}


def ask(client: anthropic.Anthropic, messages: list[Json], *, stream: bool, **more: Any) -> Any:
    """One request; the message as the client has it, which every type of the package fits."""
    asked: Json = {"model": "tiny", "max_tokens": 1000, "messages": messages, **more}
    message: Any
    if stream:
        with client.messages.stream(**asked) as events:
            message = events.get_final_message()
    else:
        message = client.messages.create(**asked)
    AnthropicClient(vendor=CODE in more["tools"]).check(json.loads(message.to_json()))
    return message


def answers(message: Any) -> Iterator[Json]:
    for block in message.content:
        if block.type == "tool_use":
            failed = block.input["a"] == 13
            content = "thirteen!" if failed else str(block.input["a"] + block.input["b"])
            answer = {"type": "tool_result", "tool_use_id": block.id, "content": content}
            yield {**answer, "is_error": True} if failed else answer


def converse(client: anthropic.Anthropic, messages: list[Json], **options: Any) -> str:
    """The tool loop as the documentation has it."""
    while True:
        message = ask(client, messages, **options)
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            assert message.stop_reason == "end_turn"
            return "".join(block.text for block in message.content if block.type == "text")
        messages.append({"role": "user", "content": [*answers(message)]})


@pytest.fixture(scope="module")
def base(upstream: tuple[Upstream, str]) -> Iterator[str]:
    with gateway(upstream[1]) as url:
        yield url.removesuffix("/v1")


@pytest.fixture(scope="module")
def client(base: str) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=base, api_key="sk-client", max_retries=0) as client:
        yield client


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("language", PROGRAMS)
@CONVERSATIONS
def test_a_conversation_completes(
    upstream: tuple[Upstream, str],
    client: anthropic.Anthropic,
    names: list[str],
    answer: str,
    language: str,
    stream: bool,
) -> None:
    upstream[0].script = following(*(PROGRAMS[language][name] for name in names))
    upstream[0].seen.clear()
    messages: list[Json] = [{"role": "user", "content": "Go."}]
    mode = {"code_mode": {"language": language}}
    asked: Json = {"stream": stream, "tools": [TOOL], "extra_body": mode}
    assert answer in converse(client, messages, **asked)
    for body in upstream[0].seen:
        assert [tool["function"]["name"] for tool in body["tools"]] == [f"run_{language}"]
        assert "cr1_" not in json.dumps(body)
    upstream[0].script = lambda body: f"Seen {sum(m['role'] == 'tool' for m in body['messages'])}."
    messages.append({"role": "user", "content": "And?"})
    assert converse(client, messages, **asked).startswith("Seen ")
    assert upstream[0].headers[-1]["authorization"] == "Bearer sk-client"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@CONVERSATIONS
def test_a_client_that_declares_code_execution_sees_the_programs(
    upstream: tuple[Upstream, str],
    client: anthropic.Anthropic,
    names: list[str],
    answer: str,
    stream: bool,
) -> None:
    programs = [PROGRAMS["python"][name] for name in names]
    upstream[0].script = following(*programs)
    upstream[0].seen.clear()
    tools = [CODE, {**TOOL, "allowed_callers": ["code_execution_20250825"]}]
    messages: list[Json] = [{"role": "user", "content": "Go."}]
    assert answer in converse(client, messages, stream=stream, tools=tools)
    said = [block for message in messages[1::2] for block in message["content"]]
    written = [block for block in said if block.type == "server_tool_use"]
    assert [block.input["code"] for block in written] == programs
    ended = [block for block in said if block.type == "code_execution_tool_result"]
    assert [block.tool_use_id for block in ended] == [block.id for block in written]
    assert answer in ended[-1].content.stdout
    for block in said:
        if block.type == "tool_use":
            assert block.caller.type == "code_execution_20250825"
            assert block.caller.tool_id in [each.id for each in written]
    # A follow-up question: results stand in the history, and the model is shown what it was shown.
    shown = upstream[0].seen[-1]["messages"]
    upstream[0].script = lambda body: "Well."
    messages.append({"role": "user", "content": "And?"})
    assert converse(client, messages, stream=stream, tools=tools) == "Well."
    assert upstream[0].seen[-1]["messages"][: len(shown)] == shown


@beta_tool
def add_numbers(a: float, b: float) -> str:
    """The sum."""
    return str(a + b)


@beta_async_tool(name="add_numbers")
async def add_numbers_async(a: float, b: float) -> str:
    """The sum."""
    return str(a + b)


class Recording:
    """An application that remembers what it was sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.bodies: list[Json] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def recorded() -> Message:
            message = await receive()
            if message.get("body"):
                self.bodies.append(json.loads(message["body"]))
            return message

        await self._app(scope, recorded, send)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_the_tool_runner_falls_back_to_sending_the_whole_history(
    upstream: tuple[Upstream, str], stream: bool
) -> None:
    upstream[0].script = following(PROGRAMS["typescript"]["sequential"])
    app = Recording(create_app(Settings(upstream[1], threads=2)))
    with served(app) as url:
        base = url.removesuffix("/v1")
        client = anthropic.Anthropic(base_url=base, api_key="k", max_retries=0)
        runner: Any = client.beta.messages.tool_runner(
            model="tiny",
            max_tokens=1000,
            tools=[add_numbers],
            messages=[{"role": "user", "content": "Go."}],
            stream=stream,
        )
        last = [turn.get_final_message() for turn in runner][-1] if stream else runner.until_done()
        client.close()
    assert last.stop_reason == "end_turn"
    assert last.content[-1].text == "It is Result:\n6"
    assert ["thread" in body for body in app.bodies] == [True, False, False, False, False]
    assert [len(body["messages"]) for body in app.bodies] == [1, 1, 3, 5, 7]


def test_the_async_client_and_its_runner_work(upstream: tuple[Upstream, str], base: str) -> None:
    upstream[0].script = following(PROGRAMS["typescript"]["parallel"])

    async def run() -> Any:
        async with anthropic.AsyncAnthropic(base_url=base, api_key="k", max_retries=0) as client:
            runner: Any = client.beta.messages.tool_runner(
                model="tiny",
                max_tokens=1000,
                tools=[add_numbers_async],
                messages=[{"role": "user", "content": "Go."}],
            )
            return await runner.until_done()

    assert asyncio.run(run()).content[-1].text == "It is Result:\n21"


def test_structured_output_is_parsed(
    upstream: tuple[Upstream, str], client: anthropic.Anthropic
) -> None:
    class Sum(pydantic.BaseModel):
        total: int

    def script(body: Json) -> ScriptedAnswer | str:
        if body.get("response_format"):
            return '{"total": 6}'
        return following(PROGRAMS["typescript"]["silent"])(body)

    upstream[0].script = script
    message = client.messages.parse(
        model="tiny",
        max_tokens=100,
        messages=[{"role": "user", "content": "Go."}],
        tools=[TOOL],
        output_format=Sum,
    )
    assert message.parsed_output == Sum(total=6)
