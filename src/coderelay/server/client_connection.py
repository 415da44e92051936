"""Limits what a client's connection may send before its request has been parsed.

uvicorn's protocol leaves that to its parser, which buffers an unfinished header however long it is.
No key has been checked at this point, so anybody could send one.
"""

import json
import logging
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from coderelay.core.limits import KB, MB
from coderelay.server.logs import log
from coderelay.server.settings import Settings

MOST_HEADERS = 256
"""How many headers a request may have."""
_MOST_WAITING = 16
"""How many pipelined requests may wait on one connection while another is served."""
_FRAMING_PER_BYTE = 16
"""How many bytes of chunk sizes and the like are allowed for each byte of a body."""
_AT_ONCE = 64 * KB
"""How many bytes the parser gets at a time."""
_MAX_DISCARDED, _DISCARD_SECONDS = 1 * MB, 2.0
"""How many bytes a client may still send, and for how many seconds, after it was refused. If the
connection were closed at once, the client might never see the answer."""


class _ParsingStopped(Exception):
    """Raised inside a callback to stop the parser."""


class ClientConnection(HttpToolsProtocol):
    """uvicorn's protocol for HTTP/1.1, with limits in bytes.

    `headers_limit` is for the request line, headers, chunk sizes and trailers of one request, and
    `unread_limit` for the rest of a body whose request has already been answered.
    """

    def __init__(
        self,
        *arguments: Any,
        headers_limit: int = 64 * KB,
        unread_limit: int = 128 * MB,
        **named: Any,
    ) -> None:
        super().__init__(*arguments, **named)
        self._headers_limit = headers_limit
        self._unread_limit = unread_limit
        self._framing = 0
        """How many bytes came that are not body, minus those that the body allows for."""
        self._head = self._unread = 0
        self._in_head = True
        self._refused = False
        self._too_long = False

    def data_received(self, data: bytes) -> None:
        """asyncio: bytes came."""
        for start in range(0, len(data), _AT_ONCE):
            piece = data[start : start + _AT_ONCE]
            self._framing += len(piece)
            if self._refused:
                if self._framing > self._headers_limit + _MAX_DISCARDED:
                    self.transport.abort()
            elif not self.transport.is_closing():
                super().data_received(piece)
                if self._framing > self._headers_limit and not self._refused:
                    self._refuse_headers()

    def on_message_begin(self) -> None:
        """httptools: a request begins."""
        super().on_message_begin()
        self._head = self._unread = 0

    def on_url(self, url: bytes) -> None:
        """httptools: a piece of the request's target."""
        super().on_url(url)
        self._head += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """httptools: one header. A trailer is passed over: its request is being served already."""
        if not self._in_head:
            return
        super().on_header(name, value)
        self._head += len(name) + len(value) + len(b": \r\n")
        if self._head > self._headers_limit or len(self.headers) > MOST_HEADERS:
            self._too_long = True
            raise _ParsingStopped

    def on_headers_complete(self) -> None:
        """httptools: the headers are all there."""
        self._in_head = False
        if len(self.pipeline) >= _MOST_WAITING:
            raise _ParsingStopped
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """httptools: a piece of the body."""
        self._framing = max(0, self._framing - len(body) * (1 + _FRAMING_PER_BYTE))
        if self.cycle.response_complete:
            self._unread += len(body)
            if self._unread > self._unread_limit:
                self.transport.abort()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """httptools: the request is whole."""
        self._framing = 0
        self._in_head = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """uvicorn: the parser failed, or one of the callbacks above stopped it."""
        if self._too_long:
            self._refuse_headers()
        else:
            self._refuse(HTTPStatus.BAD_REQUEST, "this is not a valid HTTP/1.1 request")

    def _refuse_headers(self) -> None:
        self._refuse(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            f"the headers are over the limit of {self._headers_limit:,} bytes or {MOST_HEADERS} "
            "lines: send fewer; the operator can allow more bytes with --max-headers",
        )

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        """Close the connection, and answer first if that is possible: if the refused request is the
        one being served and not answered yet, or the only one."""
        log("refused", level=logging.WARNING, status=status.value, reason=status.phrase)
        self._refused = True
        being_served = self.cycle is not None and not self.cycle.response_complete
        if being_served == self._in_head or (being_served and self.cycle.response_started):
            self.transport.close()
            return
        if being_served:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.flow.resume_reading()
        self.transport.write(_answer(status, message))
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self.loop.call_later(_DISCARD_SECONDS, self.transport.close)
        else:
            self.transport.close()


def client_connection(settings: Settings) -> Callable[..., ClientConnection]:
    """Return a factory of connections with the limits of the settings, for uvicorn's `http`."""
    limits = {"headers_limit": settings.max_headers, "unread_limit": 2 * settings.max_body}
    return partial(ClientConnection, **limits)


def _answer(status: HTTPStatus, message: str) -> bytes:
    """Return an error in a format that fits all APIs, because the path is not known yet."""
    kind = "invalid_request_error"
    error = {"message": message, "type": kind, "param": None, "code": None}
    body = json.dumps({"type": "error", "error": error}).encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
