"""Searches tools by words. A rare word counts more than a common one, and a word in a tool's name
more than one in its description.

The ranking is BM25 over names, descriptions and parameters. It depends only on the tools and the
query, so it is the same in every process; ties are in tool order. docs/design/search.md says why
no library is used.
"""

import heapq
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from coderelay.core import Json, Schema, Tool, Work
from coderelay.declare.search_terms import Terms

MAX_QUERY = 200
"""How many characters of a query are used."""

_WORDS, _VISITED, _CACHED = 16, 8_000, 32_000
_TEXT, _PARTS = 2_000, 200
_NAME, _DESCRIPTION, _PARAMETER_DESCRIPTION = 5, 2, 1
"""The weights of a word in a tool's name, in its description, and in that of a parameter."""
_SATURATION, _LENGTH = 1.2, 0.5
_SHORTEST, _EXPANDED = 3, 64
_LONGER, _SHORTER = 0.7, 0.5
_EXACT_NAME = 1_000.0
_SEARCH_FUEL, _VISIT_FUEL = 200_000, 6_000
"""Fuel for a search and for each tool that it looks at: as much as a program uses in that time."""
_COMMON = frozenset(
    "a an and any are as at be by can do for from how i in is it me my of on or some that the this "
    "to tool tools use with".split()
)
_INNER = frozenset(("items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems"))
_KEYED = frozenset(("properties", "$defs", "definitions"))


class Search:
    """An index of tools. Making it takes about 40 µs for each tool. A search takes about a
    millisecond with thousands of tools."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = tuple(tools)
        self._name_terms, self._text_terms = Terms(), Terms(_COMMON)
        self._names: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        self._found: dict[str, tuple[list[int], list[int]]] = {}
        lengths = [self._add(place, tool) for place, tool in enumerate(self._tools)]
        average = max(1, sum(lengths)) / max(1, len(lengths))
        self._norms = [
            _SATURATION * (1 - _LENGTH + _LENGTH * length / average) for length in lengths
        ]
        self._vocabulary = sorted(self._found)
        self._known_scores: dict[tuple[str, int], dict[int, float]] = {}
        self._cached = 0
        """How many scores are cached, plus one for each word that they are cached for."""

    def search(self, query: str, limit: int = 10, work: Work | None = None) -> list[Tool]:
        """The tools that fit the query best, best first; none if no tool has a word of it.

        The cost is added to `work`. It follows from how many tools the query leads to, whether or
        not their scores were cached by an earlier search.
        """
        terms = self._terms_of(query)
        first, *others = dict.fromkeys(terms) or ("",)
        room = _VISITED // max(1, len(terms))
        scores = self._scored(first, room).copy()
        visited = len(scores)
        for term in others:
            scored = self._scored(term, room)
            visited += len(scored)
            for place, score in scored.items():
                scores[place] = scores.get(place, 0.0) + score
        named = self._names.get(tuple(terms), [])[:_VISITED] if terms else []
        if work is not None:
            work.add(_SEARCH_FUEL + _VISIT_FUEL * (visited + len(named) + limit))
        for place in named:
            scores[place] = scores.get(place, 0.0) + _EXACT_NAME
        ranked = heapq.nsmallest(limit, scores, key=lambda place: (-scores[place], place))
        return [self._tools[place] for place in ranked]

    def _terms_of(self, query: str) -> list[str]:
        terms = Terms().of(query[:MAX_QUERY])[:_WORDS]
        if tuple(terms) in self._names:
            return terms
        return [term for term in terms if term not in _COMMON] or terms

    def _add(self, place: int, tool: Tool) -> int:
        """Add a tool to the index. Returns how many words it has."""
        name = self._name_terms.of(tool.name)
        self._names[tuple(name)].append(place)
        parameters, descriptions = _parameters(tool.parameters)
        description = self._text_terms.of(f"{tool.description[:_TEXT]} {parameters}")
        parameter_descriptions = self._text_terms.of(descriptions)
        weights = {"".join(name): _NAME}
        for weight, terms in (
            (_NAME, name),
            (_DESCRIPTION, description),
            (_PARAMETER_DESCRIPTION, parameter_descriptions),
        ):
            for term in terms:
                weights[term] = weights.get(term, 0) + weight
        found = self._found
        for term, weight in weights.items():
            if term not in found:
                found[term] = ([], [])
            places, heavy = found[term]
            places.append(place)
            heavy.append(weight)
        return len(name) + len(description) + len(parameter_descriptions)

    def _scored(self, word: str, room: int) -> dict[int, float]:
        """`_matches`, cached: programs that search often use the same words again."""
        known = self._known_scores.get((word, room))
        if known is None:
            known = self._matches(word, room)
            self._cached += len(known) + 1
            if self._cached > _CACHED:
                self._known_scores.clear()
                self._cached = len(known) + 1
            self._known_scores[word, room] = known
        return known

    def _matches(self, word: str, room: int) -> dict[int, float]:
        """The score of each tool for one word of a query, by the term that fits the word best. A
        term that more tools have than `room` allows is skipped: it says too little."""
        norms, best = self._norms, dict[int, float]()
        for term, share in self._known(word):
            places, weights = self._found[term]
            if len(places) > room:
                continue
            room -= len(places)
            rarity = share * _rarity(len(places), len(self._tools))
            scores = {
                place: rarity * weight / (weight + norms[place])
                for place, weight in zip(places, weights, strict=True)
            }
            if best:
                scores |= {at: best[at] for at in best if best[at] > scores.get(at, 0.0)}
            best = scores
        return best

    def _known(self, word: str) -> Iterator[tuple[str, float]]:
        """The terms that a word may mean, each with a factor for its score: the word itself, terms
        that begin with it, and terms that it begins with."""
        if word in self._found:
            yield word, 1.0
        if len(word) < _SHORTEST:
            return
        at = bisect_left(self._vocabulary, word)
        for term in self._vocabulary[at : at + _EXPANDED]:
            if not term.startswith(word):
                break
            if term != word:
                yield term, _LONGER * len(word) / len(term)
        for length in range(_SHORTEST + 1, len(word)):
            if word[:length] in self._found:
                yield word[:length], _SHORTER * length / len(word)


def _rarity(holding: int, all_of_them: int) -> float:
    # Rounded, because C libraries differ in a logarithm's last digit; all else is exact by IEEE.
    return round(math.log(1 + (all_of_them - holding + 0.5) / (holding + 0.5)), 6)


def _parameters(schema: Schema) -> tuple[str, str]:
    """The names of the parameters in a schema, and their descriptions."""
    names: list[str] = []
    descriptions: list[str] = []
    waiting: list[Json] = [dict(schema) if isinstance(schema, Mapping) else schema]
    for part in waiting:  # it grows
        if not isinstance(part, dict):
            continue
        for word, inner in part.items():
            if word == "description":
                if isinstance(inner, str):
                    descriptions.append(inner[:_TEXT])
            elif word in _KEYED:
                if isinstance(inner, dict):
                    names += map(str, inner)
                    waiting += inner.values()
            elif word in _INNER:
                waiting += inner if isinstance(inner, list) else [inner]
        del waiting[_PARTS:]
    return " ".join(names[:_PARTS]), " ".join(descriptions)
