"""Server-sent events are read from bytes, and no event may be longer than its limit.

The two classes do no I/O. They take the pieces of a stream, which may be cut anywhere.
"""

import re

from coderelay.models.failures import too_long

_BLANK_LINES = (b"\n\n", b"\n\r", b"\r\r")
"""A line's end, and the first byte of the next one: between them is an empty line. A CR and an LF
are one end, so they are not among these."""
_FIELD = re.compile(rb"(?:\A|[\r\n])[^:\r\n]")
"""The start of a line that is neither empty nor a comment."""


class EventReader:
    """Finds the `data` of each event. Comments and other fields are ignored."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._line = bytearray()
        """The line that has not ended yet."""
        self._data: list[bytes] = []
        self._size = 0
        """Bytes of the event's lines, the unfinished one included."""
        self._after_return = False
        """Whether the last byte was a CR, so that an LF would belong to it."""

    def feed(self, piece: bytes) -> list[str]:
        """Take a piece, and return the data of the events that are complete now. Raises
        `UpstreamError` for an event over the limit."""
        if self._after_return and piece.startswith(b"\n"):
            piece = piece[1:]
            self._after_return = False
        if not piece:
            return []
        self._after_return = piece.endswith(b"\r")
        first, *others = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._count(first)
        self._line += first
        events: list[str] = []
        for following in others:
            self._end_line(events)
            self._count(following)
            self._line += following
        return events

    def _end_line(self, events: list[str]) -> None:
        line = bytes(self._line)
        self._line.clear()
        if line:
            field, _, value = line.partition(b":")
            if field == b"data":
                self._data.append(value.removeprefix(b" "))
            else:
                self._size -= len(line)
            return
        if self._data:
            events.append(b"\n".join(self._data).decode("utf-8", "replace"))
        self._data = []
        self._size = 0

    def _count(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            raise too_long(self._limit, "one event")


class WholeEvents:
    """Holds back the bytes of an event until it is complete, so that an error event can follow an
    answer that breaks off. Comments are not held back, because they keep the connection alive."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._in_event = False
        """Whether a line among those held back is more than a comment."""

    def feed(self, piece: bytes) -> bytes:
        """Take a piece, and return the bytes that can be passed on. Raises `UpstreamError` for an
        event over the limit."""
        searched = max(0, len(self._held) - 1)
        self._held += piece
        whole = b""
        end = max(self._held.rfind(blank, searched) for blank in _BLANK_LINES) + 2
        if end > 1:
            whole = self._take(end)
            self._in_event = False
            searched = 0
        if not self._in_event:
            end = max(self._held.rfind(end, searched) for end in (b"\n", b"\r")) + 1
            self._in_event = _FIELD.search(self._held, 0, end) is not None
            if not self._in_event:
                whole += self._take(end)
        if len(self._held) > self._limit:
            raise too_long(self._limit, "one event")
        return whole

    def rest(self) -> bytes:
        """The bytes that are held back at the end of a complete answer."""
        return bytes(self._held)

    def _take(self, end: int) -> bytes:
        taken = bytes(self._held[:end])
        del self._held[:end]
        return taken
