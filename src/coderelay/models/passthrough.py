"""A request without programs is passed on to the upstream as it came, and so is its answer.

Only a refusal is read on its way back, because an upstream may repeat the key that it refuses. Of a
stream only whole events are passed on, so that an error event can follow where it breaks off.
"""

import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from coderelay.conversation import UpstreamError
from coderelay.models.answer_limits import (
    LONGEST_REFUSAL,
    AnswerLimits,
    check_stated_length,
    read_whole,
)
from coderelay.models.failures import network_failure, redirected, too_long
from coderelay.models.http_transport import timeouts
from coderelay.models.redaction import HIDDEN, scrub_bytes
from coderelay.models.server_sent_events import WholeEvents

Headers = Iterable[tuple[bytes, bytes]]

_OF_THE_CONNECTION = {
    b"connection",
    b"keep-alive",
    b"proxy-authenticate",
    b"proxy-authorization",
    b"proxy-connection",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
}
CREDENTIALS = {
    b"api-key",
    b"authorization",
    b"cookie",
    b"ocp-apim-subscription-key",
    b"proxy-authorization",
    b"x-amz-security-token",
    b"x-api-key",
    b"x-auth-token",
    b"x-goog-api-key",
}
"""Headers that say who the client is. The server chooses what is sent in their place."""
_NOT_UPSTREAM = (
    _OF_THE_CONNECTION
    | CREDENTIALS
    | {
        b"content-length",
        b"expect",
        b"forwarded",
        b"host",
        b"x-forwarded-for",
        b"x-forwarded-host",
        b"x-forwarded-proto",
        b"x-real-ip",
        b"x-request-id",
    }
)
_NOT_BACK = _OF_THE_CONNECTION | {b"date", b"server", b"set-cookie", b"x-request-id"}
_OF_THE_BODY = {b"content-encoding", b"content-length", b"content-type"}
_NO_NAME = re.compile(rb"[^!#$%&'*+.^_`|~0-9a-z-]")
_NO_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
"""Bytes that may not be in the name of a header, in lower case, or in its value."""


@dataclass(frozen=True, slots=True)
class RelayedAnswer:
    """The upstream's answer, whose `body` is read in pieces as they come."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: AsyncIterator[bytes]


class Passthrough:
    """Passes requests on. It uses the transport itself, because httpx's client would cost more than
    all the rest."""

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport,
        base_url: str,
        *,
        timeout: float,
        limits: AnswerLimits | None = None,
    ) -> None:
        self._transport = transport
        self._limits = limits or AnswerLimits()
        self._base = base_url.rstrip("/")
        self._urls: dict[str, httpx.URL] = {}
        self._extensions = {"timeout": timeouts(timeout, 30.0)}

    @asynccontextmanager
    async def send(
        self, method: str, path: str, content: bytes, *, headers: Headers, key: str | None
    ) -> AsyncIterator[RelayedAnswer]:
        """Send a request to a path below the base URL. A refusal of the upstream is an answer, too.
        Raises `UpstreamError` or `UpstreamTimeout` if there is no answer."""
        passed = _passed_on(headers, _NOT_UPSTREAM)
        if key is not None:
            passed.append((b"authorization", b"Bearer " + key.encode("latin-1")))
        request = httpx.Request(
            method,
            self._url(path),
            content=content,
            headers=passed,
            extensions=self._extensions,
        )
        try:
            response = await self._transport.handle_async_request(request)
        except httpx.HTTPError as error:
            raise network_failure(error, key, answering=False) from None
        assert isinstance(response.stream, httpx.AsyncByteStream)
        try:
            yield await self._answer(response, key)
        finally:
            await response.stream.aclose()

    async def _answer(self, response: httpx.Response, key: str | None) -> RelayedAnswer:
        status = response.status_code
        if status >= 400:
            return await _refusal(response, key)
        if status >= 300:
            raise redirected(status)
        check_stated_length(response, self._limits.stream)
        pieces = _pieces(response.stream, self._limits.stream, key)
        if _is_readable_stream(response):
            pieces = _events(pieces, self._limits.whole)
        return RelayedAnswer(status, _returned(response, key), pieces)

    def _url(self, path: str) -> httpx.URL:
        if path not in self._urls:
            self._urls[path] = httpx.URL(self._base + path)
        return self._urls[path]


async def _pieces(
    stream: httpx.SyncByteStream | httpx.AsyncByteStream, limit: int, key: str | None
) -> AsyncIterator[bytes]:
    assert isinstance(stream, httpx.AsyncByteStream)
    sent = 0
    try:
        async for piece in stream:
            sent += len(piece)
            if sent > limit:
                raise too_long(limit, "an answer")
            yield piece
    except httpx.HTTPError as error:
        raise network_failure(error, key, answering=True) from None


async def _events(pieces: AsyncIterator[bytes], limit: int) -> AsyncIterator[bytes]:
    """The same bytes, cut between events."""
    whole = WholeEvents(limit)
    async for piece in pieces:
        if ready := whole.feed(piece):
            yield ready
    if rest := whole.rest():
        yield rest


def _is_readable_stream(response: httpx.Response) -> bool:
    """Whether the answer is a stream of events without compression."""
    packed = response.headers.get("content-encoding", "identity").lower() != "identity"
    content_type = response.headers.get("content-type", "").lower()
    return "text/event-stream" in content_type and not packed


async def _refusal(response: httpx.Response, key: str | None) -> RelayedAnswer:
    """A refusal, without the key. Raises `UpstreamError` for one that cannot be read."""
    status = response.status_code
    try:
        body = scrub_bytes(await read_whole(response, LONGEST_REFUSAL), key)
    except UpstreamError as error:
        raise UpstreamError(f"the model's endpoint answered {status}; {error}", status) from None
    except httpx.HTTPError as error:
        raise network_failure(error, key, answering=True) from None
    dropped = {b"content-encoding", b"content-length"}
    headers = [header for header in _returned(response, key) if header[0] not in dropped]
    headers.append((b"content-length", b"%d" % len(body)))
    return RelayedAnswer(status, headers, _once(body))


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


def _returned(response: httpx.Response, key: str | None) -> list[tuple[bytes, bytes]]:
    """The headers that go back to the client."""
    dropped = set(_NOT_BACK)
    if "transfer-encoding" in response.headers or response.status_code in (204, 304):
        dropped.add(b"content-length")  # the body that is sent back has another length
    headers = _passed_on(response.headers.raw, dropped)
    if any(_NO_NAME.search(name) or _NO_VALUE.search(value) for name, value in headers):
        raise UpstreamError("the model's endpoint sent a header that HTTP does not allow")
    if not key:
        return headers
    secret, hidden = key.encode("latin-1"), HIDDEN.encode()
    return [
        # a placeholder such as "x" is a key too, and part of "text/event-stream"
        (name, value if name in _OF_THE_BODY else value.replace(secret, hidden))
        for name, value in headers
    ]


def _passed_on(headers: Headers, dropped: set[bytes]) -> list[tuple[bytes, bytes]]:
    """The headers that are passed on, with names in lower case. Besides those that are `dropped`,
    the header `connection` may name others that concern this connection only."""
    lowered = [(name.lower(), value) for name, value in headers]
    named = b",".join(value for name, value in lowered if name == b"connection").lower()
    of_the_connection = {name.strip() for name in named.split(b",")}
    return [
        (name, value)
        for name, value in lowered
        if name not in dropped and name not in of_the_connection
    ]
