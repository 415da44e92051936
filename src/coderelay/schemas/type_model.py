"""The types that JSON Schemas are read into: the few ideas that all type systems share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from coderelay.core import Json

Kind: TypeAlias = Literal["string", "number", "integer", "boolean", "null"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any value: the schema says nothing that a type could express."""


@dataclass(frozen=True, slots=True)
class Never:
    """No value."""


@dataclass(frozen=True, slots=True)
class Primitive:
    """A value of one of JSON's scalar types."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Constant:
    """Exactly one value."""

    value: Json


@dataclass(frozen=True, slots=True)
class Array:
    """A list whose items have one type."""

    item: "Shape"


@dataclass(frozen=True, slots=True)
class Tuple:
    """A list whose first items have a type each. `rest` is the type of all others, or None."""

    items: "tuple[Shape, ...]"
    rest: "Shape | None" = None


@dataclass(frozen=True, slots=True)
class Notes:
    """What a schema says about a value besides its type. Tags are pairs of name and text."""

    description: str = ""
    tags: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Default:
    """The value of a property that is left out. It may be None, so it has a class of its own."""

    value: Json


@dataclass(frozen=True, slots=True)
class Property:
    """One property of an object."""

    name: str
    shape: "Shape"
    required: bool
    notes: Notes = Notes()
    default: Default | None = None


@dataclass(frozen=True, slots=True)
class Object:
    """An object. `extra` is the type of the properties that are not named, or None if the
    schema does not say."""

    properties: tuple[Property, ...] = ()
    extra: "Shape | None" = None


@dataclass(frozen=True, slots=True)
class UnionType:
    """A union of at least two types."""

    options: "tuple[Shape, ...]"


@dataclass(frozen=True, slots=True)
class Both:
    """An intersection of at least two types."""

    parts: "tuple[Shape, ...]"


@dataclass(frozen=True, slots=True)
class NamedType:
    """A reference to a type that has a definition of its own."""

    reference: str


Shape: TypeAlias = (
    Unknown | Never | Primitive | Constant | Array | Tuple | Object | UnionType | Both | NamedType
)

UNKNOWN = Unknown()
NEVER = Never()
NULL = Primitive("null")

_FOLLOWED = 40


@dataclass(frozen=True, slots=True)
class Definition:
    """A type that others refer to."""

    shape: Shape
    notes: Notes


def choice(options: Iterable[Shape]) -> Shape:
    """The union of these types."""
    flat: dict[int, Shape] = {}  # by identity: shapes that were read once are met again
    for option in options:
        if isinstance(option, Unknown):
            return UNKNOWN
        if isinstance(option, UnionType):
            flat.update((id(each), each) for each in option.options)
        elif not isinstance(option, Never):
            flat[id(option)] = option
    found = tuple(flat.values())
    if len(found) > 1:
        return UnionType(found)
    return found[0] if found else NEVER


def both(parts: Iterable[Shape]) -> Shape:
    """The intersection of these types, with all objects merged into one."""
    objects: list[Object] = []
    others: dict[int, Shape] = {}
    for part in _flat(parts):
        if isinstance(part, Never):
            return NEVER
        if isinstance(part, Object):
            objects.append(part)
        elif not isinstance(part, Unknown):
            others[id(part)] = part
    found = list(others.values())
    if any(map(_constant, found)):
        found = [part for part in found if not isinstance(part, Primitive)]
    merged = merge(objects)
    if merged is not None and (merged != Object() or not found):
        found.insert(0, merged)
    if len(found) > 1:
        return Both(tuple(found))
    return found[0] if found else UNKNOWN


def merge(objects: Iterable[Object]) -> Object | None:
    """The intersection of objects as one object, or None if there are no objects."""
    several = list({id(each): each for each in objects}.values())
    if len(several) < 2:
        return several[0] if several else None
    found: dict[str, list[Property]] = {}
    for each in several:
        for one in each.properties:
            found.setdefault(one.name, []).append(one)
    extras = [each.extra for each in several if each.extra is not None]
    return Object(tuple(map(_agreed, found.values())), both(extras) if extras else None)


class Objects:
    """Merges types into one object, for languages that cannot express more.

    Each definition is merged only once, however many references lead to it.
    """

    def __init__(self, definitions: Mapping[str, Definition]) -> None:
        self._definitions = definitions
        self._known: dict[str, Object | None] = {}

    def of(self, shape: Shape, depth: int = 0) -> Object | None:
        """The object, or None if the type is not an object.

        For a union of objects, it has the properties of all options. A property is required if
        all options require it.
        """
        match shape:
            case Object():
                return shape
            case NamedType(reference):
                if reference not in self._known and depth <= _FOLLOWED:
                    self._known[reference] = None  # while it is looked into
                    inner = self.of(self._definitions[reference].shape, depth + 1)
                    self._known[reference] = inner
                return self._known.get(reference)
            case Both(parts):
                return merge(each for each in self._all(parts, depth) if each is not None)
            case UnionType(options):
                found = [each for each in self._all(options, depth) if each is not None]
                return _either(found) if len(found) == len(options) else None
            case _:
                return None

    def _all(self, shapes: Sequence[Shape], depth: int) -> list[Object | None]:
        return [self.of(shape, depth + 1) for shape in shapes]


def _either(objects: Sequence[Object]) -> Object:
    found: dict[str, list[Property]] = {}
    for each in objects:
        for one in each.properties:
            found.setdefault(one.name, []).append(one)
    return Object(
        tuple(
            replace(
                same[0],
                shape=choice(one.shape for one in same),
                required=len(same) == len(objects) and all(one.required for one in same),
            )
            for same in found.values()
        )
    )


def _agreed(same: Sequence[Property]) -> Property:
    """The intersection of properties that have the same name."""
    if len(same) == 1:
        return same[0]
    return Property(
        same[0].name,
        both([each.shape for each in same]),
        any(each.required for each in same),
        next((each.notes for each in same if each.notes != Notes()), Notes()),
        next((each.default for each in same if each.default is not None), None),
    )


def _flat(parts: Iterable[Shape]) -> Iterator[Shape]:
    for part in parts:
        if isinstance(part, Both):
            yield from part.parts
        else:
            yield part


def _constant(shape: Shape) -> bool:
    if isinstance(shape, UnionType):
        return all(isinstance(option, Constant) for option in shape.options)
    return isinstance(shape, Constant)
