"""The names of tools that a misspelt name may mean, in time linear in the names."""

from collections.abc import Collection
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise

_LONGEST = 100
_COMPARED = 50
"""Names that are compared letter by letter, which takes far longer than anything else here."""
_MOST = 3
_LIKENESS = 0.6


def near_names(name: str, known: Collection[str]) -> list[str]:
    """Up to three known names, most like the given one first."""
    name = name[:_LONGEST]
    if len(known) > _COMPARED:
        pairs = set(pairwise(name))
        known = nlargest(_COMPARED, known, key=lambda each: _shared(pairs, each[:_LONGEST]))
    return get_close_matches(name, known, _MOST, _LIKENESS)


def _shared(pairs: set[tuple[str, str]], name: str) -> float:
    """The share of the pairs of letters that two names have in common."""
    own = set(pairwise(name))
    return len(pairs & own) / (len(pairs) + len(own) + 1)
