"""The clock of a guest: the time of the program's creation, plus the time that its timers waited.

It never reads the host's clock, so a replay sees the same times.
"""

READING = 1_000
"""Nanoseconds that each reading takes, so that a loop that waits for a time to come ends."""


END = 100 * 365 * 86_400 * 1_000_000_000
"""Time stops after a hundred years, before any guest's clock overflows."""


class VirtualClock:
    """A clock in nanoseconds that only readings and timers move."""

    def __init__(self, created: int) -> None:
        self._start = created * 1_000_000_000
        self._elapsed = 0

    @property
    def elapsed(self) -> int:
        """Nanoseconds since the program's start. Reading this property takes no time."""
        return self._elapsed

    def monotonic(self) -> int:
        """Return the nanoseconds since the program's start."""
        self._elapsed += READING
        return self._elapsed

    def wall(self) -> int:
        """Return the nanoseconds since 1970."""
        return self._start + self.monotonic()

    def advance_to_wall(self, time: int) -> None:
        """Move the clock forward to `time`, in nanoseconds since 1970."""
        self.advance_to(time - self._start)

    def advance_to(self, elapsed: int) -> None:
        """Move the clock forward to `elapsed`, in nanoseconds since the start. It never goes
        back."""
        self._elapsed = max(self._elapsed, min(elapsed, END))
