"""One request and its answer: reads the body under its limit, writes whole or in pieces."""

import asyncio
import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from starlette.types import Receive, Scope, Send

from coderelay.core import Json
from coderelay.core.json_counts import TooManyValues
from coderelay.core.json_values import NotJson, dump
from coderelay.server.headers import Headers
from coderelay.server.refusals import BodyTooLarge, Gone, NotJsonBody, TooManyValuesInBody
from coderelay.wire import parse

GONE = 499
"""The status that is logged for a client who left before the answer."""
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")

EVENTS, JSON = b"text/event-stream", b"application/json"


class Exchange:
    """`status` is what was answered, 0 before; `gone`: the client has left; `events`: the answer
    is a stream of events, to which one more can be added."""

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
        """The client's key, once it has been looked for."""
        self.status = 0
        self.received = self.sent = 0
        self.notes: dict[str, Any] = {}
        """What the log is to say besides."""
        self.breaking: Callable[[Json], bytes] | None = None
        """How a stream that has begun says that it breaks off."""
        self.gone = self.events = self._answered = False
        self._watcher: asyncio.Task[None] | None = None

    async def body(self, limit: int) -> bytes:
        """The whole body; from here on, a client that leaves cancels the task it is served by."""
        body = bytearray()
        length = self.headers.get(b"content-length", b"")
        refused = length.isdigit() and (len(length) > 18 or int(length) > limit)
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self.gone = True
                raise Gone
            piece = message.get("body", b"")
            self.received += len(piece)
            refused = refused or self.received > limit
            if not refused:
                body += piece
            # A client that is still sending cannot hear: what it sends is thrown away for a while.
            if not message.get("more_body") or self.received > 2 * limit:
                break
        if refused:
            raise BodyTooLarge(f"the body is over {limit:,} bytes: send a shorter history")
        self._watch()
        return bytes(body)

    @staticmethod
    def parsed(raw: bytes) -> Json:
        """A body as JSON."""
        try:
            return parse(raw)
        except TooManyValues as error:
            raise TooManyValuesInBody(f"the body: {error}; send a shorter history") from error
        except NotJson as error:
            raise NotJsonBody(f"the body is no JSON: {error}") from error

    async def start(self, status: int, headers: Headers) -> None:
        """Send the status and the headers."""
        self.status = status
        self.events = any(value.startswith(EVENTS) for _, value in headers)
        id = self.id.encode()  # Anthropic's clients look for the second name
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
        """Nobody needs to watch the client any more."""
        if self._watcher is not None:
            self._watcher.cancel()

    def _watch(self) -> None:
        serving = asyncio.current_task()
        assert serving is not None

        async def watch() -> None:
            while (await self._receive())["type"] != "http.disconnect":
                pass
            if not self._answered:  # uvicorn also tells of a disconnect when it has sent all
                self.gone = True
                serving.cancel()

        self._watcher = asyncio.create_task(watch())


def as_json(value: Json) -> bytes:
    """The text of a value. A lone surrogate has no UTF-8 form; its Python escape, which stands in
    a string, is the JSON escape too."""
    return dump(value).encode("utf-8", "backslashreplace")


def _request_id(given: bytes | None) -> str:
    """The client's own, where it is harmless in a log; otherwise a new one."""
    if given is not None and _REQUEST_ID.fullmatch(given):
        return given.decode()
    return f"req_{secrets.token_hex(12)}"
