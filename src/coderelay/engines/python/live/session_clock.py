"""The clock of a session is the real one, and a cell's own time is bounded."""

import time
from collections.abc import Callable
from typing import Protocol

from coderelay.core.cancellation import is_still_needed
from coderelay.engines.wasm.backstop import allow

_BEFORE = 3_600.0
"""Seconds that the clock shows when a session begins: more than it showed when the image was made,
from which Python counts its processor time."""

_NAP = 0.1
"""Seconds of a sleep, before it is asked again whether anybody waits."""


class Time(Protocol):
    """Where a session's time comes from: the module `time`, or a clock that a test holds."""

    def monotonic(self) -> float:
        """Seconds since some moment in the past."""

    def time_ns(self) -> int:
        """Nanoseconds since 1970."""

    def sleep(self, seconds: float, /) -> None:
        """Return after so long."""


SYSTEM_TIME: Time = time


class OwnTime:
    """The seconds that a cell has used itself: what its calls took is not among them."""

    def __init__(self, seconds: float, time: Time) -> None:
        self._time = time
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that the cell still has."""
        return max(0.0, self._end - self._time.monotonic())

    def give(self, seconds: float) -> None:
        """The cell waited for others so long."""
        self._end += seconds


class LiveClock:
    """Time since an hour before the session began. To let it pass is to sleep."""

    def __init__(self, late: Callable[[], None], time: Time) -> None:
        self._late = late
        self._time = time
        self._start = time.monotonic() - _BEFORE
        self.own = OwnTime(0, time)

    @property
    def elapsed(self) -> int:
        """Nanoseconds since that hour began."""
        return int((self._time.monotonic() - self._start) * 1e9)

    def monotonic(self) -> int:
        """The same."""
        return self.elapsed

    def wall(self) -> int:
        """Nanoseconds since 1970."""
        return self._time.time_ns()

    def advance_to(self, elapsed: int) -> None:
        """Sleep until so many nanoseconds after that. Once the cell's time is over, or nobody waits
        for the cell, it is stopped: its sleep is not over, so nothing may come after it."""
        seconds, left = (elapsed - self.elapsed) / 1e9, self.own.left
        if seconds > 0:
            until = self._time.monotonic() + min(seconds, left)
            while (rest := until - self._time.monotonic()) > 0 and is_still_needed():
                self._time.sleep(min(rest, _NAP))
            if seconds > left:
                self._late()
            if seconds > left or not is_still_needed():
                allow(0)
