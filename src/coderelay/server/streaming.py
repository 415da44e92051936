"""Sends an answer as server-sent events, with comment lines that keep an idle connection alive."""

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
    """Return one event with a JSON value. If `named`, the value's `type` is the event's name."""
    name = b"event: " + value["type"].encode() + b"\n" if named else b""
    return name + b"data: " + as_json(value) + b"\n\n"


class Events:
    """Encodes a streamed answer as bytes."""

    def __init__(self, dialect: Dialect, request: TurnRequest) -> None:
        self._encoder = dialect.stream(request)
        self._named = dialect.named_events
        self.done = b"" if dialect.done is None else b"data: " + dialect.done.encode() + b"\n\n"
        """The last event of a complete answer."""

    def feed(self, event: TurnEvent) -> bytes:
        """Return what is sent for an event of the turn."""
        return self._bytes(self._encoder.feed(event))

    def fail(self, error: Json) -> bytes:
        """Return what is sent if the answer breaks off."""
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
    """Send the events of a turn. `run_aside` encodes large ones.

    The first event only says that the request is valid. It is held back until the second, so that
    an error in between is still sent with its own HTTP status.
    """
    exchange.encode_failure = answer.fail
    held = answer.feed(await anext(events))
    async with contextlib.aclosing(with_keep_alives(events, keep_alive)) as happenings:
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


async def with_keep_alives(
    events: AsyncIterator[T], seconds: float
) -> AsyncGenerator[T | None, None]:
    """Yield the events, and None whenever there was no event for so many seconds. Closing this
    generator also closes the events."""
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
