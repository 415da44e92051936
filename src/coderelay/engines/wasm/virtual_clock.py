"""Time in a guest: the program's creation plus what its timers waited, never the host's clock."""

READING = 1_000
"""Each reading takes a microsecond, so that a program that waits for time to pass gets there."""


END = 100 * 365 * 86_400 * 1_000_000_000
"""Time stops after a hundred years, before any guest's clock overflows."""


class VirtualClock:
    """Nanoseconds that move only by readings and timers."""

    def __init__(self, created: int) -> None:
        self._start = created * 1_000_000_000
        self._elapsed = 0

    @property
    def elapsed(self) -> int:
        """Nanoseconds since the program's start, without the time that a reading takes."""
        return self._elapsed

    def monotonic(self) -> int:
        """Nanoseconds since the program's start."""
        self._elapsed += READING
        return self._elapsed

    def wall(self) -> int:
        """Nanoseconds since 1970."""
        return self._start + self.monotonic()

    def advance_to_wall(self, time: int) -> None:
        """Let time pass until so many nanoseconds after 1970."""
        self.advance_to(time - self._start)

    def advance_to(self, elapsed: int) -> None:
        """Let time pass until so many nanoseconds after the start. It never goes back."""
        self._elapsed = max(self._elapsed, min(elapsed, END))
