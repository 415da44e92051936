"""Small work is done at once; large work is done beside the event loop, where it delays nobody."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class RunBlocking(Protocol):
    """Runs blocking work elsewhere, such as on a worker thread."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """The work's value, or its exception."""


async def here_or_aside(work: Callable[[], T], run_aside: RunBlocking, *, large: bool) -> T:
    """The work's value. It is done here and now, or by `run_aside` if it is large."""
    return await run_aside(work) if large else work()
