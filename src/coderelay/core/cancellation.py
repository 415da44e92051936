"""Cancels the work of a thread when nobody needs its result any more.

Cancelling never decides an outcome: the work raises `TimedOut`, and can be done again later.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _ThreadState(threading.local):
    is_needed: Callable[[], bool] | None = None


# A thread-local, because the work is many calls deep (a JSON reader, a guest's timer) and passing
# a parameter through all of them would touch every signature on the way.
_thread = _ThreadState()


@contextmanager
def cancel_unless(is_needed: Callable[[], bool]) -> Iterator[None]:
    """Cancel this thread's work inside the `with` block soon after `is_needed()` returns False.

    Cancelled work raises `TimedOut`. `is_needed` may be called on another thread.
    """
    outer, _thread.is_needed = _thread.is_needed, is_needed
    try:
        yield
    finally:
        _thread.is_needed = outer


def is_still_needed() -> bool:
    """Return whether anybody still needs what this thread works on."""
    return _thread.is_needed is None or _thread.is_needed()


def need_check() -> Callable[[], bool]:
    """Return the function that tells whether this thread's work is still needed, for another
    thread that works on its behalf."""
    return _thread.is_needed or _always


def _always() -> bool:
    return True
