"""The client of Chat Completions: answers whole and in pieces, retries, no key in any error."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, TypeVar

import httpx
import pytest

from coderelay.conversation import TokenUsage, UpstreamError, UpstreamTimeout
from coderelay.models import ChatClient
from coderelay.models.failures import UpstreamRefusal
from coderelay.models.model import (
    CallPiece,
    FinishPiece,
    ModelNamePiece,
    NewMessagesPiece,
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


def collect(
    endpoint: Endpoint, key: str | None = KEY, *, messages: Any = (), **settings: Any
) -> list[Any]:
    async def run() -> list[Any]:
        body = {"model": "m", "messages": messages, "stream": True}
        transport = httpx.MockTransport(endpoint)
        model = ChatClient(
            "http://model.test/v1/", transport=transport, sleep=endpoint.sleep, **settings
        )
        return [delta async for delta in model.stream(body, key=key)]

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
    assert json.loads(sent.content) == {"model": "m", "messages": [], "stream": True}


def test_an_answer_that_comes_whole_is_read_too() -> None:
    whole = {
        "choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]
    }
    assert collect(Endpoint(httpx.Response(200, json=whole))) == [
        TextPiece("Hi"),
        FinishPiece("stop"),
    ]


def test_refusals_are_distinguished_from_text() -> None:
    refused = {"role": "assistant", "content": None, "refusal": "No"}
    whole = {"choices": [{"message": refused, "finish_reason": "stop"}]}
    assert collect(Endpoint(httpx.Response(200, json=whole))) == [
        RefusalPiece("No"),
        FinishPiece("stop"),
    ]


def test_without_a_key_none_is_sent() -> None:
    endpoint = Endpoint(sse())
    collect(endpoint, None)
    assert "authorization" not in endpoint.requests[0].headers


def test_temporary_errors_are_retried_with_longer_pauses() -> None:
    busy = httpx.Response(503)
    later = httpx.Response(429, headers={"retry-after": "7"})
    endpoint = Endpoint(busy, later, sse(*CHUNKS))
    assert TextPiece("llo") in collect(endpoint)
    assert endpoint.pauses == [0.5, 7.0]


@pytest.mark.parametrize("make", [lambda: httpx.Response(500), lambda: httpx.ConnectError("x")])
def test_an_error_that_lasts_is_raised_in_the_end(make: Callable[[], Any]) -> None:
    endpoint = Endpoint(make(), make(), make())
    with pytest.raises(UpstreamError):
        collect(endpoint)
    assert len(endpoint.requests) == 3


def test_a_refusal_is_passed_on_without_the_key() -> None:
    error = {"error": {"message": f"wrong key {KEY}"}}
    endpoint = Endpoint(httpx.Response(401, json=error))
    with pytest.raises(UpstreamError, match="401: wrong key") as caught:
        collect(endpoint)
    assert KEY not in str(caught.value)
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
def test_an_invalid_answer_is_the_endpoints_fault(answer: httpx.Response) -> None:
    with pytest.raises(UpstreamError):
        collect(Endpoint(answer))


REPEATED = {"error": {"message": f"wrong key {KEY}"}}


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, json=REPEATED),
        httpx.Response(200, json={"error": {"code": KEY}}),
        httpx.Response(403, text=f"no JSON: {KEY}"),
        sse(REPEATED),
        sse(*CHUNKS[:2], REPEATED),
        sse({"error": {"message": "x" * 1_990 + KEY}}),
        httpx.Response(403, text="x" * 490 + KEY),
    ],
    ids=["whole", "no message", "no JSON", "first event", "mid-stream", "cut", "cut text"],
)
def test_no_failure_tells_a_key(answer: httpx.Response) -> None:
    with pytest.raises(UpstreamError) as caught:
        collect(Endpoint(answer))
    assert "***" in str(caught.value) or len(str(caught.value)) == 2_000
    assert "sk-s" not in str(caught.value)


@pytest.mark.parametrize("letter", ["", "é", "😀", " " * 300])
def test_a_long_refusal_that_is_cut_tells_no_part_of_a_key(letter: str) -> None:
    key = "".join(chr(ord("a") + each * each % 23) for each in range(301))
    refused = httpx.Response(401, text=f"{letter}{key}" * 400)
    with pytest.raises(UpstreamError) as caught:
        collect(Endpoint(refused), key=key)
    assert str(caught.value).startswith("the model's endpoint answered 401: ")
    assert key[:4] not in str(caught.value)


def test_an_error_that_is_not_text_is_shown_as_json() -> None:
    with pytest.raises(UpstreamError, match=r'^{"code":"busy","retry":true}$'):
        collect(Endpoint(sse({"error": {"code": "busy", "retry": True}})))


@pytest.mark.parametrize("data", [events(*map(json.dumps, CHUNKS[:5])), events()])
def test_a_stream_that_breaks_off_is_not_a_complete_answer(data: httpx.Response) -> None:
    with pytest.raises(UpstreamError, match="broke off in the middle of its answer"):
        collect(Endpoint(data))


def test_a_stream_that_says_why_it_ends_is_whole() -> None:
    assert FinishPiece("tool_calls") in collect(Endpoint(events(*map(json.dumps, CHUNKS))))


def test_an_empty_finish_reason_is_ignored() -> None:
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
def test_an_invalid_count_is_zero(number: str) -> None:
    usage = f'{{"prompt_tokens": {number}, "completion_tokens": 2, "total_tokens": {number}}}'
    answer = events(f'{{"choices": [], "usage": {usage}}}', "[DONE]")
    assert collect(Endpoint(answer)) == [UsagePiece(TokenUsage(0, 2, 2))]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400", "-1e400"])
def test_a_number_that_is_not_finite_becomes_null(number: str) -> None:
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
def test_an_invalid_or_extreme_retry_after_gives_a_reasonable_pause(
    after: str, pause: float
) -> None:
    endpoint = Endpoint(httpx.Response(503, headers={"retry-after": after}), sse())
    collect(endpoint)
    assert endpoint.pauses == [pause]


def test_silence_is_a_timeout() -> None:
    with pytest.raises(UpstreamTimeout):
        collect(Endpoint(httpx.ReadTimeout("slow")))


class Broken(httpx.AsyncByteStream):
    """A stream of events that breaks off after its first bytes."""

    def __init__(self, *events: str) -> None:
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for event in self._events:
            yield f"data: {event}\n\n".encode()
        raise httpx.RemoteProtocolError("the connection ended")

    def response(self) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=self)


def test_a_stream_that_breaks_off_before_its_first_piece_is_asked_for_again() -> None:
    endpoint = Endpoint(Broken().response(), sse(*CHUNKS))
    assert TextPiece("llo") in collect(endpoint)
    assert endpoint.pauses == [0.5]


def test_a_stream_that_breaks_off_later_is_not_asked_for_again() -> None:
    endpoint = Endpoint(Broken(json.dumps(CHUNKS[1])).response(), sse(*CHUNKS))
    with pytest.raises(UpstreamError, match="broke off: the connection ended"):
        collect(endpoint)
    assert len(endpoint.requests) == 1


def test_cookies_are_not_kept() -> None:
    """They would be kept for all users of a gateway, and an endpoint could send any number."""
    first = httpx.Response(503, headers={"set-cookie": "user=1"})
    endpoint = Endpoint(first, sse(*CHUNKS))
    collect(endpoint)
    assert "cookie" not in endpoint.requests[1].headers


@pytest.mark.parametrize(
    ("surrogates", "sent"), [("replace", b'"?"'), ("backslashreplace", rb'"\ud800"')]
)
def test_a_lone_surrogate_is_replaced_or_escaped(surrogates: Any, sent: bytes) -> None:
    endpoint = Endpoint(sse())

    async def run() -> None:
        transport = httpx.MockTransport(endpoint)
        model = ChatClient("http://model.test/v1", transport=transport, surrogates=surrogates)
        async for _ in model.stream({"model": "\ud800"}, key=None):
            pass

    asyncio.run(run())
    assert sent in endpoint.requests[0].content


def test_the_message_and_the_type_of_a_refusal_are_the_endpoints_own() -> None:
    body = {"error": {"message": "too many", "type": "overloaded"}}
    with pytest.raises(UpstreamRefusal) as caught:
        collect(Endpoint(httpx.Response(400, json=body)))
    error = caught.value
    assert (error.reason, error.status, error.type) == ("too many", 400, "overloaded")
    assert str(error) == "the model's endpoint answered 400: too many"


def test_complete_messages_of_our_own_server_are_read_as_pieces() -> None:
    new = [{"role": "code", "id": "p1", "code": "1"}]
    chunk = {"choices": [{"delta": {}, "messages": new, "finish_reason": "tool_calls"}]}
    assert collect(Endpoint(sse(chunk))) == [NewMessagesPiece(new), FinishPiece("tool_calls")]
