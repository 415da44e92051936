"""Checks a value against a schema in counted steps, up to a limit."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from coderelay.core import Json

Path: TypeAlias = tuple[str | int, ...]
"""A place in the value: property names and indices, from its top."""

KINDS = ("null", "boolean", "string", "number", "array", "object")
_KIND = dict(zip((type(None), bool, str, float, list, dict), KINDS, strict=True)) | {int: "number"}
_DEEPEST = 200
"""How deeply schemas may be nested in a walk. Each takes two frames of Python's stack, which has
1,000. The result of a walk must not depend on how many of them its caller uses."""
_REMEMBERED = 100_000
STEP = 45
"""What a step costs in units of ten nanoseconds."""


class TooCostly(Exception):
    """The walk has taken too many steps, or the schema is nested too deeply."""


@dataclass(frozen=True, slots=True)
class Error:
    """One place where a value does not fit."""

    word: str
    """The keyword of the schema that the value does not fit."""
    path: Path
    value: Json
    schema: Mapping[str, Json]
    """The schema that has the keyword."""
    part: str | int | None = None
    """The name or index of the one part that is missing or not allowed, if the error has one."""
    branches: tuple[tuple["Error", ...], ...] = ()
    """The errors of each option of a choice; none for an option that fits."""

    @property
    def keyword_value(self) -> Json:
        """The value that the schema has for the keyword."""
        return self.schema.get(self.word)


class Rule(ABC):
    """One keyword of a schema, compiled, for values of some kinds."""

    kinds: Sequence[str] = KINDS

    def __init__(self, word: str, schema: Mapping[str, Json]) -> None:
        self.word = word
        self.schema = schema
        self.keyword_value: Json = schema.get(word)

    @abstractmethod
    def fits(self, value: Json, walk: "Walk") -> bool:
        """Whether a value of one of the kinds fits."""

    def errors(self, value: Json, walk: "Walk", path: Path) -> Iterator[Error]:
        """The errors of a value that does not fit, one by one."""
        yield self.error(value, path)

    def error(self, value: Json, path: Path) -> Error:
        """An error that only says which keyword the value does not fit."""
        return Error(self.word, path, value, self.schema)


Rules: TypeAlias = dict[str, tuple[Rule, ...]]
"""The rules for each kind of value."""


class SchemaNode:
    """A compiled schema. Its rules are made when they are first needed, because a schema may
    contain itself.

    Two threads may make them at the same time. Their rules are equal, so it does not
    matter whose are used afterwards.
    """

    __slots__ = ("_make", "_rules", "shared")

    def __init__(self, make: Callable[[], Rules], *, shared: bool) -> None:
        self._make = make
        self._rules: Rules | None = None
        self.shared = shared
        """Whether several references lead here, so that caching results is worth while."""

    @property
    def rules(self) -> Rules:
        """The rules of the schema, by the kind of value."""
        if self._rules is None:
            self._rules = self._make()
        return self._rules


class Walk:
    """One check of one value, which must not change during the check."""

    def __init__(self, most: int) -> None:
        self.steps = 0
        self.undecided = False
        """Whether a text was taken to match a pattern because that could not be decided."""
        self._most = most
        self._depth = 0
        self._known: dict[SchemaNode, dict[int, bool]] = {}
        self._remembered = 0
        self._listing: set[tuple[SchemaNode, int]] = set()
        """The schemas and values whose errors are being listed."""

    def spend(self, steps: int) -> None:
        """Count steps before they are taken. Raises `TooCostly` if they are too many."""
        self.steps += steps
        if self.steps > self._most:
            raise TooCostly

    def count(self, steps: int) -> None:
        """Count steps that were taken already, without a limit."""
        self.steps += steps

    def allow(self, steps: int) -> None:
        """Allow this many more steps, counted from now."""
        self._most = self.steps + steps
        self._depth = 0
        self._listing.clear()

    def fits(self, node: SchemaNode, value: Json) -> bool:
        """Whether a value fits a schema."""
        kind = kind_of(value)
        known = None
        if node.shared:
            # The ways that lead here may multiply with each level, so the result is remembered.
            known = self._known.setdefault(node, {})
            if id(value) in known:
                self.spend(1)
                return known[id(value)]
            known[id(value)] = True  # for a schema that is, with nothing between, itself
        self.enter()
        rules = node.rules[kind]
        self.spend(1 + len(rules))
        fits = True
        for rule in rules:
            if not rule.fits(value, self):
                fits = False
                break
        self.leave()
        if known is not None:
            self._remember(known, value, fits)
        return fits

    def errors(self, node: SchemaNode, value: Json, path: Path) -> Iterator[Error]:
        """The errors of a value, found one by one as they are needed."""
        key = (node, id(value))
        if key in self._listing:
            return
        self._listing.add(key)
        self.enter()
        try:
            rules = node.rules[kind_of(value)]
            self.spend(1 + len(rules))
            for rule in rules:
                if not rule.fits(value, self):
                    yield from rule.errors(value, self, path)
        finally:  # the caller may stop before the last error
            self.leave()
            self._listing.discard(key)

    def _remember(self, known: dict[int, bool], value: Json, fits: bool) -> None:
        if isinstance(value, (list, dict)) and self._remembered < _REMEMBERED:
            self._remembered += 1
            known[id(value)] = fits
        else:
            del known[id(value)]

    def enter(self, levels: int = 1) -> None:
        """Go deeper into the schema. Raises `TooCostly` when that is too deep."""
        self._depth += levels
        if self._depth > _DEEPEST:
            raise TooCostly

    def leave(self, levels: int = 1) -> None:
        """Come back from there."""
        self._depth -= levels


def kind_of(value: Json) -> str:
    """The JSON type of a value, where integers are numbers."""
    return _KIND.get(type(value), "object")
