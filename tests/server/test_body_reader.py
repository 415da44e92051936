"""How many large bodies are read at the same time, and how many wait for it."""

import asyncio
import json
from collections.abc import Callable
from typing import TypeVar

import pytest

from coderelay.core import Json
from coderelay.server import exchange
from coderelay.server.admission import ShortestFirst
from coderelay.server.body_reader import ROOM, BodyReader
from coderelay.server.refusals import Full, NotJsonBody
from coderelay.server.workers import Workers
from coderelay.wire import parse

T = TypeVar("T")

READERS = 2
SMALL = b'{"a": 1}'
LARGE = json.dumps(["x" * 200_000]).encode()
LONG = b'"%s"' % (b"x" * 4_000_000)
WITH_IDS = json.dumps(["cr1__"] * 9).encode()


def test_no_more_bodies_are_parsed_at_once_than_there_are_readers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed, decoded, most = [0], [0], [0]

    def counted(raw: bytes) -> Json:
        parsed[0] += 1
        most[0] = max(most[0], parsed[0] - decoded[0])
        return parse(raw)

    def decode(body: Json) -> None:
        decoded[0] += 1

    async def run() -> None:
        bodies = BodyReader(workers.run, READERS)
        await asyncio.gather(*(bodies.read(LARGE, decode) for _ in range(20)))

    monkeypatch.setattr(exchange, "parse", counted)
    workers = Workers(READERS)
    try:
        asyncio.run(run())
    finally:
        workers.close()
    assert decoded == [20]
    assert most[0] <= READERS


@pytest.mark.parametrize(("body", "admitted"), [(LONG, 16), (LARGE, ROOM // len(LARGE))])
def test_a_large_body_is_refused_at_once_when_too_many_wait(body: bytes, admitted: int) -> None:
    async def run() -> None:
        never = asyncio.Event()

        async def wait(work: Callable[[], T]) -> T:
            await never.wait()
            return work()

        bodies = BodyReader(wait, READERS)
        waiting = [asyncio.ensure_future(bodies.read(body, len)) for _ in range(admitted)]
        await asyncio.sleep(0)
        with pytest.raises(Full, match="bytes of large requests are in progress"):
            await bodies.read(body, len)
        assert await bodies.read(SMALL, len) == (1, False)
        waiting[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting[0]
        waiting[0] = asyncio.ensure_future(bodies.read(body, len))
        await asyncio.sleep(0)
        never.set()
        assert all(large for _, large in await asyncio.gather(*waiting))
        assert bodies.room.taken == 0

    asyncio.run(run())


def test_a_short_body_does_not_wait_for_all_longer_ones() -> None:
    read: list[int] = []

    async def run() -> None:
        go_on = asyncio.Event()

        async def wait(work: Callable[[], T]) -> T:
            await go_on.wait()
            return work()

        bodies = BodyReader(wait, READERS)
        lengths = (4_000_000, 1_000_000, 900_000, 500_000, 200_000, 200_001)
        reading = [
            asyncio.ensure_future(
                bodies.read(b'"%s"' % (b"x" * each), lambda text: read.append(len(text)))
            )
            for each in lengths
        ]
        await asyncio.sleep(0)
        reading[3].cancel()
        go_on.set()
        await asyncio.gather(*reading, return_exceptions=True)

    asyncio.run(run())
    assert read == [4_000_000, 1_000_000, 200_000, 200_001, 900_000]


def test_a_place_that_is_given_to_a_task_that_ends_goes_to_the_next() -> None:
    order = ShortestFirst(1)
    held: list[int] = []

    async def hold(work: int) -> None:
        async with order.place(work):
            held.append(work)

    async def run() -> None:
        async with order.place(0):
            waiting = [asyncio.ensure_future(hold(each)) for each in (2, 1)]
            await asyncio.sleep(0)
        waiting[1].cancel()  # it has been given the place, and does not know yet
        await asyncio.gather(*waiting, return_exceptions=True)
        await hold(3)

    asyncio.run(run())
    assert held == [2, 3]


def test_a_small_body_is_read_in_the_event_loop_unless_it_may_carry_programs() -> None:
    aside: list[int] = []

    async def run_aside(work: Callable[[], T]) -> T:
        aside.append(bodies.room.taken)
        return work()

    bodies = BodyReader(run_aside, READERS)
    assert asyncio.run(bodies.read(SMALL, len)) == (1, False)
    assert asyncio.run(bodies.read(WITH_IDS, len)) == (9, True)
    with pytest.raises(NotJsonBody):
        asyncio.run(bodies.read(LARGE + b"]", len))
    assert aside == [1024 * 1024, len(LARGE) + 1]
    assert bodies.room.taken == 0
