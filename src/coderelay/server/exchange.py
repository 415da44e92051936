"""One request and its answer: reads the body up to its limit, and writes the answer."""

import asyncio
import io
import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from starlette.types import Receive, Scope, Send

from coderelay.core import Json
from coderelay.core.json_counts import TooManyValues
from coderelay.core.json_values import NotJson, dump
from coderelay.server.access import Headers
from coderelay.server.refusals import (
    BodyTooLarge,
    ClientDisconnected,
    NotJsonBody,
    TooManyValuesInBody,
)
from coderelay.wire import parse

CLIENT_CLOSED_REQUEST = 499
"""The status that is logged if the client disconnected before the answer."""
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")

EVENTS, JSON = b"text/event-stream", b"application/json"


class Exchange:
    """A request and its answer.

    `status` is that of the answer, or 0 before it begins. `disconnected` means that the client has
    disconnected, and `events` that the answer is a stream of server-sent events.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self.headers: Mapping[bytes, bytes] = dict(scope["headers"])
        self.raw_headers: Headers = scope["headers"]
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.http_version: str = scope["http_version"]
        self.id = _request_id(self.headers.get(b"x-request-id"))
        self.key: str | None = None
        """The client's key, once it has been read from the headers."""
        self.status = 0
        self.received = self.sent = 0
        self.notes: dict[str, Any] = {}
        """Further fields for the line in the log."""
        self.encode_failure: Callable[[Json], bytes] | None = None
        """Encodes the error that ends a stream which has already begun."""
        self.disconnected = self.events = self._answered = False
        self._watcher: asyncio.Task[None] | None = None

    async def body(self, limit: int) -> bytes:
        """Return the whole body. From here on, the serving task is cancelled if the client
        disconnects."""
        body = io.BytesIO()  # unlike a bytearray, it gives its bytes without a copy
        length = self.headers.get(b"content-length", b"")
        refused = length.isdigit() and (len(length) > 18 or int(length) > limit)
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self.disconnected = True
                raise ClientDisconnected
            piece = message.get("body", b"")
            self.received += len(piece)
            refused = refused or self.received > limit
            if not refused:
                body.write(piece)
            # Most clients read the answer only after they have sent everything. So the rest of a
            # refused body is read and dropped, up to twice the limit.
            if not message.get("more_body") or self.received > 2 * limit:
                break
        if refused:
            raise BodyTooLarge(f"the body is over {limit:,} bytes: send a shorter history")
        self._watch()
        return body.getvalue()

    @staticmethod
    def parsed(raw: bytes) -> Json:
        """Return a body as JSON. Raises `NotJsonBody` or `TooManyValuesInBody`."""
        try:
            return parse(raw)
        except TooManyValues as error:
            raise TooManyValuesInBody(f"the body: {error}; send a shorter history") from error
        except NotJson as error:
            raise NotJsonBody(f"the body is not valid JSON: {error}") from error

    async def start(self, status: int, headers: Headers) -> None:
        """Send the status and the headers."""
        self.status = status
        self.events = any(value.startswith(EVENTS) for _, value in headers)
        id = self.id.encode()  # Anthropic's clients look for `request-id`
        every = [*headers, (b"x-request-id", id), (b"request-id", id)]
        await self._send({"type": "http.response.start", "status": status, "headers": every})

    async def write(self, piece: bytes, *, more: bool = True) -> None:
        """Send a piece of the answer's body."""
        self.sent += len(piece)
        self._answered = not more
        await self._send({"type": "http.response.body", "body": piece, "more_body": more})

    async def reply(
        self, body: Json, *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a whole JSON answer."""
        await self.reply_bytes(as_json(body), JSON, status=status, headers=headers)

    async def reply_bytes(
        self,
        body: bytes,
        content_type: bytes,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Send a whole answer."""
        every = [
            (b"content-type", content_type),
            (b"content-length", b"%d" % len(body)),
            *((name.encode(), value.encode("latin-1")) for name, value in (headers or {}).items()),
        ]
        await self.start(status, every)
        await self.write(body, more=False)

    def finish(self) -> None:
        """Stop watching for a disconnect."""
        if self._watcher is not None:
            self._watcher.cancel()

    def _watch(self) -> None:
        serving = asyncio.current_task()
        assert serving is not None

        async def watch() -> None:
            while (await self._receive())["type"] != "http.disconnect":
                pass
            if not self._answered:  # uvicorn reports a disconnect after a complete answer too
                self.disconnected = True
                serving.cancel()

        self._watcher = asyncio.create_task(watch())


def as_json(value: Json) -> bytes:
    """Return the JSON text of a value in UTF-8. Lone surrogates, which UTF-8 cannot encode, are
    escaped: Python's escape is the same as JSON's."""
    return dump(value).encode("utf-8", "backslashreplace")


def _request_id(header: bytes | None) -> str:
    """Return the client's request id if it is safe to log, and otherwise a new one."""
    if header is not None and _REQUEST_ID.fullmatch(header):
        return header.decode()
    return f"req_{secrets.token_hex(12)}"
