"""What was measured, as lines that say whether the goal is met."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

WARM_UP = 10


@dataclass(frozen=True, slots=True)
class Goal:
    """A ratio and the side of it on which we want to be; some are only told."""

    what: str
    measured: float
    target: float | None
    at_least: bool = True
    detail: str = ""

    @property
    def is_met(self) -> bool:
        """Whether the goal is met."""
        if self.target is None:
            return True
        return self.measured >= self.target if self.at_least else self.measured <= self.target

    def __str__(self) -> str:
        if self.target is None:
            return f"       {self.what}: {self.measured:.2f}  {self.detail}"
        side = "at least" if self.at_least else "at most"
        mark = "met   " if self.is_met else "MISSED"
        return f"{mark} {self.what}: {self.measured:.2f} ({side} {self.target:g})  {self.detail}"


def median_ms(work: Callable[[], object], runs: int) -> float:
    """The median time of one call, in milliseconds."""
    for _ in range(WARM_UP):
        work()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times)


def resident() -> int:
    """This process's resident memory in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


def proportional() -> int:
    """The same with shared pages divided among those that map them, so that a page that many
    instances share counts once; 0 where the system does not tell."""
    try:
        with open("/proc/self/smaps_rollup") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except OSError:
        return 0
