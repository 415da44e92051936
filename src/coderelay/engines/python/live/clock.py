"""The clock of a session is the real one, and a cell's own time is bounded."""

import time
from collections.abc import Callable

from coderelay.core.wanted import is_wanted

_BEFORE = 3_600 * 1_000_000_000
"""What the clock shows when a session begins: more than it showed when the image was made, from
which Python counts its processor time."""

_NAP = 0.1
"""Seconds of a sleep, before it is asked again whether anybody waits."""


class OwnTime:
    """The seconds that a cell has used itself: what its calls took is not among them."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that the cell still has."""
        return max(0.0, self._end - time.monotonic())

    def give(self, seconds: float) -> None:
        """The cell waited for others so long."""
        self._end += seconds


class LiveClock:
    """Time since an hour before the session began. To let it pass is to sleep."""

    def __init__(self, late: Callable[[], None]) -> None:
        self._late = late
        self._start = time.monotonic_ns() - _BEFORE
        self.own = OwnTime(0)

    @property
    def elapsed(self) -> int:
        """Nanoseconds since that hour began."""
        return time.monotonic_ns() - self._start

    def monotonic(self) -> int:
        """The same."""
        return self.elapsed

    def wall(self) -> int:
        """Nanoseconds since 1970."""
        return time.time_ns()

    def advance_to(self, elapsed: int) -> None:
        """Sleep until so many nanoseconds after that, or until the cell's time is over, or nobody
        waits for it any more."""
        seconds, left = (elapsed - self.elapsed) / 1e9, self.own.left
        if seconds > 0:
            until = time.monotonic() + min(seconds, left)
            while (rest := until - time.monotonic()) > 0 and is_wanted():
                time.sleep(min(rest, _NAP))
            if seconds > left:
                self._late()
