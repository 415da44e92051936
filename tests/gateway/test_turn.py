"""A conversation with a plain client, with a new gateway for each request."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from coderelay.core import Json
from coderelay.dialects import chat
from coderelay.models.model import Delta, TextPiece
from tests.gateway.driving import (
    Raises,
    ask,
    at_once,
    code,
    converse,
    gateway,
    request,
    script,
)

PARALLEL = {
    "typescript": "return await Promise.all(['a', 'b'].map((query) => webSearch({ query })));",
    "python": (
        "import asyncio\nawait asyncio.gather(*(web_search(query=query) for query in ['a', 'b']))"
    ),
}
LOOP = {
    "typescript": (
        "const seen = [];\nfor (const query of ['a', 'bad', 'c']) {\n"
        "  try { seen.push(await webSearch({ query })); } catch (e) { seen.push(e.message); }\n}\n"
        "return seen;"
    ),
    "python": (
        "seen = []\nfor query in ['a', 'bad', 'c']:\n    try:\n"
        "        seen.append(await web_search(query=query))\n"
        "    except ToolError as error:\n        seen.append(str(error))\nseen"
    ),
}
LANGUAGES = ("typescript", "python")
PROTOCOLS = ("ids", "messages")


def search(query: str) -> object:
    if query == "bad":
        raise Raises("no luck")
    return [{"title": query}]


def mode(language: str = "typescript", protocol: str = "ids", **more: object) -> dict[str, object]:
    return {"code_mode": {"language": language, "protocol": protocol, **more}}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_parallel_calls_come_in_one_message(language: str, protocol: str, stream: bool) -> None:
    model = script(code(PARALLEL[language], "Let me look."), "Two things.")
    body = request(**mode(language, protocol), stream=stream)
    messages = converse(body, model, {"web_search": search})
    calls = [len(message["tool_calls"]) for message in messages if message.get("tool_calls")]
    assert calls == [2]
    assert messages[-1]["content"] == "Two things."
    shown = model.seen[1]["messages"]
    assert [each["role"] for each in shown] == ["system", "user", "assistant", "tool"]
    assert shown[2]["content"] == "Let me look."
    assert shown[2]["tool_calls"][0]["function"]["name"] == f"run_{language}"
    assert json.loads(shown[2]["tool_calls"][0]["function"]["arguments"]) == {
        "code": PARALLEL[language]
    }
    assert shown[3]["content"] == 'Result:\n[[{"title":"a"}],[{"title":"b"}]]'
    assert shown[2]["tool_calls"][0]["id"] == shown[3]["tool_call_id"]
    assert len(shown[3]["tool_call_id"]) == 9
    assert shown[3]["tool_call_id"].isalnum()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_loop_with_a_failing_tool_goes_call_by_call(language: str, protocol: str) -> None:
    model = script(code(LOOP[language]), "Done.")
    messages = converse(request(**mode(language, protocol)), model, {"web_search": search})
    calls = [len(message["tool_calls"]) for message in messages if message.get("tool_calls")]
    assert calls == [1, 1, 1]
    assert '"no luck"' in model.seen[1]["messages"][-1]["content"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_client_can_ask_for_one_call_at_a_time(protocol: str) -> None:
    model = script(code(PARALLEL["typescript"]), "Done.")
    body = request(**mode(protocol=protocol), parallel_tool_calls=False)
    messages = converse(body, model, {"web_search": search})
    calls = [len(message["tool_calls"]) for message in messages if message.get("tool_calls")]
    assert calls == [1, 1]
    assert '[[{"title":"a"}],[{"title":"b"}]]' in model.seen[1]["messages"][-1]["content"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_failed_program_goes_back_and_a_follow_up_question_sees_it_all(protocol: str) -> None:
    model = script(
        code("return nothing.here;"),
        code("return (await webSearch({ query: 'x' }))[0].title;"),
        "It is x.",
        code("return 1 + 1;"),
        "Two.",
    )
    body = request(**mode(protocol=protocol))
    messages = converse(body, model, {"web_search": search})
    assert messages[-1]["content"] == "It is x."
    messages += [{"role": "user", "content": "And 1 + 1?"}]
    messages = converse({**body, "messages": messages}, model, {"web_search": search})
    assert messages[-1]["content"] == "Two."
    roles = [each["role"] for each in model.seen[-1]["messages"]]
    block = ["assistant", "tool"]
    assert roles == ["system", "user", *block, *block, "assistant", "user", *block]
    contents = [each["content"] for each in model.seen[-1]["messages"]]
    assert "ReferenceError" in contents[3]
    assert contents[5] == "Result:\nx"
    assert contents[9] == "Result:\n2"


def test_the_messages_protocol_brackets_each_block() -> None:
    model = script(code(PARALLEL["typescript"]), "Done.")
    messages = converse(request(**mode(protocol="messages")), model, {"web_search": search})
    assert [each["role"] for each in messages] == [
        "user", "code", "assistant", "tool", "tool", "code_result", "assistant",
    ]  # fmt: skip
    assert messages[1]["id"] == messages[5]["id"]
    assert messages[1] == {
        "role": "code",
        "id": messages[1]["id"],
        "language": "typescript",
        "created": 1_763_300_000,
        "code": PARALLEL["typescript"],
        "state": messages[1]["state"],
    }
    assert messages[5]["result"] == {
        "status": "success",
        "data": [[{"title": "a"}], [{"title": "b"}]],
    }


def test_a_finished_block_carries_the_whole_value_and_shows_a_cut_one() -> None:
    model = script(code("return 'x'.repeat(50000);"), "Long.")
    messages = converse(request(**mode(protocol="messages")), model, {})
    assert len(messages[2]["result"]["data"]) == 50_000
    shown = model.seen[1]["messages"][-1]["content"]
    assert len(shown) < 20_300
    assert "return less" in shown


def test_a_request_that_continues_a_program_gets_the_same_ids_when_it_is_sent_again() -> None:
    model = script(code(LOOP["typescript"]), "Done.")
    body = request()
    first = ask(body, model)["choices"][0]["message"]
    call = first["tool_calls"][0]
    answer = {"role": "tool", "tool_call_id": call["id"], "content": "[]"}
    body["messages"] = [*body["messages"], first, answer]
    once, again = (ask(body, model)["choices"][0]["message"] for _ in range(2))
    assert once == again
    assert once["tool_calls"][0]["id"].startswith("cr1_")


def test_results_may_come_in_any_order() -> None:
    model = script(code(PARALLEL["typescript"]), "Done.")
    body = request()
    message = ask(body, model)["choices"][0]["message"]
    answers = [
        {"role": "tool", "tool_call_id": call["id"], "content": f'"{place}"'}
        for place, call in enumerate(message["tool_calls"])
    ]
    body["messages"] = [*body["messages"], message, *reversed(answers)]
    ask(body, model)
    assert model.seen[-1]["messages"][-1]["content"] == 'Result:\n["0","1"]'


def test_usage_is_the_sum_over_the_models_answers_and_a_receipt_says_what_was_done() -> None:
    model = script(code("return 1;"), code("return 2;"), "Two.")
    response = ask(request(**mode(receipt=True)), model)
    assert response["usage"] == {"prompt_tokens": 30, "completion_tokens": 15, "total_tokens": 45}
    receipt = response["code_mode"]["receipt"]
    assert (receipt["programs"], receipt["model_calls"], receipt["calls"]) == (2, 3, 0)
    assert receipt["fuel"] > 0
    assert receipt["tokens"]["measured"]["total_tokens"] == 45
    assert "saved_estimate" in receipt["tokens"]


def test_a_stream_sends_text_as_it_comes_and_usage_where_it_is_asked_for() -> None:
    body = request(stream=True, stream_options={"include_usage": True})
    response = ask(body, script("There is nothing new under the sun."))
    texts = [
        chunk["choices"][0]["delta"].get("content")
        for chunk in response["chunks"]
        if chunk["choices"]
    ]
    assert len([text for text in texts if text]) > 1
    assert response["chunks"][-1]["choices"] == []
    assert response["usage"]["total_tokens"] == 15
    assert response["choices"][0]["message"]["content"] == "There is nothing new under the sun."


def test_a_closed_turn_closes_the_models_stream() -> None:
    gone = []

    class Slow:
        async def stream(self, body: Json, *, key: str | None) -> AsyncGenerator[Delta, None]:
            try:
                yield TextPiece("One ")
                await asyncio.Event().wait()
            finally:
                gone.append(True)

    async def leave() -> None:
        asked = chat.decode(request(), chat.Defaults())
        turn = gateway(Slow()).turn(asked, key=None, run_blocking=at_once)
        async with aclosing(turn):
            kinds = [type(await anext(turn)).__name__ for _ in range(2)]
        assert kinds == ["TurnStarted", "TextStreamed"]
        assert gone

    asyncio.run(leave())
