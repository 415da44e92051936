"""Estimates how large a regular expression becomes, in one pass over its text.

An engine that takes linear time keeps all places in the pattern that a match may have reached. The
largest number of these places is the *width*, which is what each letter costs. A count multiplies
places: `a{1000}` has a thousand. But a match is at several of them at the same time only if it can
get there in several ways. `^a{1000}` has a width of 1, and `a{1000}` one of 1,000, because a match
may begin at any letter.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

_MOST = 10_000_000
_SHORT = 2_000
"""Results for patterns up to this length are cached."""
_TOKEN = re.compile(
    r"\\[pP]\{[^{}]{0,40}\}|\\.|"
    r"\(\?(?:<?[=!]|:)?|\[\^?(?:\\.|[^\]\\])*\]?|[*+?]|\{\d{1,9}(?:,\d{0,9})?\}|.",
    re.DOTALL,
)
_COUNT = re.compile(r"\{(\d+)(,?)(\d*)\}")
_PLAIN, _ANY, _CATEGORY = 1, 25, 1_000
"""About how large an atom is once compiled: a letter, a `.` or negated class, and a category of
Unicode."""
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")


class Size(NamedTuple):
    """The size of a pattern, or of a part of one. Its numbers stop at a limit."""

    atoms: int = 0
    """How many places it has, with all counts multiplied out."""
    width: int = 0
    """How many places a match can be at, at the same time, if it begins at one letter only."""
    compiled: int = 0
    """The compiled size of all places together."""
    shortest: int = 0
    longest: int = 0
    """The shortest and the longest text that it matches."""
    lookarounds: int = 0
    """How deeply lookarounds are nested."""

    def then(self, other: "Size") -> "Size":
        """This part and another one after it."""
        begins = 1 + self.longest - self.shortest
        return Size(
            _sum(self.atoms, other.atoms),
            _sum(self.width, min(other.atoms, other.width * begins)),
            _sum(self.compiled, other.compiled),
            _sum(self.shortest, other.shortest),
            _sum(self.longest, other.longest),
            max(self.lookarounds, other.lookarounds),
        )

    def otherwise(self, other: "Size") -> "Size":
        """This part or another one in its place."""
        return Size(
            _sum(self.atoms, other.atoms),
            _sum(self.width, other.width),
            _sum(self.compiled, other.compiled),
            min(self.shortest, other.shortest),
            max(self.longest, other.longest),
            max(self.lookarounds, other.lookarounds),
        )

    def times(self, least: int, most: int | None) -> "Size":
        """This part repeated from so many times to so many; None for any number of times."""
        copies = max(1, least if most is None else most)
        atoms = min(self.atoms * copies, _MOST)
        is_fixed = self.shortest == self.longest
        return Size(
            atoms,
            min(self.width + 1, atoms) if is_fixed else atoms,
            min(self.compiled * copies, _MOST),
            min(self.shortest * least, _MOST),
            _MOST if most is None else min(self.longest * most, _MOST),
            self.lookarounds,
        )


_NOTHING = Size()
_LETTER = Size(1, 1, _PLAIN, 1, 1)


@dataclass(slots=True)
class _OpenBracket:
    """An open pair of brackets: what is before the last `|` in it, and what is after."""

    opened: str
    before: Size | None = None
    here: Size = _NOTHING
    last: Size | None = None
    """The part that a count after it applies to."""

    def add(self, part: Size) -> None:
        self.settle()
        self.last = part

    def settle(self) -> None:
        if self.last is not None:
            self.here = self.here.then(self.last)
            self.last = None

    def split(self) -> None:
        self.settle()
        self.before = self.here if self.before is None else self.before.otherwise(self.here)
        self.here = _NOTHING

    def closed(self) -> Size:
        self.settle()
        whole = self.here if self.before is None else self.before.otherwise(self.here)
        if self.opened not in _LOOKS:
            return whole
        return Size(whole.atoms, whole.atoms, whole.compiled, 0, 0, whole.lookarounds + 1)


def measure(pattern: str) -> Size:
    """The size of a pattern. Its width is that of a search, which may begin at any letter."""
    return _remembered(pattern) if len(pattern) <= _SHORT else _measure(pattern)


def _measure(pattern: str) -> Size:
    groups = [_OpenBracket("")]
    for match in _TOKEN.finditer(pattern):
        token, group = match[0], groups[-1]
        if token[0] == "(":
            groups.append(_OpenBracket(token))
        elif token == ")" and len(groups) > 1:
            groups.pop()
            groups[-1].add(group.closed())
        elif token == "|":
            group.split()
        elif group.last is not None and (
            token in ("*", "+", "?") or (len(token) > 2 and token[0] == "{")
        ):
            group.last = group.last.times(*_count(token))
        else:
            group.add(_atom(token))
    while len(groups) > 1:
        part = groups.pop().closed()
        groups[-1].add(part)
    is_anchored = pattern.startswith("^") and groups[0].before is None
    whole = groups[0].closed()
    if is_anchored:
        return whole
    return Size(whole.atoms, whole.atoms, whole.compiled, 0, _MOST, whole.lookarounds)


_remembered = lru_cache(maxsize=1_024)(_measure)


def _count(token: str) -> tuple[int, int | None]:
    if token[0] != "{":
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[token]
    found = _COUNT.fullmatch(token)
    assert found is not None
    least = int(found[1])
    if not found[2]:
        return least, least
    return least, int(found[3]) if found[3] else None


def _atom(token: str) -> Size:
    if token.isalnum():
        return _LETTER
    if token in ("^", "$", "\\b", "\\B"):
        return Size(1, 1, 1)
    categories = token.count("\\p{") + token.count("\\P{")
    if categories:
        return Size(1, 1, categories * _CATEGORY, 1, 1)
    wide = token in (".", "\\D", "\\W", "\\S") or token.startswith("[^")
    return Size(1, 1, _ANY if wide else _PLAIN, 1, 1)


def _sum(left: int, right: int) -> int:
    return min(left + right, _MOST)
