"""Threads for blocking work, with stacks that are large enough for guests."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from coderelay.core.cancellation import cancel_unless

T = TypeVar("T")
Observe = Callable[[float, float], None]
"""Called with the seconds that a piece of work waited and ran."""

STACK = 16 * 1024 * 1024
"""The stack of each thread in bytes. A guest runs on its thread's native stack, and the default may
be too small for deep recursion."""


class Workers:
    """A fixed number of threads. If a request is cancelled, its work is dropped, and a guest that
    already runs for it is stopped."""

    def __init__(
        self, threads: int, observe: Observe = lambda waited, ran: None, *, name: str = "guest"
    ) -> None:
        self._observe = observe
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._start(threads)

    def run(self, work: Callable[[], T]) -> Awaitable[T]:
        """Run blocking work on a thread, and return an awaitable for its value."""
        submitted = time.perf_counter()
        cancelled = threading.Event()

        def timed() -> T:
            began = time.perf_counter()
            try:
                with cancel_unless(lambda: not cancelled.is_set()):
                    return work()
            finally:
                self._observe(began - submitted, time.perf_counter() - began)

        future = asyncio.get_running_loop().run_in_executor(self._pool, timed)
        future.add_done_callback(lambda ended: cancelled.set() if ended.cancelled() else None)
        return future

    def close(self, *, wait: bool = True) -> None:
        """Drop the work that has not begun and, unless told otherwise, wait for the rest."""
        self._pool.shutdown(wait=wait, cancel_futures=True)

    def _start(self, threads: int) -> None:
        """Start all threads at once. The stack size is a setting of the whole process that applies
        when a thread starts, so it is restored immediately after."""
        everyone = threading.Barrier(threads + 1)
        before = threading.stack_size(STACK)
        try:
            for _ in range(threads):
                self._pool.submit(everyone.wait)
            everyone.wait()
        finally:
            threading.stack_size(before)
