"""An unmodified `openai` client in the ordinary tool loop, over real sockets."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import openai
import pytest

from coderelay.models.scripted_model import ScriptedAnswer
from tests.server.serving import ADD, Process, Upstream, process

Json = Any

PROGRAMS = {
    "typescript": {
        "parallel": "const [x, y] = await Promise.all([addNumbers({a: 1, b: 2}), "
        "addNumbers({a: 3, b: 4})]); return x * y;",
        "sequential": "let x = 0; for (const b of [1, 2, 3]) x = await addNumbers({a: x, b}); "
        "return x;",
        "failing": "try { await addNumbers({a: 13, b: 0}); } catch (e) { "
        "return 'caught ' + e.message; }",
        "broken": "return nothing.there;",
        "silent": "return 6 * 7;",
    },
    "python": {
        "parallel": "x, y = await asyncio.gather(add_numbers(a=1, b=2), add_numbers(a=3, b=4))\n"
        "x * y",
        "sequential": "x = 0\nfor b in [1, 2, 3]:\n    x = await add_numbers(a=x, b=b)\nx",
        "failing": "try:\n    await add_numbers(a=13, b=0)\n    found = 'fine'\n"
        "except Exception as e:\n    found = f'caught {e}'\nfound",
        "broken": "nothing.there",
        "silent": "6 * 7",
    },
}


def last_result(body: Json) -> str:
    return str(body["messages"][-1]["content"])


def following(*programs: str) -> Callable[[Json], ScriptedAnswer | str]:
    """Write these programs one after another, then tell what the last came to."""

    def script(body: Json) -> ScriptedAnswer | str:
        done = sum(message["role"] == "tool" for message in body["messages"])
        if done < len(programs):
            return ScriptedAnswer(code=programs[done], text="Let me see.")
        return f"It is {last_result(body)}"

    return script


def call(client: openai.OpenAI, messages: list[Json], *, stream: bool, **more: Any) -> Json:
    """One request; the assistant's message as a client appends it."""
    asked: Json = {"model": "tiny", "messages": messages, "tools": [ADD], **more}
    if not stream:
        return (
            client.chat.completions.create(**asked).choices[0].message.model_dump(exclude_none=True)
        )
    with client.chat.completions.stream(**asked) as chunks:
        for _ in chunks:
            pass
        message = chunks.get_final_completion().choices[0].message
        return message.model_dump(
            exclude_none=True, include={"role", "content", "tool_calls"}, warnings=False
        )


def answers(message: Json) -> Iterator[Json]:
    for made in message["tool_calls"]:
        given = json.loads(made["function"]["arguments"])
        failed = given["a"] == 13
        content = "thirteen!" if failed else json.dumps(given["a"] + given["b"])
        answer: Json = {"role": "tool", "tool_call_id": made["id"], "content": content}
        yield {**answer, "is_error": True} if failed else answer


def converse(clients: Callable[[], openai.OpenAI], messages: list[Json], **options: Any) -> str:
    """The tool loop, with a client of its own for each request."""
    while True:
        message = call(clients(), messages, **options)
        messages.append(message)
        if not message.get("tool_calls"):
            return str(message["content"])
        messages.extend(answers(message))


CONVERSATIONS = pytest.mark.parametrize(
    ("names", "answer"),
    [
        (["parallel"], "21"),
        (["sequential"], "6"),
        (["failing"], "caught thirteen!"),
        (["silent"], "42"),
        (["broken", "parallel", "sequential"], "6"),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, list) else value,
)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("language", PROGRAMS)
@CONVERSATIONS
def test_a_conversation_completes(
    upstream: tuple[Upstream, str],
    client: openai.OpenAI,
    names: list[str],
    answer: str,
    language: str,
    stream: bool,
) -> None:
    upstream[0].script = following(*(PROGRAMS[language][name] for name in names))
    upstream[0].seen.clear()
    messages: list[Json] = [{"role": "user", "content": "Go."}]
    mode = {"code_mode": {"language": language}}
    said = converse(lambda: client, messages, stream=stream, extra_body=mode)
    assert said.startswith("It is ") or "\n\nIt is " in said
    assert answer in said
    for body in upstream[0].seen:
        offered = [tool["function"]["name"] for tool in body["tools"]]
        assert offered == [f"run_{language}"]
        assert "cr1_" not in json.dumps(body)
    # A follow-up question: the model sees programs and their results only.
    upstream[0].script = lambda body: f"Seen {sum(m['role'] == 'tool' for m in body['messages'])}."
    messages.append({"role": "user", "content": "And?"})
    assert converse(lambda: client, messages, stream=stream, extra_body=mode).startswith("Seen ")


@pytest.fixture(scope="module")
def processes(upstream: tuple[Upstream, str]) -> Iterator[list[Process]]:
    with ExitStack() as stack:
        found = [stack.enter_context(process("--upstream", upstream[1])) for _ in range(2)]
        for each in found:
            each.ready()
        yield found


@pytest.mark.parametrize("language", PROGRAMS)
def test_each_request_may_go_to_another_process(
    upstream: tuple[Upstream, str], processes: list[Process], language: str
) -> None:
    upstream[0].script = following(PROGRAMS[language]["sequential"])
    asked: list[str] = []

    def next_client() -> openai.OpenAI:
        asked.append(processes[len(asked) % 2].url)
        return openai.OpenAI(base_url=asked[-1], api_key="sk-client")

    messages: list[Json] = [{"role": "user", "content": "Go."}]
    mode = {"code_mode": {"language": language}}
    assert converse(next_client, messages, stream=False, extra_body=mode).endswith("6")
    assert len(asked) == 4


def test_a_killed_server_is_replaced_in_mid_program(upstream: tuple[Upstream, str]) -> None:
    upstream[0].script = following(PROGRAMS["typescript"]["parallel"])
    messages: list[Json] = [{"role": "user", "content": "Go."}]
    with process("--upstream", upstream[1]) as first:
        client = openai.OpenAI(base_url=first.ready(), api_key="sk-client")
        message = call(client, messages, stream=True)
    messages += [message, *answers(message)]
    with process("--upstream", upstream[1]) as second:
        client = openai.OpenAI(base_url=second.ready(), api_key="sk-client")
        assert converse(lambda: client, messages, stream=True).endswith("21")
