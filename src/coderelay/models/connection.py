"""One connection to an HTTP/1.1 server, and one answer at a time on it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import cast

import httptools
import httpx

HEADERS_LIMIT = 64 * 1024
"""Bytes of headers that an answer may have."""
_BUFFERED = 256 * 1024
"""Bytes of an answer that wait for their reader; beyond, the socket is not read."""


class Connection(asyncio.Protocol):
    """Writes a request, parses its answer. Once anything went wrong it is `closed` for good."""

    def __init__(self) -> None:
        self.closed = False
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.idle_since = 0.0
        self.began = self.finished = False
        """Whether a byte of the answer, and all of it, has come."""
        self._transport: asyncio.Transport | None = None
        self._reset()

    async def request(self, data: bytes, timeout: float | None) -> None:
        """Send a whole request and wait until the headers of its answer are there."""
        self._reset()
        assert self._transport is not None
        self._transport.write(data)
        while not self._complete_head:
            await self._wait(timeout)

    async def body(self, timeout: float | None) -> AsyncIterator[bytes]:
        """The answer's body, piece by piece as it comes."""
        while True:
            if self._pieces:
                piece = b"".join(self._pieces) if len(self._pieces) > 1 else self._pieces[0]
                self._pieces.clear()
                self._waiting = 0
                self._pause(False)
                yield piece
            elif self.finished:
                return
            else:
                await self._wait(timeout)

    @property
    def reusable(self) -> bool:
        """Whether another request can be sent on it."""
        return self.finished and self._keep and not self.closed

    def close(self) -> None:
        """Drop the connection, in the midst of an answer too."""
        self.closed = True
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio: the connection is there."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by inheritance

    def data_received(self, data: bytes) -> None:
        """asyncio: bytes came."""
        if self.finished:  # nobody asked: the server says that it is about to close
            return self.close()
        self.began = True
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(httpx.RemoteProtocolError(f"the answer is no HTTP: {error}"))
        self._wake()
        return None

    def connection_lost(self, error: Exception | None) -> None:
        """asyncio: the connection is gone. An answer of no stated length ends with it."""
        self.closed = True
        if self._complete_head and not self._sized:
            self.finished = True
        elif not self.finished:
            text = "ended in the midst of its answer" if self.began else "ended without an answer"
            self._fail(httpx.RemoteProtocolError(f"the connection {text}"))
        self._wake()

    def on_header(self, name: bytes, value: bytes) -> None:
        """httptools: one header."""
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > HEADERS_LIMIT:
            self._fail(httpx.RemoteProtocolError("the answer's headers are too long"))
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """httptools: the headers are all there."""
        self.status = self._parser.get_status_code()
        if self.status < 200:
            self.headers = []
            return
        names = {name.lower() for name, _ in self.headers}
        self._sized = bool(names & {b"content-length", b"transfer-encoding"}) or (
            self.status in (204, 304)
        )
        self._complete_head = True

    def on_body(self, body: bytes) -> None:
        """httptools: a piece of the body."""
        self._pieces.append(body)
        self._waiting += len(body)
        if self._waiting > _BUFFERED:
            self._pause(True)

    def on_message_complete(self) -> None:
        """httptools: the answer is whole; an interim one (1xx) is followed by another."""
        if self._complete_head:
            self._keep = self._parser.should_keep_alive()
            self.finished = True

    def _reset(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self.headers = []
        self.began = self.finished = False
        self._keep = self._complete_head = self._sized = self._paused = False
        self._header_bytes = self._waiting = 0
        self._pieces: deque[bytes] = deque()
        self._error: httpx.TransportError | None = None
        self._waiter: asyncio.Future[None] | None = None

    async def _wait(self, timeout: float | None) -> None:
        """Until something new has come."""
        if self._error is not None:
            raise self._error
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout):
                await self._waiter
        except TimeoutError:
            self.close()
            raise httpx.ReadTimeout(f"silent for {timeout:g} seconds") from None
        if self._error is not None and not self._pieces:
            raise self._error

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _fail(self, error: httpx.TransportError) -> None:
        self._error = self._error or error
        self.close()

    def _pause(self, wanted: bool) -> None:
        if self._transport is None or self.closed or wanted == self._paused:
            return
        self._paused = wanted
        if wanted:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()
