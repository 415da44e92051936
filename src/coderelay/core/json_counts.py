"""The values in a JSON text are counted before any of them is built.

A list takes up to thirty times the room of its text, and the garbage collector looks at all lists
and objects in one step.
"""

import re
from typing import NamedTuple

from coderelay.core.json_strings import PIECE, STRING, string_cuts
from coderelay.core.json_values import NotJson
from coderelay.core.limits import MB

MAX_ITEMS = 2_000_000
"""Items that all lists and objects of one text may have together."""
MAX_CONTAINERS = 500_000
"""Lists and objects in one text."""

_STRINGS = re.compile(STRING, re.DOTALL)
_WHOLE_STRINGS = re.compile(rb'(?:[^"]+|%b)*' % STRING, re.DOTALL)


class TooManyValues(NotJson):
    """There are more values than may be built."""


class Counts(NamedTuple):
    """What a text holds, whether it is JSON or not."""

    items: int
    containers: int

    def plus(self, other: "Counts") -> "Counts":
        """The counts of two texts."""
        return Counts(self.items + other.items, self.containers + other.containers)

    def check(self, most: "Counts") -> None:
        """Raise `TooManyValues` if there is more than that."""
        if self.items > most.items:
            raise TooManyValues(f"it has more than {most.items:,} items")
        if self.containers > most.containers:
            raise TooManyValues(f"it has more than {most.containers:,} lists and objects")

    def fits(self, most: "Counts") -> bool:
        """Whether there is no more than that."""
        return self.items <= most.items and self.containers <= most.containers


MOST = Counts(MAX_ITEMS, MAX_CONTAINERS)


def check_counts(data: bytes, most: Counts = MOST) -> None:
    """Raise `TooManyValues` for a text with too many items, lists or objects."""
    if not _at_most(data).fits(most):
        _exactly(data, most).check(most)


class ValueRoom:
    """Counts the values of several texts together."""

    def __init__(self, most: Counts = MOST) -> None:
        self._most = most
        self._counted = Counts(0, 0)
        self._texts: list[str] | None = []
        """What was counted roughly; None since all was counted exactly."""

    def take(self, text: str) -> None:
        """Count one more text. Raises `TooManyValues` when all of them have too many."""
        if self._texts is not None:
            self._texts.append(text)
            self._counted = self._counted.plus(_at_most(text))
            if self._counted.fits(self._most):
                return
            texts, self._texts, self._counted = self._texts, None, Counts(0, 0)
        else:
            texts = [text]
        for each in texts:
            data = each.encode("utf-8", "surrogatepass")
            self._counted = self._counted.plus(_exactly(data, self._most))
        self._counted.check(self._most)


def _at_most(text: str | bytes) -> Counts:
    """The counts as if nothing stood in strings."""
    commas, lists, objects = (_count(text, each) for each in ",[{")
    return Counts(1 + commas, lists + objects)


def _count(text: str | bytes, character: str) -> int:
    """How often a character is in a text; a megabyte is searched at once."""
    starts = range(0, len(text), MB)
    if isinstance(text, str):
        return sum([text.count(character, at, at + MB) for at in starts])
    return sum([text.count(character.encode(), at, at + MB) for at in starts])


def _exactly(data: bytes, most: Counts) -> Counts:
    """The counts without what stands in strings, as far as they are no more than that."""
    counts, at = Counts(1, 0), 0
    while at < len(data) and counts.fits(most):
        stretch = _WHOLE_STRINGS.match(data, at, at + PIECE)
        assert stretch is not None
        bare = _STRINGS.sub(b"", stretch[0])
        counts = counts.plus(Counts(bare.count(b","), bare.count(b"[") + bare.count(b"{")))
        at = stretch.end() if stretch.end() > at else string_cuts(data, at)[-1] + 1
    return counts
