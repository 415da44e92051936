"""The keywords that say something about the value itself, and nothing about its parts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import TypeAlias

from coderelay.core import Json
from coderelay.schemas.validation.patterns import Pattern, Patterns
from coderelay.schemas.validation.walk import STEP, Error, Path, Rule, Walk, kind_of


class _TypeIs(Rule):
    """`type`: one name, or several."""

    def __init__(self, word: str, schema: Mapping[str, Json], *, whole_floats: bool) -> None:
        super().__init__(word, schema)
        named = self.keyword_value
        named = named if isinstance(named, list) else [named]
        self._kinds = frozenset(each for each in named if each != "integer")
        self._integer = "integer" in named
        self._whole_floats = whole_floats

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the value has one of the types; 1.0 is an integer from draft 6 on."""
        kind = kind_of(value)
        if kind in self._kinds:
            return True
        if kind != "number" or not self._integer:
            return False
        return isinstance(value, int) or (self._whole_floats and value.is_integer())


class _ValueIn(Rule):
    """`enum` and `const`: the value is one of some values."""

    def __init__(self, word: str, schema: Mapping[str, Json]) -> None:
        super().__init__(word, schema)
        values = [self.keyword_value] if word == "const" else self.keyword_value
        self._keys = {_key(each) for each in values}

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the value equals one of them."""
        walk.spend(_weight(value))
        return _key(value) in self._keys


class _Unique(Rule):
    """`uniqueItems`."""

    kinds = ("array",)

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether no item equals another."""
        if self.keyword_value is not True:
            return True
        walk.spend(4 * _weight(value))
        return len({_key(item) for item in value}) == len(value)


class _MultipleOf(Rule):
    """`multipleOf`, computed with the decimal form of the numbers."""

    kinds = ("number",)

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the value is a multiple."""
        walk.spend(2 + _weight(value) ** 2 // 64)
        divisor = self.keyword_value
        if isinstance(value, int) and isinstance(divisor, int):
            return value % divisor == 0
        return _DIGITS.remainder(_decimal(value), _decimal(divisor)) == 0


class _Matches(Rule):
    """`pattern`. If it cannot be decided whether a text matches, the text fits."""

    kinds = ("string",)

    def __init__(self, word: str, schema: Mapping[str, Json], pattern: Pattern) -> None:
        super().__init__(word, schema)
        self._pattern = pattern

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the pattern occurs in the text."""
        return matches(self._pattern, value, walk)


class _Required(Rule):
    """`required`."""

    kinds = ("object",)

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether all required properties are there."""
        walk.spend(len(self.keyword_value) // 8)
        return all(name in value for name in self.keyword_value)

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """One error for each property that is missing."""
        for name in self.keyword_value:
            if name not in value:
                yield Error(self.word, path, value, self.schema, name)


class _DependentRequired(Rule):
    """`dependentRequired`, and the lists of names in `dependencies`."""

    kinds = ("object",)

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether each property comes with those that it requires."""
        walk.spend(len(self.keyword_value) // 8)
        for name, others in self.keyword_value.items():
            if name in value and isinstance(others, list):
                walk.spend(len(others) // 8)
                if not all(other in value for other in others):
                    return False
        return True


Test: TypeAlias = Callable[[Json, Json], bool]
"""Compares a value with the bound in the schema."""


class _Compared(Rule):
    """A keyword that compares a number or a length with a bound."""

    def __init__(
        self, word: str, schema: Mapping[str, Json], kinds: Sequence[str], test: Test
    ) -> None:
        super().__init__(word, schema)
        self.kinds = kinds
        self._test = test

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the comparison holds."""
        return self._test(value, self.keyword_value)


COMPARED: dict[str, tuple[Sequence[str], Test]] = {
    "minimum": (("number",), lambda value, bound: value >= bound),
    "maximum": (("number",), lambda value, bound: value <= bound),
    "exclusiveMinimum": (("number",), lambda value, bound: value > bound),
    "exclusiveMaximum": (("number",), lambda value, bound: value < bound),
    "minLength": (("string",), lambda value, bound: len(value) >= bound),
    "maxLength": (("string",), lambda value, bound: len(value) <= bound),
    "minItems": (("array",), lambda value, bound: len(value) >= bound),
    "maxItems": (("array",), lambda value, bound: len(value) <= bound),
    "minProperties": (("object",), lambda value, bound: len(value) >= bound),
    "maxProperties": (("object",), lambda value, bound: len(value) <= bound),
}


def assertions(schema: Mapping[str, Json], draft: int, patterns: Patterns) -> list[Rule]:
    """The rules for the keywords of a schema that are assertions, in the order of the schema."""
    found: list[Rule] = []
    for word in schema:
        if word in COMPARED:
            found.extend(_compared(word, schema, draft))
        elif word == "type":
            found.append(_TypeIs(word, schema, whole_floats=draft > 4))
        elif word == "enum" or (word == "const" and draft > 4):
            found.append(_ValueIn(word, schema))
        elif word == "pattern":
            found.append(_Matches(word, schema, patterns.of(schema[word])))
        elif word in _OTHERS:
            since, make = _OTHERS[word]
            if draft >= since:
                found.append(make(word, schema))
    return found


_OTHERS: dict[str, tuple[int, Callable[[str, Mapping[str, Json]], Rule]]] = {
    "uniqueItems": (4, _Unique),
    "multipleOf": (4, _MultipleOf),
    "required": (4, _Required),
    "dependentRequired": (2019, _DependentRequired),
    "dependencies": (4, _DependentRequired),
}


def _compared(word: str, schema: Mapping[str, Json], draft: int) -> list[Rule]:
    """In draft 4 `exclusiveMinimum: true` says that `minimum` itself is not allowed."""
    kinds, test = COMPARED[word]
    if isinstance(schema[word], bool):
        return []
    if draft == 4 and word in ("minimum", "maximum"):
        exclusive = "exclusive" + word.capitalize()
        if schema.get(exclusive) is True:
            test = COMPARED[exclusive][1]
    return [_Compared(word, schema, kinds, test)]


def matches(pattern: Pattern, text: str, walk: Walk) -> bool:
    """Whether a pattern occurs in a text; True if deciding that would take too long."""
    cost = pattern.cost(len(text))
    if cost is None:
        walk.spend(2)
        walk.undecided = True
        return True
    walk.spend(2 + cost // STEP)
    found = pattern.matches(text)
    if found is None:
        walk.undecided = True
    return found is not False


def _weight(value: Json) -> int:
    """How many steps it costs to look at the whole of a value."""
    weight, waiting = 0, [value]
    while waiting:
        here = waiting.pop()
        weight += 1
        if isinstance(here, dict):
            waiting.extend(here.values())
        elif isinstance(here, list):
            waiting.extend(here)
        elif isinstance(here, str):
            weight += len(here) // 1_000
        elif isinstance(here, int):
            weight += here.bit_length() // 512
    return weight


def _key(value: Json) -> str:
    """The text that equal JSON values share: 1 and 1.0 are equal, 1 and true are not.

    It is a text because Python hashes these so that nobody can foresee it. Of numbers, and of lists
    of numbers, anyone can find as many as they like that have the same hash.
    """
    written: list[str] = []
    waiting: list[Json] = [value]
    while waiting:
        here = waiting.pop()
        match here:
            case str():
                written.append(f"{len(here)}:{here}")
            case dict():
                written.append(f"{{{len(here)}")
                for name in sorted(here):
                    waiting += (here[name], name)
            case list():
                written.append(f"[{len(here)}")
                waiting += here
            case bool() | None:
                written.append(f"{here}")
            case _:
                written.append(_number(here))
    return ",".join(written)


def _number(value: float) -> str:
    """The text that equal numbers share, in time that grows with their length."""
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    return f"{int(value):x}"


_DIGITS = Context(prec=10_000, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Precise enough for all numbers that are read from JSON: integers of 4,300 digits, and floats."""


def _decimal(number: float) -> Decimal:
    return Decimal(number) if isinstance(number, int) else Decimal(repr(number))
