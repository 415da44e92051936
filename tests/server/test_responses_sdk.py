"""An unmodified `openai` client of Responses in its ordinary loop, over real sockets."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

import httpx
import openai
import pydantic
import pytest

from coderelay.conversation import UpstreamError
from coderelay.models.model import Delta, TextPiece
from tests.server.serving import ADD, Upstream, gateway, refusal
from tests.server.test_openai_sdk import CONVERSATIONS, PROGRAMS, following

Json = Any
TOOL: Json = {"type": "function", **ADD["function"], "strict": False}
VENDOR: Json = [
    {**TOOL, "allowed_callers": ["programmatic"]},
    {"type": "programmatic_tool_calling"},
]
shapes = pytest.mark.parametrize("tools", [[TOOL], VENDOR], ids=["plain", "vendor"])
streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


def respond(client: openai.OpenAI, items: list[Any], *, stream: bool, **more: Any) -> Any:
    """One request; the response as the SDK has it in the end."""
    asked: Json = {"model": "tiny", "input": items, "store": False, **more}
    if not stream:
        return client.responses.create(**asked)
    with client.responses.stream(**asked) as events:
        kinds = [event.type for event in events]
        assert kinds[:2] == ["response.created", "response.in_progress"]
        assert kinds[-1] == "response.completed"
        return events.get_final_response()


def answers(response: Any) -> Iterator[Json]:
    for made in response.output:
        if made.type != "function_call":
            continue
        given = json.loads(made.arguments)
        answer: Json = {"type": "function_call_output", "call_id": made.call_id}
        if made.caller is not None:
            answer["caller"] = made.caller.model_dump()
        if given["a"] == 13:
            yield {**answer, "output": "thirteen!", "status": "incomplete"}
        else:
            yield {**answer, "output": json.dumps(given["a"] + given["b"])}


def converse(client: openai.OpenAI, items: list[Any], **options: Any) -> Any:
    """The tool loop as the API's guide has it: append the output, then the answers."""
    while True:
        response = respond(client, items, **options)
        items += response.output
        made = list(answers(response))
        if not made:
            return response
        items += made


@streamed
@shapes
@pytest.mark.parametrize("language", PROGRAMS)
@CONVERSATIONS
def test_a_conversation_completes(
    upstream: tuple[Upstream, str],
    client: openai.OpenAI,
    names: list[str],
    answer: str,
    language: str,
    tools: Json,
    stream: bool,
) -> None:
    upstream[0].script = following(*(PROGRAMS[language][name] for name in names))
    upstream[0].seen.clear()
    items: list[Any] = [{"role": "user", "content": "Go."}]
    mode = {"code_mode": {"language": language}}
    asked: Json = {"tools": tools, "stream": stream, "extra_body": mode}
    response = converse(client, items, **asked)
    assert response.status == "completed"
    assert "It is " in response.output_text
    assert answer in response.output_text
    assert response.usage.total_tokens >= 15
    for body in upstream[0].seen:
        assert [tool["function"]["name"] for tool in body["tools"]] == [f"run_{language}"]
        assert "cr1" not in json.dumps(body["messages"])
    kinds = {getattr(item, "type", None) for item in items}
    assert {"program", "program_output"} <= kinds or tools is not VENDOR
    # A follow-up question: the model sees programs and their results only.
    upstream[0].script = lambda body: f"Seen {sum(m['role'] == 'tool' for m in body['messages'])}."
    items.append({"role": "user", "content": "And?"})
    lost = names == ["silent"] and tools is not VENDOR  # a plain history keeps no trace of it
    assert converse(client, items, **asked).output_text == f"Seen {0 if lost else len(names)}."


class Sum(pydantic.BaseModel):
    total: int


@streamed
@shapes
def test_a_structured_answer_is_parsed(
    upstream: tuple[Upstream, str], client: openai.OpenAI, tools: Json, stream: bool
) -> None:
    upstream[0].seen.clear()
    upstream[0].script = lambda body: (
        '{"total": 3}' if "response_format" in body else "The total is three."
    )
    asked: Json = {"model": "tiny", "input": "Add.", "tools": tools, "text_format": Sum}
    if stream:
        with client.responses.stream(**asked) as events:
            parsed = events.get_final_response().output_parsed
    else:
        parsed = client.responses.parse(**asked).output_parsed
    assert parsed == Sum(total=3)
    wanted = upstream[0].seen[-1]["response_format"]["json_schema"]
    assert wanted["name"] == "Sum"
    assert wanted["schema"]["properties"].keys() == {"total"}


def test_text_comes_in_pieces(upstream: tuple[Upstream, str], client: openai.OpenAI) -> None:
    upstream[0].script = lambda body: "There is nothing new under the sun."
    with client.responses.stream(model="tiny", input="Hello.") as events:
        pieces = [event.delta for event in events if event.type == "response.output_text.delta"]
        assert len(pieces) > 3
        assert "".join(pieces) == events.get_final_response().output_text


class Failing:
    """A model whose connection ends in the middle of a word."""

    async def stream(
        self, body: Mapping[str, Json], *, key: str | None
    ) -> AsyncGenerator[Delta, None]:
        yield TextPiece("Well, I think that this is a rather long text, so some of it goes out.")
        raise UpstreamError("the model left")


def test_what_fails_in_mid_stream_is_an_error_and_a_failed_response() -> None:
    with (
        gateway("scripted", model=Failing()) as url,
        openai.OpenAI(base_url=url, api_key="x", max_retries=0) as client,
        client.responses.create(model="tiny", input="Hello.", stream=True) as events,
    ):
        *_, error, failed = events
    assert error.type == "error"
    assert error.message == "the model left"
    assert failed.type == "response.failed"
    assert failed.response.error is not None
    assert failed.response.error.message == "the model left"
    assert failed.response.output_text.startswith("Well, ")


def test_every_event_carries_its_name(
    upstream: tuple[Upstream, str], client: openai.OpenAI
) -> None:
    upstream[0].script = lambda body: "Hello."
    asked = {"model": "tiny", "input": "Hello.", "stream": True}
    text = httpx.post(f"{client.base_url}responses", json=asked, trust_env=False).text
    for event in text.strip().split("\n\n"):
        name, data = event.split("\n")
        assert name == f"event: {json.loads(data.removeprefix('data: '))['type']}"


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"conversation": "conv_1"}, "conversation"),
        ({"background": True}, "background"),
        ({"input": [{"type": "item_reference", "id": "msg_1"}]}, "input[0].id"),
    ],
)
def test_fields_that_need_a_store_are_refused_with_advice(
    client: openai.OpenAI, asked: Json, named: str
) -> None:
    with pytest.raises(openai.BadRequestError, match="store: false") as caught:
        client.responses.create(**{"model": "tiny", "input": "Hello.", **asked})
    assert caught.value.param == named


def test_nothing_is_stored(client: openai.OpenAI) -> None:
    for ask in (client.responses.retrieve, client.responses.delete, client.responses.cancel):
        with pytest.raises(openai.NotFoundError, match="POST /v1/responses"):
            ask("resp_1")


@pytest.mark.parametrize(
    ("sent", "status", "named"),
    [
        (b'{"model": ', 400, "not valid JSON"),
        (b"[]", 422, "body"),
        (b'{"model": "m"}', 422, "input"),
    ],
)
def test_bad_input_is_refused_in_the_apis_own_shape(
    client: openai.OpenAI, sent: bytes, status: int, named: str
) -> None:
    response = httpx.post(f"{client.base_url}responses", content=sent, trust_env=False)
    assert named in refusal(response, status)["message"]
