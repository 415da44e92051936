"""The clock of a session: the real time, with a limit on the time of each cell."""

import time
from collections.abc import Callable
from typing import Protocol

from coderelay.core.cancellation import is_still_needed
from coderelay.engines.wasm.backstop import allow

_BEFORE = 3_600.0
"""Seconds on the monotonic clock when a session begins. It must be more than when the image was
made, because Python measures its CPU time from there."""

_NAP = 0.1
"""How many seconds a sleep takes before it checks again whether the cell was cancelled."""


class Time(Protocol):
    """The source of a session's time: the module `time`, or a clock that a test controls."""

    def monotonic(self) -> float:
        """Return the seconds since some moment in the past."""

    def time_ns(self) -> int:
        """Return the nanoseconds since 1970."""

    def sleep(self, seconds: float, /) -> None:
        """Return after so many seconds."""


SYSTEM_TIME: Time = time


class CellTime:
    """The time that a cell may take, without the time of its tool calls."""

    def __init__(self, seconds: float, time: Time) -> None:
        self._time = time
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """How many seconds the cell still has."""
        return max(0.0, self._end - self._time.monotonic())

    def extend(self, seconds: float) -> None:
        """Add the seconds that a tool call took."""
        self._end += seconds


class LiveClock:
    """The real time, as the guest's clock. Waiting for a time means to sleep.

    `on_timeout` is called when a cell sleeps beyond the end of its time.
    """

    def __init__(self, on_timeout: Callable[[], None], time: Time) -> None:
        self._on_timeout = on_timeout
        self._time = time
        self._start = time.monotonic() - _BEFORE
        self.cell_time = CellTime(0, time)

    @property
    def elapsed(self) -> int:
        """Nanoseconds on the session's monotonic clock."""
        return int((self._time.monotonic() - self._start) * 1e9)

    def monotonic(self) -> int:
        """Return the nanoseconds on the session's monotonic clock."""
        return self.elapsed

    def wall(self) -> int:
        """Return the nanoseconds since 1970."""
        return self._time.time_ns()

    def advance_to(self, elapsed: int) -> None:
        """Sleep until `elapsed`, in nanoseconds on the session's monotonic clock.

        If the cell's time is over before that, or the cell is cancelled, the guest is interrupted:
        the code after the sleep must not run before its time.
        """
        seconds, left = (elapsed - self.elapsed) / 1e9, self.cell_time.left
        if seconds > 0:
            until = self._time.monotonic() + min(seconds, left)
            while (rest := until - self._time.monotonic()) > 0 and is_still_needed():
                self._time.sleep(min(rest, _NAP))
            if seconds > left:
                self._on_timeout()
            if seconds > left or not is_still_needed():
                allow(0)
