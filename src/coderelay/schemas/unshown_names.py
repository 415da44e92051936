"""Finds the properties that a schema names in keywords which declared types do not express.

A type has no `if`, and cannot say that one property requires another. A program may pass what such
keywords name, although no type has it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from coderelay.core import Json
from coderelay.schemas.schema_references import References
from coderelay.schemas.validation import Walk

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LISTS = ("allOf", "anyOf", "oneOf")
_TESTS, _RESULTS = ("if", "not"), ("then", "else")
_DEPENDENT = ("dependentSchemas", "dependencies", "dependentRequired")
_UNSHOWN = frozenset(
    (*_TESTS, *_RESULTS, *_DEPENDENT, "propertyNames", "unevaluatedProperties"),
)
_PLAIN = frozenset(
    "type title description default examples deprecated $comment const enum format pattern minimum "
    "maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength".split()
)
_Part = tuple[Json, bool]
"""A part of a schema, and whether it can allow any property in its object."""


@dataclass(slots=True)
class Mentioned:
    """The properties that some schemas mention."""

    names: dict[str, bool] = field(default_factory=dict)
    """Each with whether the schema says anything about what is inside its value."""
    opens: bool = False
    """Whether any other property is allowed, too."""


def has_unshown_words(schema: Mapping[str, Json]) -> bool:
    """Whether a schema has keywords that types do not express."""
    if _UNSHOWN.isdisjoint(schema):
        return False
    return any(word in schema and schema[word] is not False for word in _UNSHOWN)


class UnshownNames:
    """Finds the properties that the parts of one schema mention, in counted steps."""

    def __init__(self, references: References, walk: Walk) -> None:
        self._references = references
        self._walk = walk
        self._found = Mentioned()

    def of(self, schemas: tuple[Mapping[str, Json], ...]) -> Mentioned:
        """The properties that these schemas mention in keywords that types do not express."""
        waiting: list[_Part] = []
        for schema in schemas:
            waiting += self._unshown(schema, opens=True)
        seen: set[tuple[int, bool]] = set()
        for part, opens in waiting:  # it grows
            self._walk.spend(1)
            if isinstance(part, dict) and (id(part), opens) not in seen:
                seen.add((id(part), opens))
                self._add(part, opens=opens)
                waiting += self._applied(part, opens=opens)
                waiting += self._unshown(part, opens=opens)
        return self._found

    def _add(self, part: dict[str, Json], *, opens: bool) -> None:
        """Add the names that a part has in keywords that types express."""
        for name, schema in self._counted(part.get("properties"), dict):
            self._mention(name, inside=isinstance(schema, dict) and not schema.keys() <= _PLAIN)
        for name, _ in self._counted(part.get("required"), list):
            self._mention(name)
        if opens and (
            part.get("patternProperties") or part.get("additionalProperties", False) is not False
        ):
            self._found.opens = True

    def _applied(self, part: dict[str, Json], *, opens: bool) -> Iterator[_Part]:
        """The schemas that a part applies to the same value in keywords that types express."""
        for word in _REFERENCES:
            if isinstance(part.get(word), str):
                yield self._references.find(part[word]), opens
        for word in _LISTS:
            for each, _ in self._counted(part.get(word), list):
                yield each, opens

    def _unshown(self, part: Mapping[str, Json], *, opens: bool) -> Iterator[_Part]:
        """The schemas that it applies to the same value in keywords that types do not express."""
        if _UNSHOWN.isdisjoint(part):
            return
        yield from ((part[word], False) for word in _TESTS if word in part)
        yield from ((part[word], opens) for word in _RESULTS if word in part)
        for word in _DEPENDENT:
            for name, needed in self._counted(part.get(word), dict):
                self._mention(name)
                for other, _ in self._counted(needed, list):
                    self._mention(other)
                yield needed, opens
        if opens and (
            "propertyNames" in part or part.get("unevaluatedProperties", False) is not False
        ):
            self._found.opens = True

    def _counted(self, part: Json, kind: type) -> Iterator[tuple[Json, Json]]:
        """The members of a part, if it is a dict or a list as `kind` says. An item of a list comes
        as a pair with itself."""
        if isinstance(part, kind) and isinstance(part, (dict, list)):
            self._walk.spend(len(part))
            yield from part.items() if isinstance(part, dict) else zip(part, part, strict=True)

    def _mention(self, name: Json, *, inside: bool = False) -> None:
        if isinstance(name, str):
            self._found.names[name] = inside or self._found.names.get(name, False)
