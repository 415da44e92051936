"""Finds the known names that are most similar to an unknown one, for "did you mean" messages.

The number of comparisons is bounded, because names may come from clients and models.
"""

import heapq
from collections import Counter
from collections.abc import Iterable
from itertools import islice, pairwise

KNOWN, LONGEST = 10_000, 64
"""How many names are indexed, and how many letters of each are compared."""
_COMPARED, _VISITED = 24, 2_000
"""How many names are compared letter by letter, and how many are visited to find these."""
_BUCKETS = 4_096
"""How many lists the pairs of letters are hashed into. This bounds the memory of an index, whatever
alphabet the names are written in."""
_MIN_LIKENESS = 0.6


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` known names that are similar to this one, the most similar first."""
    return Nearest(known).to(name, count)


class Nearest:
    """An index of known names, for looking up many names.

    Comparing with thousands of names letter by letter would take too long. So only the names that
    share the rarest pairs of letters with the unknown one are compared.
    """

    def __init__(self, known: Iterable[str]) -> None:
        by_lower: dict[str, str] = {}
        for each in islice(known, KNOWN):
            by_lower.setdefault(_folded(each), each)
        self._known = list(by_lower.items())
        self._holding: dict[int, list[int]] = {}
        if len(self._known) > _COMPARED:
            for place, (lower, _) in enumerate(self._known):
                for bucket in _buckets(lower):
                    self._holding.setdefault(bucket, []).append(place)

    def to(self, name: str, count: int = 3) -> list[str]:
        """Return up to `count` known names that are similar to this one, the most similar first.
        Names that are equally similar keep the order in which they were given."""
        folded = _folded(name)
        found = []
        for place in self._candidates(folded):
            lower, known = self._known[place]
            likeness = _likeness(folded, lower)
            if likeness >= _MIN_LIKENESS:
                found.append((-likeness, place, known))
        return [known for _, _, known in heapq.nsmallest(count, found)]

    def _candidates(self, folded: str) -> Iterable[int]:
        if len(self._known) <= _COMPARED:
            return range(len(self._known))
        buckets = [self._holding.get(bucket, []) for bucket in _buckets(folded)]
        shared: Counter[int] = Counter()
        room = _VISITED
        for places in sorted(buckets, key=len):
            shared.update(places[:room])
            room -= len(places)
            if room <= 0:
                break
        return heapq.nsmallest(_COMPARED, shared, key=lambda place: (-shared[place], place))


def _folded(name: str) -> str:
    return name[:LONGEST].lower()[:LONGEST]


def _buckets(lower: str) -> Iterable[int]:
    """Return the bucket of each pair of neighbouring letters in a name, without duplicates."""
    return dict.fromkeys((ord(a) * 31 + ord(b)) % _BUCKETS for a, b in pairwise(lower))


def _likeness(left: str, right: str) -> float:
    """Return how similar two names are, from 0 to 1: the share of their letters that are in their
    longest common subsequence.

    This is Hyyrö's bit-parallel algorithm: a row of the usual table is one integer, so the cost is
    that of one pass over the right name.
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
