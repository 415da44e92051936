"""Finds the properties and items that a declared type has, in counted steps.

As TypeScript judges an object literal, a union has the properties of all its options, and any
property if one option has any. An intersection has the properties of all its parts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from coderelay.core import Json, Schema
from coderelay.schemas.schema_reader import SchemaReader
from coderelay.schemas.type_model import (
    UNKNOWN,
    Array,
    Both,
    Constant,
    NamedType,
    Object,
    Property,
    Shape,
    Tuple,
    UnionType,
    Unknown,
)
from coderelay.schemas.unshown_names import has_unshown_words


class WholeReading(SchemaReader):
    """The types of a schema, as they are declared. A part with keywords that types do not express
    becomes a named type, so that these keywords are found wherever the type is used."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self.unshown: dict[str, Mapping[str, Json]] = {}
        """The parts with such keywords, by the names of their types."""
        self._shapes: dict[str, Shape] = {}
        self._named: dict[str, NamedType] = {}
        self._names: dict[int, tuple[Mapping[str, Shape], bool]] = {}
        self.root: Shape = self.read().shape

    def target(self, reference: str) -> Shape:
        """The type with this name."""
        found = self._shapes.get(reference)
        return self._definitions[reference].shape if found is None else found

    def names(self, shape: Object) -> tuple[Mapping[str, Shape], bool]:
        """The types of an object's properties, by their names; and whether the schema says more
        about them than that they are required."""
        found = self._names.get(id(shape))
        if found is None:
            names = {each.name: each.shape for each in shape.properties}
            described = any(each != Property(each.name, UNKNOWN, True) for each in shape.properties)
            found = self._names[id(shape)] = names, described
        return found

    def _shape(self, schema: Json, depth: int, owner: str | None) -> Shape:
        shape = super()._shape(schema, depth, owner)
        if not isinstance(schema, dict) or not has_unshown_words(schema):
            return shape
        reference = f"unshown {len(self.unshown)}"
        self.unshown[reference] = schema
        # As in a declaration, an object about which the schema says nothing does not change the
        # types beside it. A definition does: it is declared as a type that may have any property.
        plain = depth > 0 and shape == Object()
        self._shapes[reference] = UNKNOWN if plain else shape
        return NamedType(reference)

    def _reference(self, reference: str, owner: str | None) -> Shape:
        shape = super()._reference(reference, owner)
        if isinstance(shape, NamedType):  # one object for each name, by which types are compared
            return self._named.setdefault(shape.reference, shape)
        return shape


Spend: TypeAlias = Callable[[int], None]
"""Counts steps, and raises when there have been too many."""
_Joining: TypeAlias = type[UnionType] | type[Both]

_DEEPEST = 60
"""How many types may lead to each other directly before what follows counts as unknown."""


@dataclass(frozen=True, slots=True)
class Members:
    """The properties and items of a type."""

    names: Mapping[str, Shape]
    """The types of the named properties."""
    others: Shape | None = None
    """The type of all other properties; None if the type has no others."""
    items: Shape | None = None
    anything: bool = False
    """Whether the type is `unknown`, or only says which properties are required."""
    unshown: tuple[Mapping[str, Json], ...] = ()
    """Schemas of this type with keywords that the type does not express."""


_NONE = Members({})


class TypeMembers:
    """Finds the members of the types of one schema, each once."""

    def __init__(self, reading: WholeReading, spend: Spend) -> None:
        self._reading = reading
        self._spend = spend
        self._known: dict[int, Members] = {}
        self._joined: dict[tuple[_Joining, frozenset[int]], Shape] = {}

    def of(self, shape: Shape, depth: int = 0) -> Members:
        """The members of a type, which must come from the same schema or be made here."""
        found = self._known.get(id(shape))
        if found is None:
            self._spend(1)
            if depth > _DEEPEST:
                return Members({}, anything=True)
            found = self._known[id(shape)] = self._find(shape, depth)
        return found

    def _find(self, shape: Shape, depth: int) -> Members:
        match shape:
            case Unknown():
                return Members({}, anything=True)
            case Object():
                return self._of_object(shape)
            case Constant(dict() as value):
                self._spend(len(value))
                return Members(dict.fromkeys(value, UNKNOWN))
            case Constant(list()):
                return Members({}, items=UNKNOWN)
            case Array(item):
                return Members({}, items=item)
            case Tuple(items, rest):
                return Members({}, items=self._join(UnionType, [*items, *([rest] if rest else [])]))
            case NamedType(reference):
                return self._of_named(reference, depth)
            case UnionType(options):
                return self._of_several(UnionType, options, depth)
            case Both(parts):
                return self._of_several(Both, parts, depth)
            case _:
                return _NONE

    def _of_object(self, shape: Object) -> Members:
        names, described = self._reading.names(shape)
        if not names and shape.extra is None:
            return Members(names, UNKNOWN)
        return Members(names, shape.extra, anything=not described and shape.extra is None)

    def _of_named(self, reference: str, depth: int) -> Members:
        found = self.of(self._reading.target(reference), depth + 1)
        schema = self._reading.unshown.get(reference)
        if schema is None:
            return found
        self._spend(len(found.unshown))
        return Members(
            found.names, found.others, found.items, found.anything, (*found.unshown, schema)
        )

    def _of_several(self, kind: _Joining, shapes: Sequence[Shape], depth: int) -> Members:
        self._spend(len(shapes))
        each = (self.of(shape, depth + 1) for shape in shapes)
        parts = list({id(part): part for part in each if part is not _NONE}.values())
        if len(parts) < 2:
            return parts[0] if parts else _NONE
        self._spend(sum(len(part.unshown) for part in parts))
        unshown = {id(schema): schema for part in parts for schema in part.unshown}
        decide = any if kind is UnionType else all
        return Members(
            self._names(kind, parts),
            self._optional(kind, [part.others for part in parts]),
            self._optional(kind, [part.items for part in parts]),
            decide(part.anything for part in parts),
            tuple(unshown.values()),
        )

    def _names(self, kind: _Joining, parts: Sequence[Members]) -> dict[str, Shape]:
        """The named properties of several types together. A type that allows any property has the
        named ones of the others, too."""
        self._spend(2 * sum(len(part.names) for part in parts))
        found: dict[str, list[Shape]] = {}
        for part in parts:
            for name, shape in part.names.items():
                found.setdefault(name, []).append(shape)
        for part in parts:
            if part.others is not None:
                self._spend(len(found))
                for name in found.keys() - part.names.keys():
                    found[name].append(part.others)
        return {name: self._join(kind, shapes) for name, shapes in found.items()}

    def _optional(self, kind: _Joining, shapes: Iterable[Shape | None]) -> Shape | None:
        found = [shape for shape in shapes if shape is not None]
        return self._join(kind, found) if found else None

    def _join(self, kind: _Joining, shapes: Sequence[Shape]) -> Shape:
        """One type of several. Equal arguments give the same type again, so that a schema that
        contains itself leads to a limited number of types."""
        if len(shapes) == 1:
            return shapes[0]
        self._spend(len(shapes))
        several = {id(shape): shape for shape in shapes if not isinstance(shape, Unknown)}
        if not several or (kind is UnionType and any(isinstance(x, Unknown) for x in shapes)):
            return UNKNOWN
        if len(several) == 1:
            return next(iter(several.values()))
        key = (kind, frozenset(several))
        found = self._joined.get(key)
        if found is None:
            self._spend(_JOIN)
            found = self._joined[key] = kind(tuple(several.values()))
        return found


_JOIN = 4
"""How many steps it costs to make a type and to keep it."""
