"""Estimates what it costs to check a value against a schema, before the schema is used.

Some schemas of a few hundred bytes take years to check, because every part is checked again each
time a reference leads to it. Along references that do not recur the times multiply: `a` refers to
`b` twice, `b` to `c` twice, … Along those that recur they do not, because both validators remember
their results.

Work is counted in units of about ten nanoseconds of the library's time.
"""

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, NamedTuple

from coderelay.core import Json, Schema
from coderelay.schemas.schema_references import References
from coderelay.schemas.schema_size import SchemaTooLarge, check_referred, own_patterns
from coderelay.schemas.validation.measure import Measure
from coderelay.schemas.validation.patterns import TRIED
from coderelay.schemas.validation.regex_size import measure as measure_pattern

MAX_WAYS = 10_000
"""How often one part of a value may be checked."""
MAX_CHAIN = 200
"""How many schemas may lead one to the next for the same value. The library follows such a chain on
the stack of its thread, and ends the whole process where that has no more room."""

_MOST = 1 << 40
_TINY = 1e-20


class _Held(Enum):
    """What a keyword of a schema holds: one schema, or several, of which all or only one apply."""

    ONE = auto()
    ALL = auto()
    EACH = auto()


_SELF = {
    **dict.fromkeys(("not", "if", "then", "else"), _Held.ONE),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies"), _Held.ALL),
}
"""Words with schemas for the value itself."""
_PARTS = {
    **dict.fromkeys(("propertyNames", "contains"), _Held.ONE),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties"), _Held.ONE),
    **dict.fromkeys(("items", "additionalItems", "unevaluatedItems"), _Held.ONE),
    **dict.fromkeys(("properties", "prefixItems"), _Held.EACH),
    "patternProperties": _Held.ALL,
}
"""Words with schemas for parts of the value."""
_INNER = _SELF | _PARTS
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LEADING = frozenset((*_INNER, *_REFERENCES))
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_UNITS = {
    "const": 20,
    "enum": 20,
    "propertyNames": 8,
    "contains": 5,
    "uniqueItems": 6,
    "unevaluatedProperties": 20,
    "unevaluatedItems": 20,
    "dependentRequired": 5,
}
"""Words that cost more than one unit."""
_OF_OBJECTS = frozenset(
    "properties required additionalProperties patternProperties propertyNames dependencies "
    "dependentRequired dependentSchemas minProperties maxProperties unevaluatedProperties".split()
)
_OF_ARRAYS = frozenset(
    "items prefixItems additionalItems contains uniqueItems minItems maxItems "
    "unevaluatedItems".split()
)
_OF_SCALARS = frozenset((*_BOUNDS, "multipleOf", "pattern", "minLength", "maxLength"))


class StrayReferenceError(ValueError):
    """A reference points to nothing in its schema."""


class _Load(NamedTuple):
    """What the schemas for one place in a value cost together, by the kind of the value there."""

    scalar: int = 0
    array: int = 0
    object: int = 0
    patterns: int = 0
    width: int = 0
    """How many patterns a text there is matched with, and the sum of their widths."""

    def plus(self, other: "_Load") -> "_Load":
        """The cost of both at the same place."""
        return _Load(*[min(a + b, _MOST) for a, b in zip(self, other, strict=True)])

    def or_else(self, other: "_Load") -> "_Load":
        """The larger of both, which apply at different places."""
        return _Load(*map(max, self, other))


class SchemaCost(NamedTuple):
    """What a schema costs at most, for a value and for any of its parts."""

    ways: int = 1
    """How often one part of a value is checked."""
    here: _Load = _Load(2, 2, 2)
    below: _Load = _Load()
    chain: int = 1
    """How many schemas lead one to the next for the value itself."""

    def of(self, value: Measure, *, backtracks: bool) -> int:
        """How many units of work the library takes for a value at most. It may take far fewer."""
        if value.long_integers > 1_000 or (backtracks and value.longest > 200):
            return _MOST
        load = self.here.or_else(self.below)
        by_kind = (
            value.scalars * load.scalar + value.arrays * load.array + value.objects * load.object
        )
        texts = value.strings * load.patterns * TRIED if backtracks else 0
        return by_kind + value.chars * load.width * 5 // 4 + texts


_NOTHING = SchemaCost()


def weigh(schema: Schema) -> SchemaCost:
    """The cost of a schema. Raises `StrayReferenceError` if a reference points to nothing."""
    return _Scales(References(schema)).weigh()


class _Scales:
    """Finds the cost of one schema. Each part is looked at once, however many ways lead to it."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._found: dict[str, Json] = {}
        """What each reference points to."""
        self._costs: dict[int, SchemaCost] = {}
        """The costs of the parts by their identity; of those under way, of nothing."""

    def weigh(self) -> SchemaCost:
        """The cost of the whole schema."""
        cost = self._weigh()
        check_referred(self._found.values())
        return cost

    def _weigh(self) -> SchemaCost:
        root = self._references.root
        if not isinstance(root, dict):
            return _NOTHING
        path = [(root, self._ahead(root))]
        while path:  # not recursive: a chain of references may be long
            part, ahead = path[-1]
            following = next((each for each in ahead if id(each) not in self._costs), None)
            if following is None:
                self._costs[id(part)] = self._cost(part)
                path.pop()
            else:
                self._costs[id(following)] = SchemaCost()
                path.append((following, self._ahead(following)))
        return self._of(root)

    def _of(self, part: Json) -> SchemaCost:
        return self._costs.get(id(part), _NOTHING) if isinstance(part, dict) else _NOTHING

    def _cost(self, schema: dict[str, Any]) -> SchemaCost:
        """The cost of a schema, when those of the schemas in it are known."""
        ways, here, below, chain = 1, _own_load(schema), _Load(), 0
        itself = [self._of(each) for each in self._targets(schema)]
        itself += [self._either(group) for group in _groups(schema, _SELF)]
        for each in itself:
            ways, here, below = ways + each.ways, here.plus(each.here), below.plus(each.below)
            chain = max(chain, each.chain)
        if chain >= MAX_CHAIN:
            raise SchemaTooLarge(
                f"more than {MAX_CHAIN} schemas in it lead one to the next for the same value: "
                "simplify it"
            )
        for group in _groups(schema, _PARTS):
            inner = self._either(group)
            ways, below = ways + inner.ways, below.plus(inner.here.or_else(inner.below))
        return SchemaCost(min(ways, MAX_WAYS + 1), here, below, chain + 1)

    def _either(self, schemas: list[Json]) -> SchemaCost:
        """Of several schemas, of which each part of a value meets one, the costliest."""
        found = SchemaCost(0, _Load(), _Load())
        for each in schemas:
            cost = self._of(each)
            found = SchemaCost(
                max(found.ways, cost.ways),
                found.here.or_else(cost.here),
                found.below.or_else(cost.below) if any(cost.below) else found.below,
                max(found.chain, cost.chain),
            )
        return found

    def _ahead(self, schema: Json) -> Iterator[dict[str, Any]]:
        """The schemas in a schema, and those that it refers to."""
        if isinstance(schema, dict) and not _LEADING.isdisjoint(schema):
            yield from (each for each in self._targets(schema) if isinstance(each, dict))
            for group in _groups(schema, _INNER):
                yield from (each for each in group if isinstance(each, dict))

    def _targets(self, schema: dict[str, Any]) -> Iterator[Json]:
        for word in _REFERENCES:
            if isinstance(schema.get(word), str):
                reference = schema[word]
                if reference not in self._found:
                    self._found[reference] = self._references.find(reference)
                if not isinstance(self._found[reference], (dict, bool)):
                    raise StrayReferenceError(reference)
                yield self._found[reference]


def _own_load(schema: dict[str, Any]) -> _Load:
    """What a schema costs without those in it."""
    patterns = list(own_patterns(schema))
    scalar, array, object_ = 2 + 8 * len(patterns), 2, 2 + 8 * len(patterns)
    for word, value in schema.items():
        units = _units(word, value)
        if word in _OF_OBJECTS:
            object_ += units
        elif word in _OF_ARRAYS:
            array += units
        else:
            scalar += units
            if word not in _OF_SCALARS:
                array, object_ = array + units, object_ + units
    width = sum(1 + measure_pattern(pattern).width for pattern in patterns)
    return _Load(scalar, array, object_, len(patterns), width)


def _units(word: str, value: Json) -> int:
    if word in _BOUNDS:
        return 25 if isinstance(value, float) else 3
    if word == "multipleOf" and isinstance(value, (int, float)):
        return 3 if isinstance(value, int) else 150 if value > _TINY else 4_000
    if word == "required" and isinstance(value, list):
        return 2 * len(value)
    if word == "const" and isinstance(value, (list, dict)):
        return 20 + 20 * _size(value)
    if word == "enum" and isinstance(value, list):
        return 20 + 20 * sum(_size(each) for each in value if isinstance(each, (list, dict)))
    return _UNITS.get(word, 1)


def _size(value: Json) -> int:
    size, waiting = 0, [value]
    while waiting:
        here = waiting.pop()
        size += 1
        if isinstance(here, (list, dict)):
            waiting.extend(here.values() if isinstance(here, dict) else here)
    return size


def _groups(schema: dict[str, Any], words: dict[str, _Held]) -> Iterator[list[Json]]:
    """The schemas inside a schema, for some of its keywords. Of those in one group, only one
    applies to each part of a value."""
    for word, part in schema.items():
        held = words.get(word)
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
