"""The known names most like one that is not known, found in a bounded number of comparisons."""

import heapq
from collections import Counter
from collections.abc import Iterable
from itertools import islice, pairwise

_KNOWN, _LONGEST = 10_000, 64
"""How many names are known, and how many letters of each are compared."""
_COMPARED, _VISITED = 24, 2_000
"""With how many names one is compared, and how many are looked at to find these."""
_BUCKETS = 4_096
"""Among how many lists the pairs of letters are divided. It bounds the memory that an index takes,
whatever the names are written in."""
_ALIKE = 0.6


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The names most like this one, most like it first."""
    return Nearest(known).to(name, count)


class Nearest:
    """The same for names that are asked for often.

    Only those are compared letter by letter that share some of the rarest pairs of letters: all
    the thousands would take far too long.
    """

    def __init__(self, known: Iterable[str]) -> None:
        by_lower: dict[str, str] = {}
        for each in islice(known, _KNOWN):
            by_lower.setdefault(_folded(each), each)
        self._known = list(by_lower.items())
        self._holding: dict[int, list[int]] = {}
        if len(self._known) > _COMPARED:
            for place, (lower, _) in enumerate(self._known):
                for bucket in _buckets(lower):
                    self._holding.setdefault(bucket, []).append(place)

    def to(self, name: str, count: int = 3) -> list[str]:
        """The names most like this one, most like it first; among equals in their own order."""
        wanted = _folded(name)
        found = []
        for place in self._candidates(wanted):
            lower, known = self._known[place]
            likeness = _likeness(wanted, lower)
            if likeness >= _ALIKE:
                found.append((-likeness, place, known))
        return [known for _, _, known in heapq.nsmallest(count, found)]

    def _candidates(self, wanted: str) -> Iterable[int]:
        if len(self._known) <= _COMPARED:
            return range(len(self._known))
        held = [self._holding.get(bucket, []) for bucket in _buckets(wanted)]
        shared: Counter[int] = Counter()
        room = _VISITED
        for places in sorted(held, key=len):
            shared.update(places[:room])
            room -= len(places)
            if room <= 0:
                break
        return heapq.nsmallest(_COMPARED, shared, key=lambda place: (-shared[place], place))


def _folded(name: str) -> str:
    return name[:_LONGEST].lower()[:_LONGEST]


def _buckets(lower: str) -> Iterable[int]:
    """The lists that the pairs of letters in a name belong to, each once."""
    return dict.fromkeys((ord(a) * 31 + ord(b)) % _BUCKETS for a, b in pairwise(lower))


def _likeness(left: str, right: str) -> float:
    """From 0 to 1: how much of both is their longest common subsequence.

    It is found by Hyyrö's method: a row of the usual table is one integer, so that the cost is that
    of one pass over the right name.
    """
    places: dict[str, int] = {}
    for at, letter in enumerate(left):
        places[letter] = places.get(letter, 0) | 1 << at
    every = (1 << len(left)) - 1
    row = every
    for letter in right:
        matched = row & places.get(letter, 0)
        row = (row + matched | row - matched) & every
    common = len(left) - row.bit_count()
    return 2 * common / max(1, len(left) + len(right))
