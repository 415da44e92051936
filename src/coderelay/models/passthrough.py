"""A request that needs nothing of us goes upstream as it came, and its answer comes back so."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from coderelay.conversation import UpstreamError, UpstreamTimeout

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
            raise _upstream(error) from None
        stream = response.stream
        assert isinstance(stream, httpx.AsyncByteStream)
        try:
            yield Answer(response.status_code, _returned(response.headers.raw), _pieces(stream))
        finally:
            await stream.aclose()

    def _url(self, path: str) -> httpx.URL:
        if path not in self._urls:
            self._urls[path] = httpx.URL(self._base + path)
        return self._urls[path]


async def _pieces(stream: httpx.AsyncByteStream) -> AsyncIterator[bytes]:
    try:
        async for piece in stream:
            yield piece
    except httpx.HTTPError as error:
        raise _upstream(error) from None


def _returned(headers: Headers) -> list[tuple[bytes, bytes]]:
    lowered = ((name.lower(), value) for name, value in headers)
    return [header for header in lowered if header[0] not in _NOT_BACK]


def _upstream(error: httpx.HTTPError) -> UpstreamError:
    """What the transport says names addresses at most: no key, no content."""
    if isinstance(error, httpx.TimeoutException):
        return UpstreamTimeout(f"the model's endpoint did not answer in time: {error}")
    return UpstreamError(f"the model's endpoint could not be reached: {error}")
