"""Server-sent events: the headers go out with the first thing there is to say, and while nothing
is said a comment line keeps the connection alive."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from functools import partial
from typing import TypeVar

from coderelay.conversation import TurnEvent, TurnRequest
from coderelay.conversation.work_size import is_large_event
from coderelay.core import Json
from coderelay.dialects.dialect import Dialect
from coderelay.models.large_work import RunBlocking
from coderelay.server.exchange import Exchange, as_json

T = TypeVar("T")

HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # nginx would collect the stream otherwise
)
ALIVE = b": alive\n\n"


def event(value: Json, *, named: bool = False) -> bytes:
    """One event that carries JSON; a `named` one is called by the value's `type`."""
    name = b"event: " + value["type"].encode() + b"\n" if named else b""
    return name + b"data: " + as_json(value) + b"\n\n"


class Events:
    """An answer in pieces, as bytes."""

    def __init__(self, dialect: Dialect, request: TurnRequest) -> None:
        self._encoder = dialect.stream(request)
        self._named = dialect.named_events
        self.done = b"" if dialect.done is None else b"data: " + dialect.done.encode() + b"\n\n"
        """What stands at the end of an answer that is complete."""

    def feed(self, happened: TurnEvent) -> bytes:
        """What is to be sent when this happens."""
        return self._bytes(self._encoder.feed(happened))

    def fail(self, error: Json) -> bytes:
        """What is to be sent when the answer breaks off."""
        return self._bytes(self._encoder.fail(error))

    def _bytes(self, values: list[Json]) -> bytes:
        return b"".join(event(value, named=self._named) for value in values)


async def send_events(
    exchange: Exchange,
    events: AsyncIterator[TurnEvent],
    answer: Events,
    *,
    keep_alive: float,
    run_aside: RunBlocking,
) -> None:
    """Send what the answer makes of each event. The first only says that the request is sound, so
    it waits for the second: what fails before that still has a status of its own. Large events are
    written by `run_aside`."""
    exchange.breaking = answer.fail
    held = answer.feed(await anext(events))
    async with contextlib.aclosing(with_silences(events, keep_alive)) as happenings:
        async for happened in happenings:
            if happened is None:
                piece = ALIVE
            elif is_large_event(happened):
                piece = await run_aside(partial(answer.feed, happened))
            else:
                piece = answer.feed(happened)
            if not exchange.status:
                await exchange.start(200, HEADERS)
            if held or piece:
                await exchange.write(held + piece)
                held = b""
    if not exchange.status:
        await exchange.start(200, HEADERS)
    await exchange.write(held + answer.done, more=False)


async def with_silences(events: AsyncIterator[T], seconds: float) -> AsyncGenerator[T | None, None]:
    """The events, and None whenever there was none for so long. Whoever stops listening ends what
    makes the events, too."""
    coming: asyncio.Task[T] | None = None
    try:
        while True:
            coming = asyncio.ensure_future(_next(events))
            while not (await asyncio.wait({coming}, timeout=seconds))[0]:
                yield None
            try:
                happened = coming.result()
            except StopAsyncIteration:
                return
            yield happened
    finally:
        await _end(coming, events)


async def _next(events: AsyncIterator[T]) -> T:
    return await anext(events)


async def _end(coming: "asyncio.Task[T] | None", events: AsyncIterator[T]) -> None:
    if coming is not None and not coming.done():
        coming.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await coming
    close = getattr(events, "aclose", None)
    if close is not None:
        await close()
