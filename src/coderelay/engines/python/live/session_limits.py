"""The limits of a live session."""

from dataclasses import dataclass, field

from coderelay.core.limits import KB, MB, refuse_negative


@dataclass(frozen=True, slots=True)
class LiveLimits:
    """What one cell may use, and what the session's directory may contain. Sizes are in bytes.

    A cell that exceeds its fuel, step fuel, seconds, memory or stack ends the interpreter: its
    variables are lost, and its files remain. A cell that exceeds another limit only fails.
    """

    fuel: int = 240_000_000_000
    """Instructions of a cell, about forty seconds of work."""
    step_fuel: int = field(default=60_000_000_000, kw_only=True)
    """Instructions between two calls."""
    seconds: float = 60.0
    """The time of a cell, including sleeps, without the time of its tool calls."""
    memory: int = 256 * MB
    source: int = 256 * KB
    output: int = 1 * MB
    """What a cell may print."""
    value: int = 1 * MB
    """The text of a cell's value, in characters. A longer one is cut in the middle."""
    calls: int = 1_000
    """Tool calls of a cell."""
    waiting: int = 256
    """Tool calls that a cell may make at once."""
    arguments: int = 1 * MB
    """The arguments of one call."""
    batch: int = 16 * MB
    """The arguments, and also the results, of all calls that are made at once."""
    result: int = 8 * MB
    """The result of one call."""
    files: int = 256 * MB
    """All files in the directory, including those that were there before."""
    entries: int = 10_000
    """Files and directories in the directory."""
    descriptors: int = 64
    """Files that may be open at once."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for a negative limit. Negative fuel would wrap around, and limit
        nothing."""
        refuse_negative(self)


DEFAULT_LIVE_LIMITS = LiveLimits()
