"""Whether anybody still waits for what a thread works on. It decides no outcome: work that nobody
waits for is only stopped sooner."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Here(threading.local):
    wanted: Callable[[], bool] | None = None


_here = _Here()


@contextmanager
def while_wanted(wanted: Callable[[], bool]) -> Iterator[None]:
    """Guests that run for this thread meanwhile are stopped soon after `wanted` has said no. They
    raise what a guest raises that ran out of time. `wanted` may be called on another thread."""
    outer, _here.wanted = _here.wanted, wanted
    try:
        yield
    finally:
        _here.wanted = outer


def is_wanted() -> bool:
    """Whether anybody waits for what this thread works on."""
    return _here.wanted is None or _here.wanted()


def who_waits() -> Callable[[], bool]:
    """Whether anybody waits for what this thread works on, as a question that another thread can
    ask which works on its behalf."""
    return _here.wanted or _always


def _always() -> bool:
    return True
