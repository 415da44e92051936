"""Server-sent events: the headers go out with the first thing there is to say, and while nothing
is said a comment line keeps the connection alive."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import TypeVar

from coderelay.core import Json
from coderelay.server.exchange import Exchange, as_json

T = TypeVar("T")

HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # nginx would collect the stream otherwise
)
ALIVE = b": alive\n\n"
DONE = b"data: [DONE]\n\n"


def event(value: Json) -> bytes:
    """One event that carries JSON."""
    return b"data: " + as_json(value) + b"\n\n"


async def send_events(
    exchange: Exchange,
    events: AsyncIterator[T],
    feed: Callable[[T], list[Json]],
    *,
    keep_alive: float,
) -> None:
    """Send what `feed` makes of each event. The first event only says that the request is sound,
    so it waits for the second: what fails before that still has a status of its own."""
    held = b"".join(map(event, feed(await anext(events))))
    async with contextlib.aclosing(with_silences(events, keep_alive)) as happenings:
        async for happened in happenings:
            piece = ALIVE if happened is None else b"".join(map(event, feed(happened)))
            if not exchange.status:
                await exchange.start(200, HEADERS)
            if held or piece:
                await exchange.write(held + piece)
                held = b""
    if not exchange.status:
        await exchange.start(200, HEADERS)
    await exchange.write(held + DONE, more=False)


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
