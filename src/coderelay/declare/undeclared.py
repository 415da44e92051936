"""Properties that the declaration of a tool does not have.

JSON Schema lets an object have any property that its schema does not name, unless the schema says
`additionalProperties: false`. Few schemas say so, and fewer mean it: their declarations name all
properties that the tool knows. So a property that no part of the schema names is a mistake, and
most often a misspelling, unless the schema says that others may be there.

At each place of the arguments all schemas count that may apply there, whichever options of a
choice the value fits: what one of them names is declared. An object is open, and may have any
property, where

- no schema names a property, as for `{"type": "object"}`;
- one says `additionalProperties` or `unevaluatedProperties` and does not say `false`, or gives
  rules for names (`propertyNames`);
- an option of a choice is any object.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from coderelay.core import Json, Schema
from coderelay.core.nearest_names import Nearest
from coderelay.declare.schema_references import References
from coderelay.declare.validation.assertions import matches
from coderelay.declare.validation.patterns import Pattern, Patterns
from coderelay.declare.validation.walk import Path, Walk

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_CHOICES = ("anyOf", "oneOf")
_LISTS = ("allOf", *_CHOICES)
_SINGLE = ("if", "then", "else", "not")
_KEYED = ("dependentSchemas", "dependencies")
_OTHERS = ("additionalProperties", "unevaluatedProperties")
_ITEMS = ("items", "prefixItems", "additionalItems", "unevaluatedItems", "contains")
_INNER = frozenset(
    (*_REFERENCES, *_LISTS, *_SINGLE, *_KEYED, *_OTHERS, *_ITEMS, "properties", "patternProperties")
)
_OBJECT_WORDS = frozenset(
    "properties required patternProperties propertyNames minProperties maxProperties "
    "dependencies dependentRequired dependentSchemas additionalProperties "
    "unevaluatedProperties".split()
)
_NOTES = frozenset("title description default examples deprecated $comment".split())
_PART = 4
"""The steps that it is worth to look at one part."""
_KEPT = 100_000
"""How many names all places may have together before they are forgotten and made anew."""


@dataclass(frozen=True, slots=True)
class Undeclared:
    """A property that is not declared, the object that has it, and the names declared there."""

    path: Path
    name: str
    known: Nearest


class DeclaredPlace:
    """All that the schemas at one place of the arguments say of properties and items."""

    def __init__(
        self,
        key: tuple[int, ...],
        parts: list[dict[str, Json]],
        patterns: Patterns,
        *,
        is_open: bool,
    ) -> None:
        self.key = key
        self.cost = len(parts) + 1
        self.names: dict[str, list[Json]] = {}
        """The names that are declared, each with its schemas."""
        self.patterns: list[tuple[Pattern, Json]] = []
        self.others: list[tuple[Mapping[str, Json], Json]] = []
        """Schemas for the properties that some others do not name."""
        self.items: list[Json] = []
        self.open = is_open or not any(_mapping(part, "properties") for part in parts)
        for part in parts:
            self._add(part, patterns)
        self.inner = frozenset(
            name for name, schemas in self.names.items() if any(map(_has_inner, schemas))
        )
        """The names whose values are worth looking into."""

    @cached_property
    def nearest(self) -> Nearest:
        """The declared names, ready to be asked."""
        return Nearest(self.names)

    def _add(self, part: dict[str, Json], patterns: Patterns) -> None:
        named = _mapping(part, "properties")
        for name, schema in named.items():
            self.names.setdefault(name, []).append(schema)
        for name in _mentioned(part):
            self.names.setdefault(name, [])
        self.cost += len(named)
        self.patterns += [
            (patterns.of(text), schema)
            for text, schema in _mapping(part, "patternProperties").items()
        ]
        for word in _OTHERS:
            if part.get(word, False) is not False:
                self.open = True
                self.others.append((named, part[word]))
        if "propertyNames" in part:
            self.open = True
        for word in _ITEMS:
            said = part.get(word)
            self.items += said if isinstance(said, list) else [said]


_Part: TypeAlias = tuple[Path, Json, DeclaredPlace]
"""A part of the arguments: where it is, and what is declared there."""


class Declaration:
    """What a schema declares. Places are made as walks come to them; forgetting them changes no
    answer. Safe to use from many threads."""

    def __init__(self, schema: Schema) -> None:
        self._references = References(schema)
        self._patterns = Patterns()
        self._places: dict[tuple[int, ...], DeclaredPlace] = {}
        self._kept = 0

    def undeclared(self, value: Json, walk: Walk) -> Iterator[Undeclared]:
        """The properties in a value that are not declared, each object's before its parts'."""
        met: set[tuple[int, ...]] = set()
        waiting: list[Iterator[_Part]] = [iter([((), value, self._place([self._references.root]))])]
        while waiting:
            part = next(waiting[-1], None)
            if part is None:
                waiting.pop()
                continue
            path, here, place = part
            walk.spend(_PART)
            if place.key not in met:  # counted anew in each walk, so that it costs the same in all
                met.add(place.key)
                walk.spend(place.cost)
            if isinstance(here, list):
                waiting.append(self._items(path, here, place, walk))
            elif isinstance(here, dict):
                yield from self._of_object(path, here, place, walk)
                waiting.append(self._properties(path, here, place, walk))

    def _of_object(
        self, path: Path, value: dict[str, Json], place: DeclaredPlace, walk: Walk
    ) -> Iterator[Undeclared]:
        if place.open or place.names.keys() >= value.keys():
            return
        for name in value:
            if name not in place.names and not any(
                matches(pattern, name, walk) for pattern, _ in place.patterns
            ):
                yield Undeclared(path, name, place.nearest)

    def _items(
        self, path: Path, value: list[Json], place: DeclaredPlace, walk: Walk
    ) -> Iterator[_Part]:
        """The items that are worth looking into."""
        schemas = [each for each in place.items if _has_inner(each)]
        if schemas and value:
            walk.spend(len(value) // 4)
            inner = self._place(schemas)
            for at, item in enumerate(value):
                if isinstance(item, (dict, list)):
                    yield (*path, at), item, inner

    def _properties(
        self, path: Path, value: dict[str, Json], place: DeclaredPlace, walk: Walk
    ) -> Iterator[_Part]:
        """The properties that are worth looking into."""
        walk.spend(len(value) // 8)
        if not place.inner and not place.patterns and not place.others:
            return
        for name, item in value.items():
            if not isinstance(item, (dict, list)):
                continue
            schemas = [*place.names.get(name, ())]
            schemas += [
                schema for pattern, schema in place.patterns if matches(pattern, name, walk)
            ]
            schemas += [schema for named, schema in place.others if name not in named]
            if any(map(_has_inner, schemas)):
                yield (*path, name), item, self._place(schemas)

    def _place(self, schemas: list[Json]) -> DeclaredPlace:
        key = tuple(map(id, schemas))
        found = self._places.get(key)
        if found is None:
            if self._kept > _KEPT:
                self._places, self._kept = {}, 0
            found = self._places[key] = self._made(key, schemas)
            self._kept += found.cost
        return found

    def _made(self, key: tuple[int, ...], schemas: list[Json]) -> DeclaredPlace:
        """The place of these schemas and of all that they apply to the value itself."""
        parts: dict[int, dict[str, Json]] = {}
        is_open = any(map(_is_any_object, schemas))
        waiting: list[Json] = list(schemas)
        for part in waiting:  # it grows
            if not isinstance(part, dict) or id(part) in parts:
                continue
            parts[id(part)] = part
            referring = [part[word] for word in _REFERENCES if isinstance(part.get(word), str)]
            waiting += map(self._references.find, referring)
            for word in _CHOICES:
                is_open = is_open or any(map(_is_any_object, _list(part, word)))
            waiting += [each for word in _LISTS for each in _list(part, word)]
            waiting += [part[word] for word in _SINGLE if isinstance(part.get(word), dict)]
            waiting += [each for word in _KEYED for each in _mapping(part, word).values()]
        return DeclaredPlace(key, list(parts.values()), self._patterns, is_open=is_open)


def _is_any_object(option: Json) -> bool:
    """Whether an option of a choice is any object, or any value at all."""
    if not isinstance(option, dict):
        return option is True
    if not _INNER.isdisjoint(option):
        return False
    kinds = option.get("type")
    if kinds is not None:
        return kinds == "object" or (isinstance(kinds, list) and "object" in kinds)
    return option.keys() <= _NOTES


def _mentioned(part: dict[str, Json]) -> Iterator[str]:
    """The names that a schema speaks of without saying what they are."""
    yield from filter(_is_text, _list(part, "required"))
    for word in ("dependentRequired", "dependentSchemas", "dependencies"):
        for name, others in _mapping(part, word).items():
            yield name
            yield from filter(_is_text, others if isinstance(others, list) else ())


def _has_inner(schema: Json) -> bool:
    """Whether there is anything in a schema that may name a property."""
    return isinstance(schema, dict) and not _INNER.isdisjoint(schema)


def _mapping(schema: Mapping[str, Json], word: str) -> Mapping[str, Json]:
    found = schema.get(word)
    return found if isinstance(found, dict) else {}


def _list(schema: Mapping[str, Json], word: str) -> list[Json]:
    found = schema.get(word)
    return found if isinstance(found, list) else []


def _is_text(value: Json) -> bool:
    return isinstance(value, str)
