"""The known names most like one that is not known."""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import pairwise

_LONGEST = 256
_RAREST, _COMPARED = 16, 24


def nearest(name: str, known: Sequence[str], count: int = 3) -> list[str]:
    """The names most like this one, most like it first."""
    by_lower = {each.lower(): each for each in reversed(known)}
    close = get_close_matches(name.lower()[:_LONGEST], by_lower, count, 0.6)
    return [by_lower[each] for each in close]


class Nearest:
    """The same for many names, asked often. Only those are compared letter by letter that share
    some of the rarest pairs of letters: all the thousands would take far too long.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = list(dict.fromkeys(known))
        self._holding: dict[str, list[int]] = {}
        for place, each in enumerate(self._known):
            for pair in _pairs(each):
                self._holding.setdefault(pair, []).append(place)

    def to(self, name: str) -> list[str]:
        """The names most like this one, most like it first."""
        if len(self._known) <= _COMPARED:
            return nearest(name, self._known)
        held = [self._holding[pair] for pair in _pairs(name) if pair in self._holding]
        shared: Counter[int] = Counter()
        for places in sorted(held, key=len)[:_RAREST]:
            shared.update(places)
        best = sorted(shared, key=lambda place: (-shared[place], place))[:_COMPARED]
        return nearest(name, [self._known[place] for place in sorted(best)])


def _pairs(name: str) -> Iterable[str]:
    lower = name.lower()[:_LONGEST]
    return dict.fromkeys(map("".join, pairwise(lower)))
