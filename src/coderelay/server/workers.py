"""Programs run on threads of their own, so that the loop stays free; each has stack enough."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from coderelay.core.cancellation import cancel_unless

T = TypeVar("T")
Observe = Callable[[float, float], None]
"""Told how many seconds a piece of work waited, and ran."""

STACK = 16 * 1024 * 1024
"""A guest runs on its thread's native stack; the default may be too little for deep recursion."""


class Workers:
    """A fixed number of threads. Work whose request is gone is dropped; a guest that is under way
    for it is stopped."""

    def __init__(
        self, threads: int, observe: Observe = lambda waited, ran: None, *, name: str = "guest"
    ) -> None:
        self._observe = observe
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._start(threads)

    def run(self, work: Callable[[], T]) -> Awaitable[T]:
        """Do blocking work on a thread."""
        asked = time.perf_counter()
        gone = threading.Event()

        def timed() -> T:
            began = time.perf_counter()
            try:
                with cancel_unless(lambda: not gone.is_set()):
                    return work()
            finally:
                self._observe(began - asked, time.perf_counter() - began)

        future = asyncio.get_running_loop().run_in_executor(self._pool, timed)
        future.add_done_callback(lambda ended: gone.set() if ended.cancelled() else None)
        return future

    def close(self, *, wait: bool = True) -> None:
        """Drop what has not begun, and wait for the rest."""
        self._pool.shutdown(wait=wait, cancel_futures=True)

    def _start(self, threads: int) -> None:
        """Start all threads now: the size of a stack is chosen when its thread starts, and for
        the whole process, so it is put back at once."""
        everyone = threading.Barrier(threads + 1)
        before = threading.stack_size(STACK)
        try:
            for _ in range(threads):
                self._pool.submit(everyone.wait)
            everyone.wait()
        finally:
            threading.stack_size(before)
