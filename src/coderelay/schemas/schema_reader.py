"""Reads JSON Schemas into types. Reading never fails: what is not understood is unknown."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from coderelay.core import Json, Schema
from coderelay.schemas.schema_notes import read_notes
from coderelay.schemas.schema_references import References
from coderelay.schemas.type_model import (
    NEVER,
    NULL,
    UNKNOWN,
    Array,
    Constant,
    Default,
    Definition,
    Kind,
    NamedType,
    Object,
    Primitive,
    Property,
    Shape,
    Tuple,
    both,
    choice,
)

MAX_DEPTH = 40
"""What is nested deeper is unknown: it would help nobody, and could exhaust the host's stack."""

MAX_OPTIONS = 100
"""An enumeration with more values is declared by the types of its values."""

_PRIMITIVES: dict[str, Shape] = {kind: Primitive(kind) for kind in get_args(Kind)}
_ROOT = "#"
_COMBINED = ("allOf", "anyOf", "oneOf")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_SPECIAL = frozenset((*_REFERENCES, *_COMBINED, "const", "enum", "nullable"))
_OBJECT_WORDS = ("properties", "required", "additionalProperties", "patternProperties")
_ARRAY_WORDS = ("items", "prefixItems")
_SEEN_AT_MOST = 100


@dataclass(frozen=True, slots=True)
class SchemaReading:
    """The type of a schema, and the definitions that it refers to, in the order of first use."""

    shape: Shape
    definitions: Mapping[str, Definition]


def read(schema: Schema) -> SchemaReading:
    """The type of a schema. A reference becomes a `NamedType`, so that a definition may recur."""
    return SchemaReader(schema).read()


def property_names(schema: Schema) -> tuple[str, ...]:
    """The names of an object's properties, in the schema's order."""
    references = References(schema)
    found: dict[str, None] = {}
    seen: set[int] = set()
    waiting: list[Json] = [references.root]
    while waiting:
        part = references.follow(waiting.pop())
        if isinstance(part, dict) and id(part) not in seen:
            seen.add(id(part))
            found.update(dict.fromkeys(filter(_text, _mapping(part, "properties"))))
            inner = [item for word in _COMBINED for item in _list(part, word)]
            waiting.extend(reversed(inner))
    return tuple(found)


class SchemaReader:
    """Reads one schema. `owner` is the definition that is being read, until the reader enters an
    object or an array inside it. Until then a part may not refer back to its owner, because a type
    cannot be defined as itself.
    """

    def __init__(self, root: Schema) -> None:
        self.references = References(root)
        self._root = self.references.root
        self._definitions: dict[str, Definition] = {}
        self._waiting: deque[tuple[str, Json]] = deque()
        self._referenced: set[str] = set()
        self._leads: dict[str, set[str]] = {}

    def read(self) -> SchemaReading:
        """Read the whole schema."""
        shape = self._shape(self._root, 0, _ROOT)
        while self._waiting:
            reference, target = self._waiting.popleft()
            self._definitions[reference] = Definition(
                shape if reference == _ROOT else self._shape(target, 0, reference),
                read_notes(target),
            )
        return SchemaReading(
            NamedType(_ROOT) if _ROOT in self._referenced else shape, self._definitions
        )

    def _shape(self, schema: Json, depth: int, owner: str | None) -> Shape:
        if isinstance(schema, bool):
            return UNKNOWN if schema else NEVER
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return UNKNOWN
        if _SPECIAL.isdisjoint(schema):
            return self._typed(schema, depth)
        parts = [
            self._reference(schema[word], owner)
            for word in _REFERENCES
            if isinstance(schema.get(word), str)
        ]
        if "const" in schema:
            parts.append(Constant(schema["const"]))
        elif _list(schema, "enum"):
            parts.append(_enumeration(schema["enum"]))
        else:
            parts.append(self._typed(schema, depth))
        parts.extend(self._shape(part, depth + 1, owner) for part in _list(schema, "allOf"))
        parts.extend(
            choice([self._shape(each, depth + 1, owner) for each in schema[word]])
            for word in ("anyOf", "oneOf")
            if _list(schema, word)
        )
        shape = both(parts)
        return choice([shape, NULL]) if schema.get("nullable") is True else shape

    def _reference(self, reference: str, owner: str | None) -> Shape:
        target = self.references.find(reference)
        if not isinstance(target, (dict, bool)):
            return UNKNOWN
        if target is self._root:
            reference = _ROOT
        if owner is not None:
            if self._reaches(reference, owner):
                return UNKNOWN
            self._leads.setdefault(owner, set()).add(reference)
        if reference not in self._referenced:
            self._referenced.add(reference)
            self._waiting.append((reference, target))
        return NamedType(reference)

    def _reaches(self, start: str, goal: str) -> bool:
        """Whether one definition leads to another through references alone. True if following them
        would take too long."""
        seen, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            if here == goal or len(seen) > _SEEN_AT_MOST:
                return True
            ahead = self._leads.get(here, set()) - seen
            seen |= ahead
            waiting.extend(ahead)
        return False

    def _typed(self, schema: dict[str, Any], depth: int) -> Shape:
        """The type by the keyword `type`, or by keywords that make sense for only one type."""
        named = schema.get("type")
        if isinstance(named, list):
            kinds = dict.fromkeys(kind if isinstance(kind, str) else "" for kind in named)
            return choice([self._kind(kind, schema, depth) for kind in kinds])
        if named is not None:
            return self._kind(named, schema, depth)
        if any(word in schema for word in _OBJECT_WORDS):
            return self._object(schema, depth)
        if any(word in schema for word in _ARRAY_WORDS):
            return self._array(schema, depth)
        return UNKNOWN

    def _kind(self, kind: Json, schema: dict[str, Any], depth: int) -> Shape:
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        return _PRIMITIVES.get(kind, UNKNOWN) if isinstance(kind, str) else UNKNOWN

    def _array(self, schema: dict[str, Any], depth: int) -> Shape:
        items = schema.get("items")
        first, rest = schema.get("prefixItems"), items
        if isinstance(items, list):  # up to draft 2019-09
            first, rest = items, schema.get("additionalItems")
        if isinstance(first, list) and first:
            return Tuple(
                tuple(self._shape(item, depth + 1, None) for item in first),
                self._shape(rest, depth + 1, None) if isinstance(rest, dict) else None,
            )
        return Array(self._shape(rest, depth + 1, None))

    def _object(self, schema: dict[str, Any], depth: int) -> Shape:
        required = set(filter(_text, _list(schema, "required")))
        properties = [
            self._property(name, part, required=name in required, depth=depth)
            for name, part in _mapping(schema, "properties").items()
            if isinstance(name, str)
        ]
        known = {each.name for each in properties}
        properties.extend(
            Property(name, UNKNOWN, True)
            for name in dict.fromkeys(filter(_text, _list(schema, "required")))
            if name not in known
        )
        return Object(tuple(properties), self._extra(schema, depth, bool(properties)))

    def _property(self, name: str, part: Json, *, required: bool, depth: int) -> Property:
        default = None
        if isinstance(part, dict) and "default" in part:
            default = Default(part["default"])
        shape = self._shape(part, depth + 1, None)
        return Property(name, shape, required, read_notes(part), default)

    def _extra(self, schema: dict[str, Any], depth: int, named: bool) -> Shape | None:
        """The type of the properties that are not named, or None if the schema does not say."""
        patterns = list(_mapping(schema, "patternProperties").values())
        others = schema.get("additionalProperties")
        if isinstance(others, dict) or others is True:
            patterns.append(others)
        if patterns:
            return choice([self._shape(part, depth + 1, None) for part in patterns])
        return NEVER if others is False and not named else None


def _enumeration(values: list[Json]) -> Shape:
    if len(values) <= MAX_OPTIONS:
        return choice([Constant(value) for value in values])
    return choice(_types(values))


def _types(values: Iterable[Json]) -> list[Shape]:
    """The types of the values, each once."""
    found: dict[Shape, None] = {}
    for value in values:
        found[Primitive(_KINDS[type(value)]) if type(value) in _KINDS else UNKNOWN] = None
    return list(found)


_KINDS: dict[type, Kind] = dict(
    zip((str, float, int, bool, type(None)), get_args(Kind), strict=True)
)


def _mapping(schema: dict[str, Any], word: str) -> dict[str, Any]:
    value = schema.get(word)
    return value if isinstance(value, dict) else {}


def _list(schema: dict[str, Any], word: str) -> list[Any]:
    value = schema.get(word)
    return value if isinstance(value, list) else []


def _text(value: Json) -> bool:
    return isinstance(value, str)
