"""Matches texts with the patterns of a schema, if that is sure to be quick.

Most patterns run in an engine that takes linear time. Those with lookaround or back-references
need another engine, which backtracks. It gives up after a number of steps, but a lookahead that is
tried at every letter reads the rest of the text each time. Neither engine can be interrupted.
"""

from functools import cached_property

import jsonschema_rs

from coderelay.schemas.validation.regex_size import Size, measure

LINEAR = jsonschema_rs.RegexOptions()
BACKTRACKING = jsonschema_rs.FancyRegexOptions(backtrack_limit=5_000)

_UNDECIDED = (
    jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded,
    jsonschema_rs.ValidationErrorKind.RegexEngineFailure,
)
_MOST_LINEAR, _MOST_BACKTRACKING = 5_000_000, 1_000_000
"""A text is not matched if that may take more units of work. For the first engine the estimate is
nearly always too high."""
TRIED = 25_000
"""How many units of work the second engine takes at most before it gives up."""

_validator = jsonschema_rs.Draft202012Validator


class Patterns:
    """The patterns of one schema, each compiled once. Many threads may use them at once."""

    def __init__(self) -> None:
        self._known: dict[str, Pattern] = {}

    def of(self, text: str) -> "Pattern":
        """The compiled form of a pattern."""
        found = self._known.get(text)
        return found if found is not None else self._known.setdefault(text, Pattern(text))


class Pattern:
    """One pattern of a schema."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._size = measure(text)

    def cost(self, length: int) -> int | None:
        """How many units of work a text of this length may take; None if that is too many."""
        _, backtracks = self._compiled
        cost = backtracking(self._size, length) if backtracks else linear(self._size, length)
        return None if cost > (_MOST_BACKTRACKING if backtracks else _MOST_LINEAR) else cost

    def matches(self, text: str) -> bool | None:
        """Whether a text matches; None if it is not matched."""
        validator, backtracks = self._compiled
        if not backtracks:
            return validator.is_valid(text)
        try:
            validator.validate(text)
        except jsonschema_rs.ValidationError as error:
            return None if isinstance(error.kind, _UNDECIDED) else False
        return True

    @cached_property
    def _compiled(self) -> tuple[jsonschema_rs.Validator, bool]:
        schema = {"pattern": self.text}
        try:
            return _validator(schema, pattern_options=LINEAR), False
        except jsonschema_rs.ValidationError:
            return _validator(schema, pattern_options=BACKTRACKING), True


def linear(size: Size, length: int) -> int:
    """How many units of ten nanoseconds the engine that takes linear time may need."""
    return length * (1 + size.width) * 5 // 4


def backtracking(size: Size, length: int) -> int:
    """How many units of ten nanoseconds the engine that backtracks may need."""
    power: int = min(length, 10_000) ** (1 + max(1, size.lookarounds))
    return min(TRIED, 500 * length) + power // 25
