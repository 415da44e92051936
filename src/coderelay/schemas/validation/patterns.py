"""Texts are matched with the patterns of a schema as long as that is sure to be quick.

Most patterns run in an engine that takes linear time. Those with lookaround or back-references
need another one, which backtracks. It gives up after a number of steps, but a lookahead that is
tried at every letter reads the rest of the text each time. Neither can be interrupted.
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
"""The units of work beyond which a text is not matched. For the first engine they are all but
always overestimated."""
TRIED = 25_000
"""What the steps cost at most after which the second engine gives up."""

_validator = jsonschema_rs.Draft202012Validator


class Patterns:
    """The patterns of one schema, each compiled once. Safe to use from many threads."""

    def __init__(self) -> None:
        self._known: dict[str, Pattern] = {}

    def of(self, text: str) -> "Pattern":
        """The pattern of this text."""
        found = self._known.get(text)
        return found if found is not None else self._known.setdefault(text, Pattern(text))


class Pattern:
    """A pattern that texts are matched with, one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._size = measure(text)

    def cost(self, length: int) -> int | None:
        """The units of work that a text of this length may take; None if it is not matched."""
        _, backtracks = self._compiled
        cost = backtracking(self._size, length) if backtracks else linear(self._size, length)
        return None if cost > (_MOST_BACKTRACKING if backtracks else _MOST_LINEAR) else cost

    def matches(self, text: str) -> bool | None:
        """Whether a text matches; None where that cannot be decided."""
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
    """The units of work, of ten nanoseconds, in the engine that takes linear time."""
    return length * (1 + size.width) * 5 // 4


def backtracking(size: Size, length: int) -> int:
    """The same in the engine that backtracks."""
    power: int = min(length, 10_000) ** (1 + max(1, size.lookarounds))
    return min(TRIED, 500 * length) + power // 25
