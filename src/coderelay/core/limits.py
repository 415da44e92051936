"""The limits of a run. A program that passes one fails; nothing is silently cut short."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

KB = 1024
MB = 1024 * KB


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run. Sizes are in bytes of UTF-8 text; values are measured as JSON.

    The budget for computing is fuel. It is spent by WebAssembly instructions, so a replay ends at
    the same instruction as the first run. `seconds` of processor time are only a backstop: passing
    them raises `TimedOut`, and is never recorded as an outcome.
    """

    fuel: int = 240_000_000_000
    step_fuel: int = field(default=60_000_000_000, kw_only=True)
    """Fuel for one step, from one batch of results to the next, so that an endless loop ends
    soon."""
    seconds: float = 60.0
    memory: int | None = None
    """Bytes of guest memory, or None for the default of the language's engine."""
    source: int = 48 * KB
    arguments: int = 1 * MB
    calls: int = 1_000
    waiting: int = 256
    batch: int = 16 * MB
    """Bytes of the arguments of all calls that wait at the same time."""
    result: int = 8 * MB
    value: int = 4 * MB
    logs: int = 1 * MB

    def __post_init__(self) -> None:
        """Refuse limits below 0: negative fuel would wrap around to a huge amount."""
        refuse_negative(self)


def refuse_negative(limits: "DataclassInstance") -> None:
    """Raise `ValueError` if one of the limits is below 0."""
    for limit in fields(limits):
        value = getattr(limits, limit.name)
        if value is not None and value < 0:
            raise ValueError(f"the limit `{limit.name}` must be at least 0, not {value}")


DEFAULT_LIMITS = Limits()
