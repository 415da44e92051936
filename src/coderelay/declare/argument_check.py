"""Checks the arguments of a call against its tool's schema, in bounded time and memory.

A library decides whether the arguments fit, if that is sure to be quick: one call of it cannot be
interrupted. Otherwise our own validator decides. It also finds out what is wrong. It works in
steps, and there is a limit on their number.

The program pays in fuel for what this costs beyond a small free share. The cost is a count that
follows from schema and arguments, never a time, so a replay pays the same.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Literal, TypeAlias, get_args

from coderelay.core import Json, Tool, Work
from coderelay.core.json_values import MAX_DEPTH
from coderelay.declare.argument_errors import (
    ArgumentError,
    Describer,
    type_and_text,
    without_repetition,
)
from coderelay.languages.language import Language
from coderelay.schemas.schema_check import Checked, compiled
from coderelay.schemas.schema_notes import brief, cut
from coderelay.schemas.undeclared import Declaration, takes_nothing
from coderelay.schemas.validation import Error, SchemaCompiler, SchemaNode, TooCostly, Walk
from coderelay.schemas.validation.measure import measure
from coderelay.schemas.validation.walk import STEP

UndeclaredArguments: TypeAlias = Literal["refuse", "allow"]
"""What to do with a call that has an argument which its tool does not declare."""
UNDECLARED_ARGUMENTS: tuple[UndeclaredArguments, ...] = get_args(UndeclaredArguments)

_REASONS = 3
_SHAPE = 300
_LIBRARY = 5_000_000
"""How many units of ten nanoseconds one call of the library may take, by estimate."""
_STEPS, _MORE_STEPS = 500_000, 100_000
"""How many steps the check may take, and the description of what is wrong after it."""
_DESCRIPTION = 500
"""How many steps one reason costs, because the nearest names are looked up for it."""
_NODE, _FREE, _FUEL = 5, 100_000, 60
"""Units for each value that is looked at, units that are free, and fuel for each other unit."""


class ArgumentCheck:
    """Checks the arguments of one tool. Many threads may use it at the same time."""

    def __init__(
        self,
        tool: Tool,
        identifier: str,
        language: Language,
        undeclared: UndeclaredArguments = "refuse",
    ) -> None:
        self._tool = tool
        self._identifier = identifier
        self._language = language
        self._undeclared = undeclared
        self._checked: Checked = compiled(tool)
        self._describer = Describer(language.wording)
        self._takes_nothing = undeclared == "refuse" and takes_nothing(tool.parameters)

    def find_error(self, arguments: Json, work: Work) -> str | None:
        """A message that says what is wrong with the arguments of a call, or None if they fit. The
        cost is added to `work`."""
        size = measure(arguments)
        if size.depth > MAX_DEPTH:
            deepest = f"nested more than {MAX_DEPTH} levels deep"
            return f"{self._identifier}: the arguments are {deepest}"
        estimate = self._checked.cost.of(size, backtracks=self._checked.backtracks)
        walk = Walk(_STEPS)
        try:
            found = self._check(arguments, walk, by_library=estimate <= _LIBRARY)
        finally:
            units = size.nodes * _NODE + size.chars // 100 + walk.steps * STEP
            if estimate <= _LIBRARY:
                units += estimate
            work.add(max(0, units - _FREE) * _FUEL)
        if found is not None and size.has_half_pair:
            return f"{self._identifier}: a string in the arguments has half of a surrogate pair"
        return found

    def _check(self, arguments: Json, walk: Walk, *, by_library: bool) -> str | None:
        try:
            if by_library:
                fits = self._checked.validator.is_valid(arguments)
            else:
                fits = walk.fits(self._compiled.root, arguments)
            if fits and arguments and self._takes_nothing:
                got, example = brief(next(iter(arguments)), _SHAPE), self._example
                return f"{self._identifier} takes no arguments, got {got}: call {example}"
            if fits:
                walk.allow(_STEPS)
                return self._say(self._not_declared(arguments, walk))
            if not isinstance(arguments, dict):
                got, example = type_and_text(arguments), self._example
                return f"{self._identifier} takes one object, got {got}: call {example}"
            return self._say(self._reasons(arguments, walk))
        except TooCostly:
            return (
                f"{self._identifier}: it would take too long to check these arguments: pass less "
                "at once"
            )

    def _reasons(self, arguments: dict[str, Json], walk: Walk) -> Sequence[ArgumentError]:
        """Some reasons why the arguments do not fit; none where it cannot be decided whether a text
        matches a pattern."""
        walk.allow(_MORE_STEPS)
        found = self._describer.reasons(_affordable(walk, self._compiled.root, arguments), _REASONS)
        walk.count(len(found) * _DESCRIPTION)
        if not found and not walk.undecided:
            found = [ArgumentError("the arguments do not fit", None)]
        if len(found) < _REASONS:
            try:
                found += self._not_declared(arguments, walk)
            except TooCostly:
                if not found:
                    raise
        return without_repetition(found)[:_REASONS]

    def _not_declared(self, arguments: Json, walk: Walk) -> list[ArgumentError]:
        """Reasons to refuse properties that the schema would let pass. Raises `TooCostly` if
        finding them takes too many steps."""
        if self._undeclared == "allow":
            return []
        found: list[ArgumentError] = []
        try:
            for each in islice(self._declaration.undeclared(arguments, walk), _REASONS):
                walk.count(_DESCRIPTION)
                found.append(self._describer.unexpected(each.path, each.name, each.known))
        except TooCostly:
            if not found:
                raise
        return found

    def _say(self, found: Sequence[ArgumentError]) -> str | None:
        """The message: the reasons, and the signature that was expected. Of a long signature it has
        only the parameters that the reasons are about."""
        if not found:
            return None
        expected = self._signature
        if len(expected) > _SHAPE:
            about = dict.fromkeys(each.parameter for each in found if each.parameter is not None)
            types = [self._parameters[name] for name in about if name in self._parameters]
            expected = "; ".join(types) or expected
        reasons = "; ".join(each.reason for each in found)
        return f"{self._identifier}: {reasons}\nexpected: {expected}"

    @cached_property
    def _compiled(self) -> SchemaCompiler:
        return SchemaCompiler(self._checked.schema, self._checked.draft)

    @cached_property
    def _declaration(self) -> Declaration:
        return Declaration(self._checked.schema)

    @cached_property
    def _signature(self) -> str:
        return cut(self._language.tools.signature(self._tool, self._identifier), 2 * _SHAPE)

    @cached_property
    def _parameters(self) -> dict[str, str]:
        return self._language.tools.parameters(self._tool, self._identifier, _SHAPE)

    @cached_property
    def _example(self) -> str:
        return cut(self._language.tools.call(self._tool, self._identifier), _SHAPE)


def _affordable(walk: Walk, node: SchemaNode, value: Json) -> Iterator[Error]:
    """The errors of a value, up to the limit of the walk."""
    with suppress(TooCostly):
        yield from walk.errors(node, value, ())
