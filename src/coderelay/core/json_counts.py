"""Counts the values in a JSON text before any of them is built, and refuses too many.

A list takes up to thirty times the memory of its text, and the garbage collector visits all lists
and objects in one step, during which no other thread runs.
"""

import re
from typing import NamedTuple

from coderelay.core.json_values import NotJson
from coderelay.core.limits import KB, MB

PIECE = 8 * KB
"""About how many bytes of a long text are read in one step."""
STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
"""A regular expression for a string, to be used in others. At each byte only one alternative can
match, so nothing backtracks and the cost is linear."""
_LONGEST_ESCAPE = 16
# The content of a string up to a place where it can be cut: not inside an escape, and not between
# the two escapes of a surrogate pair, which are one character.
_INSIDE = re.compile(
    rb"""
    [^"\\]*
    (?: \\ (?: [^u]
             | u (?![dD][89abAB]) [0-9a-fA-F]{4}
             | u [dD][89abAB][0-9a-fA-F]{2}
               (?: \\u[dD][c-fC-F][0-9a-fA-F]{2}
                 | (?= [^\\] | \\[^u] | \\u[^dD] | \\u[dD][^c-fC-F] ) ) )
        [^"\\]* )*
    """,
    re.VERBOSE | re.DOTALL,
)


def string_cuts(data: bytes, start: int, piece: int = PIECE) -> list[int]:
    """Return the places at which the string that starts at `start` can be cut; the last one is its
    closing quote."""
    cuts: list[int] = []
    at = start + 1
    while True:
        inside = _INSIDE.match(data, at, at + piece)
        assert inside is not None
        end = inside.end()
        if data[end : end + 1] == b'"':
            return [*cuts, end]
        while end > at and data[end : end + 1] > b"\x7f" and data[end] & 0xC0 == 0x80:
            end -= 1  # do not cut inside a UTF-8 character
        if end == at:
            if data[at : at + 1] == b"\\" and b'"' in data[at + 2 : at + _LONGEST_ESCAPE]:
                raise wrong("Invalid \\escape", data, at)
            raise wrong("Unterminated string", data, start)
        cuts.append(end)
        at = end


def wrong(message: str, data: bytes, at: int) -> NotJson:
    """Return the error for a text that is wrong at that byte, with its line and column."""
    starts = range(0, at, MB)
    line = 1 + sum(data.count(b"\n", each, min(at, each + MB)) for each in starts)
    first = data.rfind(b"\n", 0, at) + 1
    pieces = (data[each : min(at, each + MB)] for each in range(first, at, MB))
    column = 1 + sum(len(piece.decode("utf-8", "ignore")) for piece in pieces)
    return NotJson(f"line {line}, column {column}: {message}")


MAX_ITEMS = 2_000_000
"""How many items all lists and objects of one text may have together."""
MAX_CONTAINERS = 500_000
"""How many lists and objects one text may have."""

_STRINGS = re.compile(STRING, re.DOTALL)
_WHOLE_STRINGS = re.compile(rb'(?:[^"]+|%b)*' % STRING, re.DOTALL)


class TooManyValues(NotJson):
    """A JSON text, or several together, have more values than are allowed."""


class Counts(NamedTuple):
    """How many items, and how many lists and objects, a text seems to have. The text need not be
    valid JSON."""

    items: int
    containers: int

    def plus(self, other: "Counts") -> "Counts":
        """Return the sum of both counts."""
        return Counts(self.items + other.items, self.containers + other.containers)

    def check(self, most: "Counts") -> None:
        """Raise `TooManyValues` if a count is larger than in `most`."""
        if self.items > most.items:
            raise TooManyValues(f"it has more than {most.items:,} items")
        if self.containers > most.containers:
            raise TooManyValues(f"it has more than {most.containers:,} lists and objects")

    def fits(self, most: "Counts") -> bool:
        """Return whether no count is larger than in `most`."""
        return self.items <= most.items and self.containers <= most.containers


MOST = Counts(MAX_ITEMS, MAX_CONTAINERS)


def check_counts(data: bytes, most: Counts = MOST) -> None:
    """Raise `TooManyValues` for a text with too many items, lists or objects."""
    if not _upper_bound(data).fits(most):
        _exact_counts(data, most).check(most)


class ValueBudget:
    """How many values several texts may have together."""

    def __init__(self, most: Counts = MOST) -> None:
        self._most = most
        self._counted = Counts(0, 0)
        self._texts: list[str] | None = []
        """The texts that were counted roughly so far, or None once all are counted exactly. Exact
        counting is slow, so it begins only when the rough counts exceed the budget."""

    def take(self, text: str) -> None:
        """Count one more text. Raises `TooManyValues` if all texts together have too many."""
        if self._texts is not None:
            self._texts.append(text)
            self._counted = self._counted.plus(_upper_bound(text))
            if self._counted.fits(self._most):
                return
            texts, self._texts, self._counted = self._texts, None, Counts(0, 0)
        else:
            texts = [text]
        for each in texts:
            data = each.encode("utf-8", "surrogatepass")
            self._counted = self._counted.plus(_exact_counts(data, self._most))
        self._counted.check(self._most)


def _upper_bound(text: str | bytes) -> Counts:
    """Count commas and brackets fast, including those inside strings."""
    commas, lists, objects = (_count(text, each) for each in ",[{")
    return Counts(1 + commas, lists + objects)


def _count(text: str | bytes, character: str) -> int:
    """Count a character in a text, a megabyte at a time so that other threads can run between."""
    starts = range(0, len(text), MB)
    if isinstance(text, str):
        return sum([text.count(character, at, at + MB) for at in starts])
    return sum([text.count(character.encode(), at, at + MB) for at in starts])


def _exact_counts(data: bytes, most: Counts) -> Counts:
    """Count commas and brackets outside strings, and stop once there are more than `most`."""
    counts, at = Counts(1, 0), 0
    while at < len(data) and counts.fits(most):
        stretch = _WHOLE_STRINGS.match(data, at, at + PIECE)
        assert stretch is not None
        outside = _STRINGS.sub(b"", stretch[0])
        containers = outside.count(b"[") + outside.count(b"{")
        counts = counts.plus(Counts(outside.count(b","), containers))
        at = stretch.end() if stretch.end() > at else string_cuts(data, at)[-1] + 1
    return counts
