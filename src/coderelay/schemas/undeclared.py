"""Finds properties in arguments that the declaration of the tool does not have.

In JSON Schema, an object may have any property besides those that its schema names, unless the
schema says `additionalProperties: false`. Few schemas say so, although most name all properties
that their tool knows. So there is a rule beyond the schema:

- A property is refused if the type that the model was shown for its object does not have it. The
  types are those that the declaration is printed from, and they are judged as TypeScript judges an
  object literal.
- An object may have any property if its type is `unknown`, names no properties or only required
  ones of type `unknown`, or allows others (`additionalProperties`, `patternProperties`). The same
  holds if its type is a union with such an option.
- Properties are also allowed if the schema names them in keywords that types do not express (`if`,
  `then`, `else`, `not`, and those for dependent properties). If it has `propertyNames` or
  `unevaluatedProperties`, any property is allowed.

A tool whose parameters have `properties` that are empty, and nothing that adds to them, takes no
arguments. Elsewhere such an object may have any property.

As in TypeScript, a property of one option of a union is allowed in the other options. A property of
one item of a tuple is allowed in the other items.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from coderelay.core import Json, Schema
from coderelay.core.nearest_names import KNOWN, LONGEST, Nearest
from coderelay.schemas.type_members import Members, TypeMembers, WholeReading
from coderelay.schemas.type_model import Shape
from coderelay.schemas.unshown_names import Mentioned, UnshownNames
from coderelay.schemas.validation import Walk
from coderelay.schemas.validation.walk import Path

_Link: TypeAlias = "tuple[_Link, str | int] | None"
"""The place of a part: the place of the value that contains it, and the step from there. Whole
paths would take far more memory, because parts of one value share most of theirs."""

_LETTERS = 2
"""How many letters of names are indexed in the time of one step."""


@dataclass(frozen=True, slots=True)
class Undeclared:
    """A property that is not declared, the path of its object, and the names declared there."""

    path: Path
    name: str
    known: Nearest


@dataclass
class _Place:
    """What is declared for one type of value."""

    members: Members
    mentioned: Mentioned = field(default_factory=Mentioned)

    @property
    def is_closed(self) -> bool:
        """Whether only named properties are allowed."""
        members = self.members
        if members.anything or members.others is not None or self.mentioned.opens:
            return False
        return bool(members.names)

    def nearest(self, walk: Walk) -> Nearest:
        """An index of the declared names."""
        names = [*self.members.names, *self.mentioned.names]
        walk.count(sum(min(len(name), LONGEST) for name in names[:KNOWN]) // _LETTERS)
        return Nearest(names)


_ADDING = frozenset(
    "$ref $dynamicRef $recursiveRef allOf anyOf oneOf if then else not dependentSchemas "
    "dependencies dependentRequired patternProperties propertyNames".split()
)
_OTHERS = ("additionalProperties", "unevaluatedProperties")


def takes_nothing(schema: Schema) -> bool:
    """Whether the schema of a tool's parameters says that there are none: it has `properties`, and
    they are empty, and nothing beside them could add any."""
    if not isinstance(schema, dict) or schema.get("properties") != {} or schema.get("required"):
        return False
    return _ADDING.isdisjoint(schema) and not any(
        schema.get(word, False) is not False for word in _OTHERS
    )


class Declaration:
    """What a schema declares. Many threads may use it at the same time."""

    def __init__(self, schema: Schema) -> None:
        self._reading = WholeReading(schema)

    def undeclared(self, value: Json, walk: Walk) -> Iterator[Undeclared]:
        """The properties in a value that are not declared; those of outer objects come first."""
        return _UndeclaredSearch(self._reading, walk).undeclared(value)


class _UndeclaredSearch:
    """One search. It keeps nothing for the next search, so that its cost does not depend on earlier
    ones."""

    def __init__(self, reading: WholeReading, walk: Walk) -> None:
        self._reading = reading
        self._walk = walk
        self._types = TypeMembers(reading, walk.spend)
        self._places: dict[int, _Place | None] = {}

    def undeclared(self, value: Json) -> Iterator[Undeclared]:
        place = self._place(self._reading.root)
        if place is None:
            return
        yield from self._of(None, value, place)
        waiting: deque[tuple[_Link, Json, _Place]] = deque([(None, value, place)])
        while waiting:
            link, here, place = waiting.popleft()
            for step, part, inner in self._parts(here, place):
                yield from self._of((link, step), part, inner)
                if _has_parts(part):
                    waiting.append(((link, step), part, inner))

    def _of(self, link: _Link, value: Json, place: _Place) -> Iterator[Undeclared]:
        """The properties of one object that are not declared."""
        self._walk.spend(1 + len(value) // 4)
        if not isinstance(value, dict) or not place.is_closed:
            return
        names, mentioned = place.members.names, place.mentioned.names
        if names.keys() >= value.keys():
            return
        known: Nearest | None = None
        for name in value:
            if name not in names and name not in mentioned:
                known = known or place.nearest(self._walk)
                yield Undeclared(_path(link), name, known)

    def _parts(self, value: Json, place: _Place) -> Iterator[tuple[str | int, Json, _Place]]:
        """The objects and lists in a value that something is declared about."""
        if isinstance(value, list):
            inner = self._inner(place, None)
            if inner is not None:
                for at, part in enumerate(value):
                    if isinstance(part, (dict, list)):
                        yield at, part, inner
        else:
            for name, part in value.items():
                if isinstance(part, (dict, list)):
                    inner = self._inner(place, name)
                    if inner is not None:
                        yield name, part, inner

    def _inner(self, place: _Place, name: str | None) -> _Place | None:
        """What is declared for a property, or for items; None if nothing is."""
        members = place.members
        if name is None:
            shape = members.items
        elif place.mentioned.names.get(name):
            return None
        else:
            shape = members.names.get(name, members.others)
        return None if shape is None else self._place(shape)

    def _place(self, shape: Shape) -> _Place | None:
        """What is declared for a type; None if it says nothing about what is inside its values."""
        known = self._places.get(id(shape), _UNMET)
        if known is not _UNMET:
            return known
        self._walk.spend(1)
        members = self._types.of(shape)
        found = None
        if not members.anything and (members.names or members.others or members.items):
            found = _Place(members)
            if members.unshown:
                found.mentioned = UnshownNames(self._reading.references, self._walk).of(
                    members.unshown
                )
        self._places[id(shape)] = found
        return found


_UNMET = _Place(Members({}))


def _has_parts(value: Json) -> bool:
    inner = value.values() if isinstance(value, dict) else value
    return any(isinstance(part, (dict, list)) for part in inner)


def _path(link: _Link) -> Path:
    found: list[str | int] = []
    while link is not None:
        link, step = link
        found.append(step)
    return tuple(reversed(found))
