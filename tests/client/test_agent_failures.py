"""What an agent does when its endpoint is busy, unreachable, or sends invalid answers."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator

import httpx
import pytest

from coderelay.client import Agent, EndpointError
from coderelay.client.chat_endpoint import ChatEndpoint
from coderelay.core import Json
from tests.client.endpoints import (
    CODE,
    RESULT,
    TEXT,
    TWO,
    URL,
    FakeEndpoint,
    Respond,
    agent,
    chunk,
    coded,
    events,
    ours,
)
from tests.server import hostile as attacks


def refused(status: int, **headers: str) -> Respond:
    body = {"error": {"message": "too many", "type": "overloaded"}}
    return lambda _: httpx.Response(status, json=body, headers=headers)


def unplugged(_: Json) -> httpx.Response:
    raise httpx.ConnectError("nobody is there")


def waiting(talk: Agent, waits: list[float]) -> Agent:
    """The agent, with a clock that does not make tests wait."""

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    endpoint: ChatEndpoint = talk._endpoint
    talk._endpoint = ChatEndpoint(URL, transport=endpoint.transport, sleep=sleep)
    return talk


def test_a_busy_or_restarting_server_is_asked_again() -> None:
    waits: list[float] = []
    busy = refused(503, **{"Retry-After": "2"})
    endpoint = ours(busy, unplugged, refused(429), coded(TEXT))
    assert waiting(agent(endpoint), waits).run_sync("Go.") == "It is 6."
    assert waits == [2.0, 0.5, 1.0]
    assert all(body == endpoint.requests[0] for body in endpoint.requests)


def test_a_server_that_stays_away_is_an_error_in_the_end() -> None:
    waits: list[float] = []
    talk = waiting(agent(ours(*[unplugged] * 5)), waits)
    with pytest.raises(EndpointError, match="cannot be reached: nobody is there") as caught:
        talk.run_sync("Go.")
    assert caught.value.status is None
    assert len(waits) == 4


def test_a_refusal_says_why_and_leaves_no_trace() -> None:
    talk = agent(ours(refused(400), coded(TEXT)))
    with pytest.raises(EndpointError, match="400: too many") as caught:
        talk.run_sync("Go.")
    assert (caught.value.status, caught.value.type) == (400, "overloaded")
    assert talk.messages == []
    assert talk.run_sync("Go.") == "It is 6."


def test_a_conversation_that_broke_off_in_a_program_continues_later() -> None:
    endpoint = ours(coded(CODE, TWO, finish="tool_calls"), refused(500), coded(RESULT, TEXT))
    talk = agent(endpoint)
    with pytest.raises(EndpointError, match="500"):
        talk.run_sync("Go.")
    assert [message["role"] for message in talk.messages][-3:] == ["assistant", "tool", "tool"]
    assert talk.run_sync() == "It is 6."


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (events({"error": {"message": "the model is tired"}}), "the model is tired"),
        (events(chunk(content="It")), "broke off before its end"),
        (httpx.Response(200, text="<html>"), "not JSON"),
        (httpx.Response(200, json=[]), "not a JSON object"),
        (httpx.Response(404, text="no such page"), "404: no such page"),
        (httpx.Response(404), "404: Not Found"),
    ],
)
def test_an_invalid_answer_is_an_error(response: httpx.Response, message: str) -> None:
    with pytest.raises(EndpointError, match=message):
        agent(ours(response)).run_sync("Go.")


@pytest.mark.parametrize(
    "odd",
    [{"choices": None}, {"choices": ["x"]}, {"choices": [{"delta": 1, "messages": [1]}]}],
)
def test_a_chunk_of_unexpected_form_does_not_crash(odd: Json) -> None:
    assert agent(FakeEndpoint(events(odd, chunk(finish="stop")))).run_sync("Go.") == ""


@pytest.mark.parametrize("tool_calls", [None, 1, [1], [{}], [{"id": 1, "function": []}]])
def test_a_call_of_unexpected_form_does_not_crash(tool_calls: Json) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": tool_calls}
    endpoint = ours(coded(message, finish="tool_calls"), coded(TEXT))
    assert agent(endpoint).run_sync("Go.") in ("", "It is 6.")


def test_a_model_that_calls_without_end_is_stopped() -> None:
    endless = [coded(TWO, finish="tool_calls") for _ in range(3)]
    with pytest.raises(EndpointError, match="still calls tools after 3 steps"):
        agent(ours(*endless), max_steps=3).run_sync("Go.")


def test_errors_come_out_of_the_iteration() -> None:
    async def listen() -> None:
        async for _ in agent(ours(refused(400))).stream("Go."):
            pass

    with pytest.raises(EndpointError, match="too many"):
        asyncio.run(listen())


@pytest.mark.parametrize(
    "what",
    [
        "a header line without end",
        "interim answers without end",
        "an error's body without end",
        "a body in chunks without end",
        "a line of a stream without end",
        "an event of a stream without end",
        "a gzip bomb",
        "an unknown coding",
    ],
)
def test_an_endpoint_that_sends_without_end_is_hung_up_on(what: str) -> None:
    every = attacks.NO_ANSWER | attacks.WITH_A_BODY | attacks.PACKED
    with attacks.hostile() as endpoint:
        endpoint.begin(every[what])
        talk = Agent(endpoint.url, model="m")
        with pytest.raises(EndpointError):
            talk.run_sync("Go.")
        assert endpoint.sent < 40_000_000
        endpoint.begin(attacks.well_behaved)
        assert talk.run_sync("Go.") == "Hi."


def test_an_answer_without_end_in_small_pieces_is_ended() -> None:
    endless = itertools.repeat(b"data: %s\n\n" % json.dumps(chunk(content="x" * 4_000)).encode())

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for event in endless:
                yield event

    streamed = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Endless())
    with pytest.raises(EndpointError, match="longer than 16,777,216 characters"):
        agent(ours(streamed)).run_sync("Go.")


@pytest.mark.parametrize("url", ["relay.test/v1", "ftp://relay.test/v1", "http://[/v1"])
def test_an_address_that_is_not_one_is_an_error(url: str) -> None:
    with pytest.raises(EndpointError, match=r"/v1: "):
        Agent(url, model="m").run_sync("Go.")


def test_the_answer_to_a_probe_is_bounded() -> None:
    with attacks.hostile() as endpoint:
        endpoint.begin(attacks.WITH_A_BODY["a body in chunks without end"])

        async def probe() -> bool | None:
            async with ChatEndpoint(endpoint.url).connect() as connection:
                return await connection.is_coderelay()

        assert asyncio.run(probe()) is False
        assert endpoint.sent < 16_000_000
