"""Measures what makes a value costly to check."""

from dataclasses import dataclass

from coderelay.core import Json
from coderelay.core.json_values import MAX_DEPTH

_WORD = 64
_LONG = 1 << _WORD


@dataclass(slots=True)
class Measure:
    """How much there is in a value, including the names of properties."""

    depth: int = 0
    """How deeply it is nested; at most one more than `MAX_DEPTH`."""
    scalars: int = 0
    arrays: int = 0
    objects: int = 0
    strings: int = 0
    chars: int = 0
    longest: int = 0
    """The length of the longest string."""
    long_integers: int = 0
    """What integers of more than 64 bits cost: the sum of the squares of their lengths in words."""
    has_half_pair: bool = False
    """Whether a string has half of a surrogate pair."""

    @property
    def nodes(self) -> int:
        """How many values there are, including nested ones."""
        return self.scalars + self.arrays + self.objects


def measure(value: Json) -> Measure:
    """Measure a value level by level, as deep as values may be nested."""
    found = Measure()
    level = [value]
    while level and found.depth <= MAX_DEPTH:
        found.depth += 1
        found.scalars += len(level)
        inner: list[Json] = []
        texts: list[str] = []
        for item in level:
            kind = type(item)
            if kind is str:
                texts.append(item)
            elif kind is dict:
                found.objects += 1
                inner.extend(item.values())
                texts.extend(item)
            elif kind is list:
                found.arrays += 1
                inner.extend(item)
            elif kind is int and not -_LONG < item < _LONG:
                found.long_integers += (item.bit_length() // _WORD) ** 2
        _add(found, texts)
        level = inner
    found.scalars -= found.arrays + found.objects
    return found


def _add(found: Measure, texts: list[str]) -> None:
    found.strings += len(texts)
    found.chars += sum(map(len, texts))
    found.longest = max(found.longest, max(map(len, texts), default=0))
    joined = " ".join(texts)  # with a space, or else two halves could become a pair
    if not joined.isascii():
        try:
            joined.encode()
        except UnicodeEncodeError:
            found.has_half_pair = True
