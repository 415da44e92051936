"""A client of Chat Completions, for any endpoint that speaks it.

The gateway asks the model with it, and so do `Agent` and the demo. Whatever the endpoint sends is
read within limits. A request is sent again if it failed before any piece of its answer was yielded,
for a reason that may pass. The key is in no error.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Literal

import httpx

from coderelay.conversation import UpstreamError
from coderelay.core import Json
from coderelay.core.json_reader import is_quickly_read
from coderelay.core.json_values import dump
from coderelay.core.json_writer import is_small
from coderelay.models.answer_limits import (
    DEFAULT_TIMEOUT,
    LONGEST_REFUSAL,
    AnswerLimits,
    read_events,
    read_start,
    read_whole,
)
from coderelay.models.completion_reader import error_of, parsed, short_pieces
from coderelay.models.failures import (
    UpstreamRefusal,
    may_pass,
    network_failure,
    redacted,
    redirected,
)
from coderelay.models.http_transport import timeouts, transport_for
from coderelay.models.large_work import RunBlocking, here_or_aside
from coderelay.models.model import Delta, FinishPiece

_EVENTS = "text/event-stream"
_LONGEST_PAUSE = 30.0


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a request is sent at most, after which statuses it is sent again, and how many
    seconds to wait after the first attempt. Each further pause is twice as long."""

    attempts: int = 3
    statuses: frozenset[int] = frozenset({408, 429, 500, 502, 503, 504, 529})
    first_pause: float = 0.5

    def pause(self, attempt: int, retry_after: str | None = None) -> float:
        """Seconds to wait after an attempt, at least as many as the endpoint asks for."""
        try:
            requested = float(retry_after or 0.0)
        except ValueError:  # HTTP allows a date here, but these endpoints do not send one
            requested = 0.0
        if not math.isfinite(requested):
            requested = 0.0
        return min(max(requested, self.first_pause * 2.0**attempt), _LONGEST_PAUSE)


class ChatClient:
    """Chat Completions at a base URL such as `http://127.0.0.1:11434/v1`.

    `transport` replaces the network. `surrogates` says what is sent in place of a lone surrogate,
    which UTF-8 cannot encode: a question mark, or its JSON escape, which not every endpoint takes.
    Large requests are written, and large answers read, by `run_aside`.
    """

    def __init__(
        self,
        base_url: str,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        connect_timeout: float = 30.0,
        retries: Retries | None = None,
        limits: AnswerLimits | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        surrogates: Literal["replace", "backslashreplace"] = "replace",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        run_aside: RunBlocking = asyncio.to_thread,
    ) -> None:
        self._url = httpx.URL(base_url.rstrip("/") + "/chat/completions")
        self._timeouts = timeouts(timeout, connect_timeout)
        self._retries = retries or Retries()
        self._limits = limits or AnswerLimits()
        self._transport = transport or transport_for(base_url)
        self._surrogates = surrogates
        self._sleep = sleep
        self._run_aside = run_aside

    async def stream(
        self, body: Mapping[str, Json], *, key: str | None
    ) -> AsyncGenerator[Delta, None]:
        """The answer to a request, in pieces, whether it comes as a stream or whole.

        Raises `UpstreamError`, of which `UpstreamTimeout` and `UpstreamRefusal` are special cases.
        """
        content = await here_or_aside(
            lambda: _written(body, self._surrogates), self._run_aside, large=not is_small(body)
        )
        for attempt in range(self._retries.attempts):
            last = attempt == self._retries.attempts - 1
            answering = yielded = False
            try:
                async with self.request("POST", self._url, content, key=key) as response:
                    answering = True
                    if last or response.status_code not in self._retries.statuses:
                        await _check_status(response, self._run_aside)
                        async for piece in _pieces(response, self._limits, self._run_aside):
                            yielded = True
                            yield piece
                        return
                    pause = self._retries.pause(attempt, response.headers.get("retry-after"))
            except UpstreamError as error:
                raise redacted(error, key) from None
            except (httpx.HTTPError, httpx.StreamError) as error:
                if last or yielded or not may_pass(error):
                    raise network_failure(error, key, answering=answering) from error
                pause = self._retries.pause(attempt)
            await self._sleep(pause)

    @asynccontextmanager
    async def request(
        self, method: str, url: httpx.URL, content: bytes = b"", *, key: str | None
    ) -> AsyncIterator[httpx.Response]:
        """Send a request; the body of its response is still to be read. Raises errors of httpx.

        httpx's own client is not used: it would keep the cookies that an endpoint sets, without
        limit and for all users of the gateway, and it costs more time than all the rest.
        """
        headers = [
            (b"content-type", b"application/json"),
            (b"accept", b"text/event-stream, application/json"),
            (b"accept-encoding", b"identity"),
            (b"user-agent", b"coderelay"),
        ]
        if key:
            headers.append((b"authorization", b"Bearer " + key.encode("latin-1")))
        sent = httpx.Request(
            method, url, content=content, headers=headers, extensions={"timeout": self._timeouts}
        )
        response = await self._transport.handle_async_request(sent)
        try:
            yield response
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.aclose()


async def _check_status(response: httpx.Response, run_aside: RunBlocking) -> None:
    """Raise `UpstreamRefusal` unless the request succeeded, with the endpoint's own message."""
    status = response.status_code
    if 200 <= status < 300:
        return
    if status < 400:
        raise redirected(status)
    try:
        message = (await read_start(response, LONGEST_REFUSAL)).decode("utf-8", "replace")
    except UpstreamError as error:
        message = str(error)
    type, large = None, not is_quickly_read(message)
    with suppress(UpstreamError):
        message, type = await here_or_aside(
            lambda: error_of(parsed(message)), run_aside, large=large
        )
    raise UpstreamRefusal(
        response.reason_phrase if message.isspace() or not message else message, status, type
    )


async def _pieces(
    response: httpx.Response, limits: AnswerLimits, run_aside: RunBlocking
) -> AsyncIterator[Delta]:
    """The pieces of an answer, which is one JSON value, or one for each event of a stream."""
    if _EVENTS not in response.headers.get("content-type", "").lower():
        async for piece in _pieces_in(await read_whole(response, limits.whole), run_aside):
            yield piece
        return
    finished = False
    async with aclosing(read_events(response, limits)) as events:
        async for data in events:
            if data == "[DONE]":
                return
            async for piece in _pieces_in(data, run_aside):
                finished = finished or (isinstance(piece, FinishPiece) and piece.reason != "")
                yield piece
    if not finished:
        raise UpstreamError("the model's endpoint broke off in the middle of its answer")


async def _pieces_in(text: str | bytes, run_aside: RunBlocking) -> AsyncIterator[Delta]:
    """The pieces in a JSON text. Between those of a long one, others get a turn of the loop."""
    large = not is_quickly_read(text)
    found = await here_or_aside(lambda: list(short_pieces(parsed(text))), run_aside, large=large)
    for piece in found:
        if large:
            await asyncio.sleep(0)
        yield piece


def _written(body: Mapping[str, Json], surrogates: str) -> bytes:
    return dump(body).encode("utf-8", surrogates)
