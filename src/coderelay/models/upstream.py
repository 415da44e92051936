"""Any OpenAI-compatible endpoint over HTTP; raw JSON is passed on.

The endpoint is fixed by the operator, never by a request. Its key is in no error and in no log.
What fails before the first byte of an answer, for a reason that may pass, is tried again.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress

import httpx

from coderelay.conversation import UpstreamError, UpstreamTimeout
from coderelay.core import Json
from coderelay.core.json_reader import is_quickly_read
from coderelay.core.json_values import dump
from coderelay.core.json_writer import is_small
from coderelay.models.answer_limits import AnswerLimits, read_events, read_start, read_whole
from coderelay.models.completion_reader import error_message, parsed, short_pieces
from coderelay.models.failures import redirected
from coderelay.models.http_connection import BadAnswer
from coderelay.models.http_transport import transport_for
from coderelay.models.large_work import RunBlocking, here_or_aside
from coderelay.models.model import Delta, FinishPiece
from coderelay.models.redaction import scrub

_PASSING = frozenset({408, 429, 500, 502, 503, 504, 529})
_LONGEST_PAUSE = 30.0
_LONGEST_MESSAGE = 2_000
_LONGEST_REFUSAL = 100_000
"""Bytes of a refusal that are looked at for its message."""


class Upstream:
    """The model behind a base URL such as `http://127.0.0.1:11434/v1`.

    The server's `key` replaces the client's, unless `pass_key` says that the client's goes first.
    Large requests are written, and large answers read, by `run_aside`.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str | None = None,
        pass_key: bool = False,
        timeout: float = 600.0,
        retries: int = 2,
        limits: AnswerLimits | None = None,
        client: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        run_aside: RunBlocking = asyncio.to_thread,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._key = key
        self._pass_key = pass_key
        self._retries = retries
        self._limits = limits or AnswerLimits()
        self._sleep = sleep
        self._run_aside = run_aside
        self._client = client or httpx.AsyncClient(
            transport=transport_for(base_url), timeout=httpx.Timeout(timeout, connect=10.0)
        )

    async def stream(
        self, body: Mapping[str, Json], *, key: str | None
    ) -> AsyncGenerator[Delta, None]:
        """The answer to a Chat Completions request, in pieces."""
        sent = dict(body)
        if sent.get("stream"):
            sent["stream_options"] = {"include_usage": True}
        large = not is_small(sent)
        content = await here_or_aside(lambda: _written(sent), self._run_aside, large=large)
        async with self.relay("POST", "/chat/completions", content, key=key) as response:
            try:
                if not 200 <= response.status_code < 300:
                    raise await _failure(response, self._run_aside)
                async for piece in _answer(response, self._limits, self._run_aside):
                    yield piece
            except UpstreamError as error:
                raise self._told(error, key) from None
            except httpx.TimeoutException as error:
                raise UpstreamTimeout("the model's endpoint fell silent") from error
            except BadAnswer as error:
                raise UpstreamError(f"the model's endpoint failed: {error}") from error
            except (httpx.HTTPError, httpx.StreamError) as error:
                raise UpstreamError(f"the model's endpoint broke off: {_name(error)}") from error

    @asynccontextmanager
    async def relay(
        self,
        method: str,
        path: str,
        content: bytes | None = None,
        *,
        key: str | None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """Send bytes as they are; the response streams, whatever its status. For requests that
        have nothing to do with code, its bytes go back as they come."""
        response = await self._send(method, path, content, self._headers(key, headers))
        try:
            yield response
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    def _headers(self, key: str | None, more: Mapping[str, str] | None) -> dict[str, str]:
        bearer = (key or self._key) if self._pass_key else (self._key or key)
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if bearer:
            headers["authorization"] = f"Bearer {bearer}"
        return {**headers, **(more or {})}

    async def _send(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]
    ) -> httpx.Response:
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            request = self._client.build_request(
                method, self._base + path, content=content, headers=dict(headers)
            )
            try:
                response = await self._client.send(request, stream=True)
            except httpx.TimeoutException as error:
                if last or not isinstance(error, httpx.ConnectTimeout):
                    raise UpstreamTimeout("the model's endpoint did not answer in time") from error
                await self._sleep(_pause(attempt, None))
            except BadAnswer as error:
                raise UpstreamError(f"the model's endpoint failed: {error}") from error
            except httpx.HTTPError as error:
                if last:
                    reason = f"the model's endpoint cannot be reached: {_name(error)}"
                    raise UpstreamError(reason) from error
                await self._sleep(_pause(attempt, None))
            else:
                if last or response.status_code not in _PASSING:
                    return response
                await response.aclose()
                await self._sleep(_pause(attempt, response.headers.get("retry-after")))
        raise AssertionError("the last attempt returns or raises")

    def _told(self, error: UpstreamError, key: str | None) -> UpstreamError:
        """An error as the client may see it. It is cut last, because half a key is one too."""
        message = scrub(str(error), self._key, key)[:_LONGEST_MESSAGE]
        return type(error)(message, error.status)


async def _failure(response: httpx.Response, run_aside: RunBlocking) -> UpstreamError:
    status = response.status_code
    if status < 400:
        return redirected(status)
    try:
        message = (await read_start(response, _LONGEST_REFUSAL)).decode("utf-8", "replace")
    except UpstreamError as error:
        message = str(error)
    large = not is_quickly_read(message)
    with suppress(UpstreamError):
        message = await here_or_aside(
            lambda: error_message(parsed(message)), run_aside, large=large
        )
    return UpstreamError(f"the model's endpoint answered {status}: {message}", status)


async def _answer(
    response: httpx.Response, limits: AnswerLimits, run_aside: RunBlocking
) -> AsyncIterator[Delta]:
    """The pieces of a response: of one JSON value, or of one for each event."""
    if "text/event-stream" not in response.headers.get("content-type", ""):
        async for piece in _deltas(await read_whole(response, limits.whole), run_aside):
            yield piece
        return
    finished = False
    async with aclosing(read_events(response, limits)) as events:
        async for data in events:
            if data == "[DONE]":
                return
            async for piece in _deltas(data, run_aside):
                finished = finished or (isinstance(piece, FinishPiece) and piece.reason != "")
                yield piece
    if not finished:
        raise UpstreamError("the model's endpoint broke off in the midst of its answer")


async def _deltas(text: str | bytes, run_aside: RunBlocking) -> AsyncIterator[Delta]:
    """The pieces in a JSON text. Between those of a long one, others get a turn of the loop."""
    large = not is_quickly_read(text)
    found = await here_or_aside(lambda: list(short_pieces(parsed(text))), run_aside, large=large)
    for piece in found:
        if large:
            await asyncio.sleep(0)
        yield piece


def _written(body: Mapping[str, Json]) -> bytes:
    return dump(body).encode("utf-8", "replace")


def _pause(attempt: int, after: str | None) -> float:
    """How long to wait before the next attempt: what the endpoint asks for, or ever longer."""
    try:
        asked = float(after) if after is not None else 0.0
    except ValueError:  # a date: nobody sends one here
        asked = 0.0
    if not math.isfinite(asked):
        asked = 0.0
    return min(max(asked, 0.5 * 2.0**attempt), _LONGEST_PAUSE)


def _name(error: Exception) -> str:
    """The kind of failure only: the text of an HTTP error may hold the URL's secrets."""
    return type(error).__name__
