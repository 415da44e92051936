"""A request that needs nothing of us goes upstream as it came, and its answer comes back so.

Only a refusal is read on its way back: an upstream may repeat the key that it refuses.
"""

import zlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from coderelay.conversation import UpstreamError, UpstreamTimeout
from coderelay.models.scrub import HIDDEN, scrub, scrub_bytes

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
_NOT_UPSTREAM = _OF_THE_CONNECTION | {
    b"authorization",
    b"content-length",
    b"cookie",
    b"expect",
    b"forwarded",
    b"host",
    b"x-api-key",
    b"x-forwarded-for",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"x-real-ip",
    b"x-request-id",
}
_NOT_BACK = _OF_THE_CONNECTION | {b"date", b"server", b"set-cookie", b"x-request-id"}
_OF_THE_BODY = {b"content-encoding", b"content-length", b"content-type"}
_LONGEST_REFUSAL = 1_000_000
"""Bytes of a refusal that are read, packed and unpacked."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The upstream's answer: `body` is to be read in pieces, as they come."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: AsyncIterator[bytes]


class Passthrough:
    """Speaks to the transport itself: httpx's client would cost more than all the rest."""

    def __init__(
        self, transport: httpx.AsyncBaseTransport, base_url: str, *, timeout: float
    ) -> None:
        self._transport = transport
        self._base = base_url.rstrip("/")
        self._urls: dict[str, httpx.URL] = {}
        self._extensions = {
            "timeout": {"connect": min(timeout, 30.0), "read": timeout, "write": timeout}
        }

    @asynccontextmanager
    async def send(
        self, method: str, path: str, content: bytes, *, headers: Headers, key: str | None
    ) -> AsyncIterator[Answer]:
        """Send a request to a path below the base URL. Whatever the upstream answers, good or
        bad, is the answer; raises `UpstreamError` or `UpstreamTimeout` where there is none."""
        passed = [header for header in headers if header[0] not in _NOT_UPSTREAM]
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
            raise _upstream(error, key) from None
        stream = response.stream
        assert isinstance(stream, httpx.AsyncByteStream)
        try:
            back = _returned(response.headers.raw, key)
            answer = Answer(response.status_code, back, _pieces(stream, key))
            yield answer if answer.status < 400 else await _refusal(answer, key)
        finally:
            await stream.aclose()

    def _url(self, path: str) -> httpx.URL:
        if path not in self._urls:
            self._urls[path] = httpx.URL(self._base + path)
        return self._urls[path]


async def _pieces(stream: httpx.AsyncByteStream, key: str | None) -> AsyncIterator[bytes]:
    try:
        async for piece in stream:
            yield piece
    except httpx.HTTPError as error:
        raise _upstream(error, key) from None


async def _refusal(answer: Answer, key: str | None) -> Answer:
    """A refusal without the key. One that cannot be read through is told of, not passed on."""
    coding = dict(answer.headers).get(b"content-encoding", b"").lower()
    body = _unpacked(await _bounded(answer.body), coding)
    if body is None or len(body) > _LONGEST_REFUSAL:
        reason = "at too great a length, or in a coding that is unknown"
        raise UpstreamError(
            f"the model's endpoint answered {answer.status}, {reason}", answer.status
        )
    body = scrub_bytes(body, key)
    dropped = {b"content-encoding", b"content-length"}
    headers = [header for header in answer.headers if header[0] not in dropped]
    headers.append((b"content-length", b"%d" % len(body)))
    return Answer(answer.status, headers, _once(body))


async def _bounded(pieces: AsyncIterator[bytes]) -> bytes:
    """All the pieces, or a few more bytes than are allowed."""
    read = bytearray()
    async for piece in pieces:
        read += piece
        if len(read) > _LONGEST_REFUSAL:
            break
    return bytes(read)


def _unpacked(body: bytes, coding: bytes) -> bytes | None:
    if coding in (b"", b"identity"):
        return body
    if coding not in (b"gzip", b"x-gzip", b"deflate") or len(body) > _LONGEST_REFUSAL:
        return None
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, _LONGEST_REFUSAL + 1)
    except zlib.error:
        return None


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


def _returned(headers: Headers, key: str | None) -> list[tuple[bytes, bytes]]:
    lowered = ((name.lower(), value) for name, value in headers)
    kept = [header for header in lowered if header[0] not in _NOT_BACK]
    if not key:
        return kept
    secret, hidden = key.encode("latin-1"), HIDDEN.encode()
    return [
        # a placeholder such as "x" is a key too, and part of "text/event-stream"
        (name, value if name in _OF_THE_BODY else value.replace(secret, hidden))
        for name, value in kept
    ]


def _upstream(error: httpx.HTTPError, key: str | None) -> UpstreamError:
    """What a transport says names addresses, and may quote a header that it cannot send."""
    reason = scrub(f"{error}", key)
    if isinstance(error, httpx.TimeoutException):
        return UpstreamTimeout(f"the model's endpoint did not answer in time: {reason}")
    return UpstreamError(f"the model's endpoint could not be reached: {reason}")
