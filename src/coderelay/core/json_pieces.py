"""Reads a long JSON text in pieces, so that other threads can run in between.

Python's own reader holds the interpreter's lock until it has read a whole text. So a long text is
cut between values, and Python's reader gets one piece after another. Finding the cuts needs only
strings and brackets; whether a piece is valid JSON is left to Python's reader.
"""

import json
import re
from typing import Any, Literal

from coderelay.core.cancellation import is_still_needed
from coderelay.core.errors import TimedOut
from coderelay.core.json_counts import PIECE, STRING, string_cuts, wrong
from coderelay.core.json_values import MAX_DEPTH, Json, NotJson
from coderelay.core.limits import MB

LONGEST_TOKEN = 1 * MB
"""How long a number, a key or white space may be, in bytes: each of these is read in one step."""

_CLOSE = (b"]", b"}")
_SPACE = re.compile(rb"[ \t\n\r]*")
_PLAIN = rb'[^"\[\]{}]*'
_SMALL = rb"[\[{]%b(?:%b%b)*[\]}]" % (_PLAIN, STRING, _PLAIN)
_NESTED = rb"[\[{]%b(?:(?:%b|%b)%b)*[\]}]" % (_PLAIN, STRING, _SMALL, _PLAIN)
_ITEMS = rb'(?:[^",\[\]{}]+|(%b)|(,)' % STRING
# Items, as far as they can be told without a stack: strings, numbers and words, and of lists and
# objects those that are nested no more than twice. The groups are the last string and the last
# comma that stand between them.
_ITEMS_OR_NESTED = re.compile(rb"%b|%b)*" % (_ITEMS, _NESTED), re.DOTALL)
_ITEMS_ONLY = re.compile(rb"%b)*" % _ITEMS, re.DOTALL)
_NESTED_DEPTH = 2


class _Level:
    """A list or an object that is open at the current place.

    If it is too long for one piece, it is read item by item: `items` are those up to `cut`, and
    `key` is the key of the next one. As long as it may fit into a piece, `items` is None.
    """

    items: Any = None
    cut = 0
    key = ""
    wants: Literal["anything", "item", "end"] = "anything"
    comma = string = -1
    """The places of its last comma and its last string so far."""

    def __init__(self, start: int, *, is_list: bool) -> None:
        self.start = start
        self.is_list = is_list


class PieceReader:
    """Reads one text. `_levels` are the open lists and objects, from the outermost to the
    innermost; the first one stands for the whole text, as if it were inside a list. The outer
    levels are read item by item, the inner ones may still fit into a piece."""

    def __init__(self, data: bytes, decoder: json.JSONDecoder, piece: int = PIECE) -> None:
        self._data = data
        self._decoder = decoder
        self._piece = piece
        whole = _Level(-1, is_list=True)
        whole.items = []
        self._levels = [whole]
        self._reading = whole
        self._depth = 0
        """The index of `_reading`, the innermost level that is read item by item."""

    def value(self) -> Json:
        """Read the text and return its value. Raises `NotJson` if it is not valid JSON."""
        data, levels, piece, at = self._data, self._levels, self._piece, 0
        while at < len(data):
            may_nest = len(levels) <= MAX_DEPTH - _NESTED_DEPTH
            items = (_ITEMS_OR_NESTED if may_nest else _ITEMS_ONLY).match(data, at, at + piece)
            assert items is not None
            stop, level = items.end(), levels[-1]
            if items.lastindex:
                level.string = max(level.string, items.start(1))
                level.comma = max(level.comma, items.start(2))
            if stop - self._reading.cut > piece:
                self._reduce(stop)
            token = data[stop : stop + 1]
            if len(levels) > MAX_DEPTH + 1:
                self._check_depth(at, stop)
            if token == b"[" or token == b"{":
                levels.append(_Level(stop, is_list=token == b"["))
                at = stop + 1
            elif token == b"]" or token == b"}":
                at = self._close(token, stop)
            elif token == b'"' and stop == at:  # it is longer than a piece
                at = self._long_string(stop)
            else:
                at = stop
        return self._whole()

    def _check_depth(self, at: int, stop: int) -> None:
        """Raise `NotJson` unless the innermost list or object, which is one level too deep, is
        empty."""
        if not _SPACE.fullmatch(self._data, at, stop) or self._data[stop : stop + 1] not in _CLOSE:
            raise NotJson(f"nested more than {MAX_DEPTH} levels deep")

    def _close(self, token: bytes, stop: int) -> int:
        level = self._levels[-1]
        if level is not self._reading:  # the piece that holds it is validated later
            self._levels.pop()
            return stop + 1
        if self._depth == 0 or token != (b"]" if level.is_list else b"}"):
            raise self._error("Expecting ',' delimiter" if level.items else "Expecting value", stop)
        self._finish(level, stop)
        self._levels.pop()
        self._depth -= 1
        self._reading = self._levels[-1]
        return self._add(level.items, stop + 1)

    def _whole(self) -> Json:
        whole, end = self._levels[0], len(self._data)
        if len(self._levels) > 1:
            raise self._error("Expecting ',' delimiter", end)
        self._finish(whole, end)
        if len(whole.items) != 1:
            raise self._error("Extra data" if whole.items else "Expecting value", end)
        return whole.items[0]

    def _long_string(self, start: int) -> int:
        """Read a string that is longer than a piece, and return the place after it."""
        while self._reading is not self._levels[-1]:
            self._open()
        level, cuts = self._reading, string_cuts(self._data, start, self._piece)
        end = cuts[-1] + 1
        if not level.is_list and not self._data[level.cut : start].rstrip().endswith(b":"):
            if end - start > LONGEST_TOKEN:
                raise self._error("a key of more than 1 MB", start)
            level.string = start
            return end
        self._before_item(level, start)
        inside = zip([start + 1, *cuts], cuts, strict=False)
        return self._add("".join(self._decode(a, b, '"', '"') for a, b in inside), end)

    # Reading pieces

    def _reduce(self, stop: int) -> None:
        """Read what ends before `stop`, so that at most one piece is left unread."""
        if not is_still_needed():
            raise TimedOut("reading this JSON text was cancelled")
        while stop - (level := self._reading).cut > self._piece:
            if level is not self._levels[-1]:
                self._open()
            elif level.comma < level.cut:
                if stop - level.cut > LONGEST_TOKEN:
                    raise self._error("a number or white space of more than 1 MB", level.cut)
                return
            elif self._depth == 0:
                raise self._error("Extra data", level.comma)
            else:
                self._take(level, level.comma)
                level.cut, level.wants = level.comma + 1, "item"

    def _open(self) -> None:
        """Begin to read the next level item by item."""
        inner = self._levels[self._depth + 1]
        self._before_item(self._reading, inner.start)
        inner.items, inner.cut = [] if inner.is_list else {}, inner.start + 1
        self._reading = inner
        self._depth += 1

    def _before_item(self, level: _Level, start: int) -> None:
        """Read the part of a level before a long item, which is read separately."""
        self._take(level, start, "null")  # a placeholder for the long item
        if level.is_list:
            level.items.pop()
        else:
            end = self._data.rindex(b":", level.string, start)
            level.key = self._decode(level.string, end)

    def _take(self, level: _Level, until: int, last: str = "") -> None:
        """Read the items of a level up to a place. `last` is put after them as one more item."""
        if not last and _SPACE.fullmatch(self._data, level.cut, until):
            raise self._error("Expecting value", until)
        if level.is_list:
            level.items.extend(self._decode(level.cut, until, "[", last + "]"))
        else:
            level.items.update(self._decode(level.cut, until, "{", last + "}"))

    def _finish(self, level: _Level, until: int) -> None:
        """Read the last items of a level."""
        if not _SPACE.fullmatch(self._data, level.cut, until):
            self._take(level, until)
        elif level.wants == "item":
            raise self._error("Expecting value", until)

    def _add(self, item: Json, end: int) -> int:
        """Add a long item to its level, and return the place to go on from: after the comma that
        follows, or at the end of the level."""
        level = self._reading
        if level.is_list:
            level.items.append(item)
        else:
            level.items[level.key] = item
        end = self._after_space(end)
        token = self._data[end : end + 1]
        if token == b"," and self._depth:
            level.cut, level.wants = end + 1, "item"
            return end + 1
        if self._depth and token not in _CLOSE:
            raise self._error("Expecting ',' delimiter", end)
        if not self._depth and token:
            raise self._error("Extra data", end)
        level.cut, level.wants = end, "end"
        return end

    def _after_space(self, at: int) -> int:
        while True:
            space = _SPACE.match(self._data, at, at + self._piece)
            assert space is not None
            if space.end() == at:
                return at
            at = space.end()

    def _decode(self, start: int, end: int, before: str = "", after: str = "") -> Json:
        """Read a piece with Python's reader, with `before` and `after` around it."""
        try:
            text = self._data[start:end].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            at = start + error.start
            raise NotJson(f"not UTF-8 text: {error.reason} at byte {at}") from error
        try:
            return self._decoder.decode(f"{before}{text}{after}")
        except json.JSONDecodeError as error:
            inside = text[: max(0, error.pos - len(before))].encode("utf-8", "surrogatepass")
            raise self._error(error.msg, start + len(inside)) from error

    def _error(self, message: str, at: int) -> NotJson:
        return wrong(message, self._data, at)
