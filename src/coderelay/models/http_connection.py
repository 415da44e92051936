"""A connection to an HTTP/1.1 server, which carries one request and its answer at a time.

What the server sends is limited before it is buffered: at most `FRAMING_LIMIT` bytes that are not
part of a body, and at most `_BUFFERED` bytes of a body that nobody has read yet.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from typing import cast

import httptools
import httpx

FRAMING_LIMIT = 64 * 1024
"""Bytes of an answer that are not part of its body: status lines, headers, interim answers (1xx),
the sizes and extensions of chunks, trailers. Each byte of the body allows for some more."""
_FRAMING_PER_BYTE = 16
"""Further such bytes for each byte of the body. A chunk of one byte takes six."""
_BUFFERED = 256 * 1024
"""Bytes of a body that wait for their reader. Beyond them, the socket is not read."""
_SENT_AT_ONCE = 256 * 1024
"""Bytes of a request's body that are written at once."""


class BadAnswer(httpx.RemoteProtocolError):
    """The server sent something that is not HTTP, or too much of it. It would do so again."""


class HttpConnection(asyncio.Protocol):
    """Writes a request and parses its answer. After any failure it is `closed` for good."""

    _framing: int
    """Bytes that are not part of a body, less those that the body allows for."""
    _unread: bytearray
    """Bytes of the body that nobody has read yet."""

    def __init__(self) -> None:
        self.closed = False
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.idle_since = 0.0
        self.began = self.finished = False
        """Whether the first byte of the answer has come, and whether all of it has."""
        self._transport: asyncio.Transport | None = None
        self._is_full = False
        """Whether much of what was written is still to be sent."""
        self._reset()

    async def request(self, head: bytes, timeout: float | None, body: bytes = b"") -> None:
        """Send a whole request and wait for the headers of its answer."""
        self._reset()
        assert self._transport is not None
        if len(body) <= _SENT_AT_ONCE:
            self._transport.write(head + body)
        else:
            self._transport.write(head)
            await self._send(body, timeout)
        while not self._complete_head:
            await self._wait(timeout)

    async def _send(self, body: bytes, timeout: float | None) -> None:
        """Send a large body in pieces. As one piece, it would be copied several times while other
        requests wait. A server that answers early gets the rest without a pause."""
        assert self._transport is not None
        view = memoryview(body)
        for start in range(0, len(body), _SENT_AT_ONCE):
            await asyncio.sleep(0)
            while self._is_full and not self.began and not self.closed:
                await self._wait(timeout)
            if self.closed:
                return
            self._transport.write(view[start : start + _SENT_AT_ONCE])

    async def body(self, timeout: float | None) -> AsyncIterator[bytes]:
        """The answer's body, piece by piece as it comes."""
        while True:
            if self._unread:
                piece = bytes(self._unread)
                self._unread.clear()
                self._pause(False)
                yield piece
            elif self.finished:
                return
            else:
                await self._wait(timeout)

    async def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Use TLS from here on, through the tunnel that the proxy opened to the host."""
        assert self._transport is not None
        loop = asyncio.get_running_loop()
        self._reset()
        secured = await loop.start_tls(self._transport, self, context, server_hostname=host)
        assert secured is not None
        self._transport = secured

    @property
    def reusable(self) -> bool:
        """Whether another request can be sent on it."""
        return self.finished and self._keep and not self.closed and not self._paused

    def close(self) -> None:
        """Close the connection, even in the middle of an answer."""
        self.closed = True
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio: the connection is open."""
        self._transport = cast(
            asyncio.Transport, transport
        )  # uvloop's class does not inherit from it

    def pause_writing(self) -> None:
        """asyncio: much is still to be sent."""
        self._is_full = True

    def resume_writing(self) -> None:
        """asyncio: most of it was sent."""
        self._is_full = False
        self._wake()

    def data_received(self, data: bytes) -> None:
        """asyncio: bytes came. The parser gets them in small pieces, because it buffers an
        unfinished header of any length without telling."""
        if self.finished:  # the server says that it is about to close
            return self.close()
        self.began = True
        for start in range(0, len(data), FRAMING_LIMIT):
            if self.finished or self.closed:
                self._keep = False
                break
            self._parse(data[start : start + FRAMING_LIMIT])
        self._wake()
        return None

    def connection_lost(self, error: Exception | None) -> None:
        """asyncio: the connection is closed. An answer without a length ends with it."""
        self.closed = True
        if self._complete_head and not self._sized and (error or self._error) is None:
            self.finished = True
        elif not self.finished:
            text = "ended in the middle of its answer" if self.began else "ended without an answer"
            self._fail(httpx.RemoteProtocolError(f"the connection {text}"))
        self._wake()

    def on_message_begin(self) -> None:
        """httptools: an answer begins. A second one belongs to no request, so the connection is not
        used again."""
        if self.finished:
            self._keep = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """httptools: one header. Trailers, and what follows the answer, are ignored."""
        if not self._complete_head:
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """httptools: all headers are there."""
        if self.finished:
            return None
        self.status = self._parser.get_status_code()
        if 100 <= self.status < 200:
            self.headers = []
            return None
        if not 200 <= self.status < 600:
            return self._refuse(
                f"the answer has the status {self.status}, which HTTP does not have"
            )
        fields = [(name.lower(), value.lower()) for name, value in self.headers]
        codings = [value for name, value in fields if name == b"transfer-encoding"]
        if codings not in ([], [b"chunked"]):
            return self._refuse("the answer is in a transfer coding other than 'chunked'")
        lengths = [value for name, value in fields if name == b"content-length"]
        self._sized = bool(codings or lengths) or self.status in (204, 304)
        self._complete_head = True
        return None

    def on_body(self, body: bytes) -> None:
        """httptools: a piece of the body."""
        if self.finished:
            return
        self._unread += body
        self._framing = max(0, self._framing - len(body) * (1 + _FRAMING_PER_BYTE))
        if len(self._unread) > _BUFFERED:
            self._pause(True)

    def on_message_complete(self) -> None:
        """httptools: the answer is complete. An interim one (1xx) is followed by another."""
        if self._complete_head and not self.finished:
            self._keep = self._parser.should_keep_alive()
            self.finished = True

    def _parse(self, data: bytes) -> None:
        self._framing += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._refuse(f"the answer is not HTTP: {error}")
        except httptools.HttpParserUpgrade:
            self._refuse("the answer changes to another protocol")
        if self._framing > FRAMING_LIMIT and not self.finished:
            what = "sizes of chunks or trailers" if self._complete_head else "headers"
            self._refuse(f"the answer's {what} are too long: over {FRAMING_LIMIT:,} bytes")

    def _reset(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self.headers = []
        self.began = self.finished = False
        self._keep = self._complete_head = self._sized = self._paused = False
        self._framing = 0
        self._unread = bytearray()
        self._error: httpx.TransportError | None = None
        self._waiter: asyncio.Future[None] | None = None

    async def _wait(self, timeout: float | None) -> None:
        """Wait until something new has come."""
        if self._error is not None:
            raise self._error
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout):
                await self._waiter
        except TimeoutError:
            self.close()
            raise httpx.ReadTimeout(f"silent for {timeout:g} seconds") from None
        if self._error is not None and not self._unread:
            raise self._error

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _refuse(self, message: str) -> None:
        self._fail(BadAnswer(message))

    def _fail(self, error: httpx.TransportError) -> None:
        self._error = self._error or error
        self.close()

    def _pause(self, paused: bool) -> None:
        if self._transport is None or self.closed or paused == self._paused:
            return
        self._paused = paused
        if paused:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()
