"""A schema is weighed before it is used: some of a few hundred bytes take years to check.

Checking goes through every branch of a schema again wherever the schema leads to it. Along
references that do not recur the ways multiply (`a` is twice `b`, `b` is twice `c`, …), and where
a value does not fit, along those that do recur they multiply with every level of the value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from coderelay.core import Json, Schema
from coderelay.declare.references import References

MAX_WEIGHT = 10_000
"""How often a check may come to one part of a value."""


class _Held(Enum):
    """What a word of a schema holds: one schema, or several that all or each alone may apply."""

    ONE = auto()
    ALL = auto()
    EACH = auto()


_HELD = {
    **dict.fromkeys(("not", "if", "then", "else", "propertyNames", "contains"), _Held.ONE),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties"), _Held.ONE),
    **dict.fromkeys(("items", "additionalItems", "unevaluatedItems"), _Held.ONE),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "patternProperties"), _Held.ALL),
    **dict.fromkeys(("dependentSchemas", "dependencies"), _Held.ALL),
    **dict.fromkeys(("properties", "prefixItems"), _Held.EACH),
}
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class StrayReferenceError(ValueError):
    """A reference leads to nothing in its schema."""


@dataclass(frozen=True, slots=True)
class Weight:
    """At most how often a check comes to one part of a value, and how many of the ways there
    lead on through a reference that recurs.
    """

    once: int = 1
    again: int = 0

    def at(self, depth: int) -> int:
        """The weight for a value that does not fit and is nested this deep."""
        total = self.once
        for _ in range(depth if self.again > 1 else 0):
            total *= self.again
            if total > MAX_WEIGHT:
                break
        return total


_RECURRING = Weight(1, 1)


def weigh(schema: Schema) -> Weight:
    """The weight of a schema. Raises `StrayReferenceError` for a reference to nowhere."""
    references = References(schema)
    weights: dict[str, Weight] = {}
    met: set[str] = set()
    path = [("", references.root, _ahead(references.root))]
    while path:  # not recursive: a chain of references may be long
        reference, part, ahead = path[-1]
        following = next((each for each in ahead if each not in met), None)
        if following is None:
            weights[reference] = _weight(part, weights)
            path.pop()
            continue
        met.add(following)
        target = references.find(following)
        if not isinstance(target, (dict, bool)):
            raise StrayReferenceError(following)
        path.append((following, target, _ahead(target)))
    return weights[""]


def _weight(schema: Json, weights: dict[str, Weight]) -> Weight:
    once, again = 1, 0
    if isinstance(schema, dict):
        for reference in _own_references(schema):
            target = weights.get(reference, _RECURRING)
            once, again = once + target.once, again + target.again
        for group in _groups(schema):
            found = [_weight(each, weights) for each in group]
            once += max((each.once for each in found), default=0)
            again += max((each.again for each in found), default=0)
    return Weight(min(once, MAX_WEIGHT + 1), min(again, MAX_WEIGHT + 1))


def _ahead(schema: Json) -> Iterator[str]:
    """The references in a schema."""
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            yield from _own_references(here)
            waiting.extend(each for group in _groups(here) for each in group)


def _own_references(schema: dict[str, Any]) -> Iterator[str]:
    return (schema[word] for word in _REFERENCES if isinstance(schema.get(word), str))


def _groups(schema: dict[str, Any]) -> Iterator[list[Json]]:
    """The schemas in a schema; of those in one group, each part of a value meets one."""
    for word, part in schema.items():
        held = _HELD.get(word)
        if held is None:
            continue
        if isinstance(part, dict) and held is not _Held.ONE:
            several = list(part.values())
        elif isinstance(part, list):
            several = part
        else:
            several = [part]
        if held is _Held.ALL:
            yield from ([each] for each in several)
        else:
            yield several
