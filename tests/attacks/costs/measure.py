"""How much more a case costs at its full length than at half of it.

Only the CPU time of this thread counts, so other processes and threads do not disturb it. A call
that is too short to be measured is repeated, as often at half length as at full length.
"""

import ctypes
import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.attacks.costs import Case

SHORTEST = 0.005
"""Seconds of CPU that the half length must take in one round, by repetition."""
ENOUGH = 0.1
"""Seconds of CPU that all rounds must take before they say that a case is fine."""
MOST = 10.0
"""Seconds of CPU after which a case is not measured again, on a machine that disturbs it."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST = {_TRIM_THRESHOLD: 1024 * 1024 * 1024, _MMAP_THRESHOLD: 32 * 1024 * 1024}
_USUAL = 128 * 1024


def growth(case: Case, allowed: float) -> float:
    """The cost at full length as a multiple of the cost at half length.

    The least of several rounds counts. Once that is allowed, no further rounds are taken.
    """
    half, full = _Timer(case, case.size // 2), _Timer(case, case.size)
    least_half = least_full = float("inf")
    spent = 0.0
    with _without_garbage_collection(), _without_returning_memory():
        times = _repetitions(half)
        while spent < MOST:
            took_half, took_full = half.run(times), full.run(times)
            least_half, least_full = min(least_half, took_half), min(least_full, took_full)
            spent += took_half + took_full
            if spent > ENOUGH and least_full <= allowed * least_half:
                break
    return least_full / least_half


def _repetitions(timer: "_Timer") -> int:
    """How often a call must be repeated to take long enough."""
    times = 1
    while timer.run(times) < SHORTEST:
        times *= 2
    return times


class _Timer:
    """Measures a case at one size."""

    def __init__(self, case: Case, size: int) -> None:
        self._read: Callable[[Any], object] = case.read
        self._make = case.make if case.fresh else None
        self._size = size
        self._input = case.make(size)

    def run(self, times: int) -> float:
        """Seconds of this thread's CPU for so many calls."""
        if self._make is not None:
            inputs = [self._make(self._size) for _ in range(times)]
        else:
            inputs = [self._input] * times
        start = time.thread_time()
        for each in inputs:
            self._read(each)
        return time.thread_time() - start


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _without_returning_memory() -> Iterator[None]:
    """Let the allocator keep what is freed. It gives large blocks back to the system, which then
    clears them page by page: a long text would seem to cost far more than one half as long."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is None:
        yield
        return
    for option, largest in _LARGEST.items():
        set_option(option, largest)
    try:
        yield
    finally:
        for option in _LARGEST:
            set_option(option, _USUAL)
