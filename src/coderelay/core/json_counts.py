"""Counts the values in a JSON text before any of them is built, and refuses too many.

A list takes up to thirty times the memory of its text, and the garbage collector visits all lists
and objects in one step, during which no other thread runs.
"""

import re
from typing import NamedTuple

from coderelay.core.json_strings import PIECE, STRING, string_cuts
from coderelay.core.json_values import NotJson
from coderelay.core.limits import MB

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
