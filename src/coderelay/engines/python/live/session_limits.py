"""The hard limits of a live session."""

from dataclasses import dataclass

from coderelay.core.limits import KB, MB, refuse_negative


@dataclass(frozen=True, slots=True)
class LiveLimits:
    """What one cell may use, and the session's directory hold. Sizes are in bytes.

    Fuel of either kind, seconds, memory and the stack end the interpreter when they are passed:
    its names are gone then, while its files remain. All others fail the cell, and the session
    goes on.
    """

    fuel: int = 240_000_000_000
    """Instructions of a cell: about forty seconds of work."""
    step_fuel: int = 60_000_000_000
    """Instructions between two calls."""
    seconds: float = 60.0
    """A cell's own time, with its sleeps and without its calls."""
    memory: int = 256 * MB
    source: int = 256 * KB
    output: int = 1 * MB
    """What a cell prints."""
    value: int = 1 * MB
    """The text of a cell's value, in characters: it is cut in the middle."""
    calls: int = 1_000
    """Calls of a cell."""
    waiting: int = 256
    """Calls at once."""
    arguments: int = 1 * MB
    """One call's arguments."""
    batch: int = 16 * MB
    """The arguments, and the results, of all calls made at once."""
    result: int = 8 * MB
    """One call's result."""
    files: int = 256 * MB
    """All files in the directory, with those that were there before."""
    entries: int = 10_000
    """Files and directories in it."""
    descriptors: int = 64
    """Files open at once."""

    def __post_init__(self) -> None:
        """A limit below 0 limits nothing: fuel would wrap around."""
        refuse_negative(self)


DEFAULT_LIVE_LIMITS = LiveLimits()
