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
from coderelay.schemas.validation.measure import Measure
from coderelay.schemas.validation.patterns import TRIED
from coderelay.schemas.validation.regex_size import measure as measure_pattern

MAX_WAYS = 10_000
"""How often one part of a value may be checked."""
MAX_NODES = 50_000
"""How many values a schema may have, counting itself and the names of properties."""
MAX_CHARS = 2_000_000
MAX_PATTERN_CHARS, MAX_PATTERNS = 50_000, 1_000_000
"""How many characters all patterns of a schema may have together, and how large they may become
when compiled, which takes about half a second then."""

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


class SchemaTooLarge(ValueError):
    """A schema is too large; the message says which limit it exceeds."""


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


def check_size(schema: Json) -> None:
    """Raise `SchemaTooLarge` for a schema that is too large to be examined further."""
    nodes = chars = written = patterns = 0
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        nodes += 1
        if isinstance(here, str):
            chars += len(here)
        elif isinstance(here, list):
            waiting.extend(here)
        elif isinstance(here, dict):
            waiting.extend(here.values())
            waiting.extend(here)
        if nodes + len(waiting) > MAX_NODES or chars > MAX_CHARS:
            raise SchemaTooLarge(
                f"it has more than {MAX_NODES} values or {MAX_CHARS} characters: simplify it"
            )
        for pattern in _own_patterns(here) if isinstance(here, dict) else ():
            written += len(pattern)
            if written > MAX_PATTERN_CHARS:
                raise SchemaTooLarge(
                    f"its patterns have more than {MAX_PATTERN_CHARS} characters: shorten them"
                )
            patterns += measure_pattern(pattern).compiled
            if patterns > MAX_PATTERNS:
                raise SchemaTooLarge(
                    "its patterns are too large to compile: use smaller counts in {}"
                )


def weigh(schema: Schema) -> SchemaCost:
    """The cost of a schema. Raises `StrayReferenceError` if a reference points to nothing."""
    references = References(schema)
    costs: dict[str, SchemaCost] = {}
    met: set[str] = set()
    path = [("", references.root, _ahead(references.root))]
    while path:  # not recursive: a chain of references may be long
        reference, part, ahead = path[-1]
        following = next((each for each in ahead if each not in met), None)
        if following is None:
            costs[reference] = _cost(part, costs)
            path.pop()
            continue
        met.add(following)
        target = references.find(following)
        if not isinstance(target, (dict, bool)):
            raise StrayReferenceError(following)
        path.append((following, target, _ahead(target)))
    return costs[""]


def _cost(schema: Json, costs: dict[str, SchemaCost]) -> SchemaCost:
    if not isinstance(schema, dict):
        return SchemaCost()
    ways, here, below = 1, _own_load(schema), _Load()
    if _LEADING.isdisjoint(schema):
        return SchemaCost(ways, here, below)
    itself = [costs.get(each, SchemaCost()) for each in _own_references(schema)]
    itself += [_either(group, costs) for group in _groups(schema, _SELF)]
    for each in itself:
        ways, here, below = ways + each.ways, here.plus(each.here), below.plus(each.below)
    for group in _groups(schema, _PARTS):
        inner = _either(group, costs)
        ways, below = ways + inner.ways, below.plus(inner.here.or_else(inner.below))
    return SchemaCost(min(ways, MAX_WAYS + 1), here, below)


def _either(schemas: list[Json], costs: dict[str, SchemaCost]) -> SchemaCost:
    """The cost of the costliest of several schemas, if one of them applies to each part."""
    found = SchemaCost(0, _Load(), _Load())
    for each in schemas:
        cost = _cost(each, costs)
        found = SchemaCost(
            max(found.ways, cost.ways),
            found.here.or_else(cost.here),
            found.below.or_else(cost.below) if any(cost.below) else found.below,
        )
    return found


def _own_load(schema: dict[str, Any]) -> _Load:
    """What a schema itself costs, without the schemas inside it."""
    patterns = list(_own_patterns(schema))
    scalar, array, object_ = 2 + 8 * len(patterns), 2, 2 + 8 * len(patterns)
    for word, said in schema.items():
        units = _units(word, said)
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


def _units(word: str, said: Json) -> int:
    if word in _BOUNDS:
        return 25 if isinstance(said, float) else 3
    if word == "multipleOf":
        return 3 if isinstance(said, int) else 150 if said > _TINY else 4_000
    if word == "required" and isinstance(said, list):
        return 2 * len(said)
    if word == "const" and isinstance(said, (list, dict)):
        return 20 + 20 * _size(said)
    if word == "enum" and isinstance(said, list):
        return 20 + 20 * sum(_size(each) for each in said if isinstance(each, (list, dict)))
    return _UNITS.get(word, 1)


def _size(value: Json) -> int:
    size, waiting = 0, [value]
    while waiting:
        here = waiting.pop()
        size += 1
        if isinstance(here, (list, dict)):
            waiting.extend(here.values() if isinstance(here, dict) else here)
    return size


def _own_patterns(schema: Json) -> Iterator[str]:
    """The patterns of a schema itself, without those of schemas inside it."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        keyed = schema.get("patternProperties")
        if isinstance(keyed, dict):
            yield from keyed


def _ahead(schema: Json) -> Iterator[str]:
    """The references in a schema."""
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict) and not _LEADING.isdisjoint(here):
            yield from _own_references(here)
            waiting.extend(each for group in _groups(here, _INNER) for each in group)


def _own_references(schema: dict[str, Any]) -> Iterator[str]:
    return (schema[word] for word in _REFERENCES if isinstance(schema.get(word), str))


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
