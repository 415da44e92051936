"""A long JSON text is counted before it is read, and read in pieces, so that no step takes long.

Python's own reader holds the interpreter's lock until it has read a whole text, and builds
whatever the text holds. So a long text is cut between values, and Python's reader is given one
piece after another: other threads get their turn in between. Finding the cuts needs strings and
brackets only; whether a piece is JSON at all is left to Python's reader.
"""

import json
import re
from typing import Any, Literal

from coderelay.core.cancellation import is_wanted
from coderelay.core.errors import TimedOut
from coderelay.core.json_strings import PIECE, STRING, string_cuts, wrong
from coderelay.core.json_values import MAX_DEPTH, Json, NotJson
from coderelay.core.limits import MB

LONGEST_TOKEN = 1 * MB
"""Bytes of one number, one key, or white space: these are read at once."""

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
_TOLD_DEPTH = 2


class _Level:
    """A list or an object that is open at the place where a reading is.

    Of one that is being read, `items` are what was read up to `cut`, and `key` belongs to the
    item that comes next. One that may yet fit into a piece is not read by itself: `items` is None.
    """

    items: Any = None
    cut = 0
    key = ""
    wants: Literal["anything", "item", "end"] = "anything"
    comma = string = -1
    """The places of its last comma and its last string."""

    def __init__(self, start: int, *, is_list: bool) -> None:
        self.start = start
        self.is_list = is_list


class PieceReader:
    """A text under way: its levels are open from the whole text, which is as if it stood in a list,
    to the innermost. Those that are read by themselves are the first ones."""

    def __init__(self, data: bytes, decoder: json.JSONDecoder, piece: int = PIECE) -> None:
        self._data = data
        self._decoder = decoder
        self._piece = piece
        whole = _Level(-1, is_list=True)
        whole.items = []
        self._levels = [whole]
        self._reading = whole
        self._depth = 0
        """The place of `_reading`, the innermost level that is read by itself."""

    def value(self) -> Json:
        """The value that the text holds."""
        data, levels, piece, at = self._data, self._levels, self._piece, 0
        while at < len(data):
            told = len(levels) <= MAX_DEPTH - _TOLD_DEPTH
            items = (_ITEMS_OR_NESTED if told else _ITEMS_ONLY).match(data, at, at + piece)
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
        """On the level after the last, there may only be nothing."""
        if not _SPACE.fullmatch(self._data, at, stop) or self._data[stop : stop + 1] not in _CLOSE:
            raise NotJson(f"nested more than {MAX_DEPTH} levels deep")

    def _close(self, token: bytes, stop: int) -> int:
        level = self._levels[-1]
        if level is not self._reading:  # whether it is sound is seen when it is read
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
        """Read a string that is longer than a piece. Returns where to go on."""
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
        """Read what can be read before a place, so that no more than a piece is left."""
        if not is_wanted():
            raise TimedOut("nobody waits for this text any more")
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
        """Read the next level by itself."""
        inner = self._levels[self._depth + 1]
        self._before_item(self._reading, inner.start)
        inner.items, inner.cut = [] if inner.is_list else {}, inner.start + 1
        self._reading = inner
        self._depth += 1

    def _before_item(self, level: _Level, start: int) -> None:
        """Read what a level has before an item that is read by itself."""
        self._take(level, start, "null")  # in place of the item
        if level.is_list:
            level.items.pop()
        else:
            end = self._data.rindex(b":", level.string, start)
            level.key = self._decode(level.string, end)

    def _take(self, level: _Level, until: int, last: str = "") -> None:
        """Read items of a level up to a place; `last` stands for one more."""
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
        """Add an item that was read by itself. Returns where to go on: after a comma, or at an
        end, for nothing else may follow."""
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
        """What Python's reader makes of a piece, with something before and after it."""
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
