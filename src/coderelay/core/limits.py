"""The hard limits of a run. Passing one fails the program; what is journalled is never cut."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

KB = 1024
MB = 1024 * KB


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are in bytes of UTF-8 text; values are measured as JSON.

    Fuel is the budget that counts: it is spent by instructions, so a replay ends where the first
    run ended. The seconds on a processor are a backstop, and what they end is never recorded as an
    outcome.
    """

    fuel: int = 240_000_000_000
    step_fuel: int = 60_000_000_000
    """What may be spent between two batches of results: a loop without end ends soon."""
    seconds: float = 60.0
    memory: int | None = None
    """Bytes of guest memory; None for what the engine's language needs."""
    source: int = 48 * KB
    arguments: int = 1 * MB
    calls: int = 1_000
    waiting: int = 256
    batch: int = 16 * MB
    """The arguments of all calls that wait at once."""
    result: int = 8 * MB
    value: int = 4 * MB
    logs: int = 1 * MB

    def __post_init__(self) -> None:
        """A limit below 0 limits nothing: fuel would wrap around."""
        refuse_negative(self)


def refuse_negative(limits: "DataclassInstance") -> None:
    """Raise `ValueError` for a limit below 0."""
    for field in fields(limits):
        value = getattr(limits, field.name)
        if value is not None and value < 0:
            raise ValueError(f"the limit `{field.name}` is {value}, and must be at least 0")


DEFAULT_LIMITS = Limits()
