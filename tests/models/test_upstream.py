"""The upstream over HTTP: answers whole and in pieces, retries, and no key in any error."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import httpx
import pytest

from coderelay.conversation import TokenUsage, UpstreamError, UpstreamTimeout
from coderelay.models import Upstream
from coderelay.models.model import (
    CallPiece,
    FinishPiece,
    ModelNamePiece,
    ReasoningPiece,
    RefusalPiece,
    TextPiece,
    UsagePiece,
)

T = TypeVar("T")

KEY = "sk-server-secret"
CHUNKS = [
    {"model": "big", "choices": [{"delta": {"role": "assistant", "reasoning_content": "hm"}}]},
    {"choices": [{"delta": {"content": "He"}}]},
    {"choices": [{"delta": {"content": "llo"}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f"}}]}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}}]},
    {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
    {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}},
]


def sse(*values: Any) -> httpx.Response:
    return events(*map(json.dumps, values), "[DONE]")


def events(*data: str) -> httpx.Response:
    lines = "".join(f"data: {each}\n\n" for each in data)
    return httpx.Response(200, text=lines, headers={"content-type": "text/event-stream"})


class Endpoint:
    """Answers in turn, and remembers what it was sent."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


def upstream(endpoint: Endpoint, **settings: Any) -> Upstream:
    client = httpx.AsyncClient(transport=httpx.MockTransport(endpoint))
    return Upstream(
        "http://model.test/v1/",
        **{"key": KEY, "client": client, "sleep": endpoint.sleep, **settings},
    )


def collect(endpoint: Endpoint, client_key: str | None = None, **settings: Any) -> list[Any]:
    async def run() -> list[Any]:
        body = {"model": "m", "messages": settings.pop("messages", []), "stream": True}
        model = upstream(endpoint, **settings)
        return [delta async for delta in model.stream(body, key=client_key)]

    return asyncio.run(run())


def test_a_streamed_answer_comes_in_pieces() -> None:
    endpoint = Endpoint(sse(*CHUNKS))
    assert collect(endpoint) == [
        ModelNamePiece("big"),
        ReasoningPiece("hm"),
        TextPiece("He"),
        TextPiece("llo"),
        CallPiece(0, "a", "f"),
        CallPiece(0, arguments="{}"),
        FinishPiece("tool_calls"),
        UsagePiece(TokenUsage(1, 2, 3)),
    ]
    sent = endpoint.requests[0]
    assert sent.url == "http://model.test/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(sent.content)["stream_options"] == {"include_usage": True}


def test_an_answer_that_comes_whole_is_read_too() -> None:
    whole = {
        "choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]
    }
    assert collect(Endpoint(httpx.Response(200, json=whole))) == [
        TextPiece("Hi"),
        FinishPiece("stop"),
    ]


def test_words_of_refusal_are_told_apart() -> None:
    refused = {"role": "assistant", "content": None, "refusal": "No"}
    whole = {"choices": [{"message": refused, "finish_reason": "stop"}]}
    assert collect(Endpoint(httpx.Response(200, json=whole))) == [
        RefusalPiece("No"),
        FinishPiece("stop"),
    ]


@pytest.mark.parametrize(
    ("settings", "key", "sent"),
    [
        ({}, "client", f"Bearer {KEY}"),
        ({"pass_key": True}, "client", "Bearer client"),
        ({"pass_key": True}, None, f"Bearer {KEY}"),
        ({"key": None}, "client", "Bearer client"),
        ({"key": None}, None, None),
    ],
)
def test_the_key_is_the_servers_or_the_clients(settings: Any, key: Any, sent: Any) -> None:
    endpoint = Endpoint(sse())
    collect(endpoint, key, **settings)
    assert endpoint.requests[0].headers.get("authorization") == sent


def test_what_may_pass_is_tried_again_with_longer_pauses() -> None:
    busy = httpx.Response(503)
    later = httpx.Response(429, headers={"retry-after": "7"})
    endpoint = Endpoint(busy, later, sse(*CHUNKS))
    assert TextPiece("llo") in collect(endpoint)
    assert endpoint.pauses == [0.5, 7.0]


@pytest.mark.parametrize("make", [lambda: httpx.Response(500), lambda: httpx.ConnectError("x")])
def test_what_does_not_pass_is_an_error_in_the_end(make: Callable[[], Any]) -> None:
    endpoint = Endpoint(make(), make(), make())
    with pytest.raises(UpstreamError):
        collect(endpoint)
    assert len(endpoint.requests) == 3


def test_a_refusal_is_passed_on_without_the_key() -> None:
    error = {"error": {"message": f"wrong key {KEY} or client-secret"}}
    endpoint = Endpoint(httpx.Response(401, json=error))
    with pytest.raises(UpstreamError, match="401: wrong key") as caught:
        collect(endpoint, "client-secret")
    assert KEY not in str(caught.value)
    assert "client-secret" not in str(caught.value)
    assert caught.value.status == 401
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json=[1]),
        httpx.Response(200, content=b'{"a": "\xff"}'),
        httpx.Response(200, text="[" * 100_000),
        httpx.Response(200, text='{"a": ' + "[" * 300 + "]" * 300 + "}"),
        httpx.Response(200, text='{"a": ' + "1" * 5_000 + "}"),
        httpx.Response(400, text="[" * 100_000),
        events("{x"),
        events("[" * 100_000),
        sse({"error": {"message": "overloaded"}}),
    ],
)
def test_an_answer_that_is_none_is_the_endpoints_fault(answer: httpx.Response) -> None:
    with pytest.raises(UpstreamError):
        collect(Endpoint(answer))


REPEATED = {"error": {"message": f"wrong key {KEY} or client-secret"}}


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, json=REPEATED),
        httpx.Response(200, json={"error": {"code": KEY, "why": "client-secret"}}),
        httpx.Response(403, text=f"no JSON: {KEY} client-secret"),
        sse(REPEATED),
        sse(*CHUNKS[:2], REPEATED),
        sse({"error": {"message": "x" * 1_990 + KEY}}),
        httpx.Response(403, text="x" * 490 + KEY),
    ],
    ids=["whole", "no message", "no JSON", "first event", "mid-stream", "cut", "cut text"],
)
def test_no_failure_tells_a_key(answer: httpx.Response) -> None:
    with pytest.raises(UpstreamError) as caught:
        collect(Endpoint(answer), "client-secret")
    assert "***" in str(caught.value) or len(str(caught.value)) == 2_000
    assert "sk-s" not in str(caught.value)
    assert "client-secret" not in str(caught.value)


@pytest.mark.parametrize("letter", ["", "é", "😀"])
def test_a_long_refusal_that_is_cut_tells_no_part_of_a_key(letter: str) -> None:
    key = "".join(chr(ord("a") + each * each % 23) for each in range(301))
    refused = httpx.Response(401, text=f"{letter}{key}" * 400)
    with pytest.raises(UpstreamError) as caught:
        collect(Endpoint(refused), key=key)
    assert str(caught.value).startswith("the model's endpoint answered 401: ")
    assert key[:4] not in str(caught.value)


def test_an_error_that_is_no_text_is_told_as_json() -> None:
    with pytest.raises(UpstreamError, match=r'^{"code":"busy","retry":true}$'):
        collect(Endpoint(sse({"error": {"code": "busy", "retry": True}})))


@pytest.mark.parametrize("data", [events(*map(json.dumps, CHUNKS[:5])), events()])
def test_a_stream_that_breaks_off_is_no_whole_answer(data: httpx.Response) -> None:
    with pytest.raises(UpstreamError, match="broke off in the midst of its answer"):
        collect(Endpoint(data))


def test_a_stream_that_says_why_it_ends_is_whole() -> None:
    assert FinishPiece("tool_calls") in collect(Endpoint(events(*map(json.dumps, CHUNKS))))


def test_an_empty_reason_to_end_is_none() -> None:
    chunk = {"choices": [{"delta": {"content": "He"}, "finish_reason": ""}]}
    with pytest.raises(UpstreamError, match="broke off"):
        collect(Endpoint(events(json.dumps(chunk))))


def test_large_requests_and_answers_are_left_to_whom_the_caller_chose() -> None:
    done: list[str] = []

    async def run_aside(work: Callable[[], T]) -> T:
        done.append("work")
        return work()

    text = "a text, " * 50_000
    large = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    small = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
    refusal = httpx.Response(400, text=text)
    for messages, answer, expected in (
        ([], httpx.Response(200, json=small), 0),
        ([text], httpx.Response(200, json=small), 1),
        ([], httpx.Response(200, json=large), 1),
        ([text], sse(large), 2),
        ([], refusal, 1),
    ):
        done.clear()
        with suppress(UpstreamError):
            collect(Endpoint(answer), run_aside=run_aside, messages=messages)
        assert len(done) == expected


@pytest.mark.parametrize("number", ["-1", "NaN", "1e999", "-Infinity", "1" + "0" * 400, '"9"'])
def test_a_count_that_is_none_is_zero(number: str) -> None:
    usage = f'{{"prompt_tokens": {number}, "completion_tokens": 2, "total_tokens": {number}}}'
    answer = events(f'{{"choices": [], "usage": {usage}}}', "[DONE]")
    assert collect(Endpoint(answer)) == [UsagePiece(TokenUsage(0, 2, 2))]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400", "-1e400"])
def test_a_number_that_is_none_is_null(number: str) -> None:
    delta = f'{{"content": "Hi", "odd": [{number}, 1.5]}}'
    usage = f'{{"details": {{"odd": {number}, "cost": 0.5, "huge": 1e308}}}}'
    answer = events(f'{{"choices": [{{"delta": {delta}}}], "usage": {usage}}}', "[DONE]")
    assert collect(Endpoint(answer)) == [
        TextPiece("Hi"),
        ModelNamePiece(extra={"odd": [None, 1.5]}),
        UsagePiece(TokenUsage(details={"details": {"odd": None, "cost": 0.5, "huge": None}})),
    ]


@pytest.mark.parametrize(
    ("after", "pause"),
    [("nan", 0.5), ("inf", 0.5), ("-7", 0.5), ("1e999", 0.5), ("9999", 30.0), ("soon", 0.5)],
)
def test_a_pause_is_a_sound_one_whatever_is_asked_for(after: str, pause: float) -> None:
    endpoint = Endpoint(httpx.Response(503, headers={"retry-after": after}), sse())
    collect(endpoint)
    assert endpoint.pauses == [pause]


def test_silence_is_a_timeout() -> None:
    with pytest.raises(UpstreamTimeout):
        collect(Endpoint(httpx.ReadTimeout("slow")))


def test_bytes_are_relayed_as_they_are() -> None:
    endpoint = Endpoint(httpx.Response(418, content=b"{odd}"))

    async def run() -> tuple[int, bytes]:
        async with upstream(endpoint).relay("POST", "/x", b"{raw}", key=None) as response:
            return response.status_code, await response.aread()

    assert asyncio.run(run()) == (418, b"{odd}")
    assert endpoint.requests[0].content == b"{raw}"
