"""The two threads of a session: one runs its cells in order, the other an event loop for callbacks.

The event loop is only started if the caller has none. Both are daemon threads, because a tool that
hangs must not keep the process from ending.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from coderelay.engines.wasm.nativestack import start_with_stack
from coderelay.engines.wasm.off_main import HelperJob, run_to_completion

T = TypeVar("T")
_Work = Callable[[], None]


class Worker:
    """A thread that runs one function after another. It starts with the first one."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._started = self._closed = False

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Run `work` on the thread, in the caller's context, and return a future for its result.

        Cancelling the future has an effect only until `work` begins.
        """
        future: Future[T] = Future()
        context = contextvars.copy_context()

        def settle() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                value = context.run(work)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(value)

        self._put(settle)
        return future

    def run(self, work: Callable[[], T]) -> T:
        """Run `work` on the thread, wait for it, and return its result.

        An exception that interrupts the main thread meanwhile, such as `KeyboardInterrupt`, ends
        the wait. Then `work` is not begun any more; if it has begun already, it runs on.
        """
        returned: list[T] = []
        job = HelperJob(lambda: returned.append(work()))
        try:
            run_to_completion(lambda: self._put(job.run))
            job.wait()
        except BaseException:
            job.abandon()
            raise
        job.raise_error()
        return returned[0]

    def _put(self, work: _Work) -> None:
        with self._lock:
            if self._closed:
                raise RuntimeError("the session is closed: make a new one")
            self._queue.put(work)
            if not self._started:
                self._started = True
                start_with_stack(_serve_queue(self._queue), "coderelay session")

    def close(self, last: _Work) -> None:
        """Run `last` after all work that was submitted, and end the thread."""
        with self._lock:
            self._closed = True
            if self._started:
                self._queue.put(last)
                self._queue.put(None)
                return
        last()


def _serve_queue(queue: "SimpleQueue[_Work | None]") -> _Work:
    """Return the function that the thread runs.

    It refers to the queue and not to the worker, so that a worker that nobody uses any more can be
    garbage-collected while its thread waits.
    """

    def serve() -> None:
        while (work := queue.get()) is not None:
            work()
            del work  # or it would stay in memory until the next work comes

    return serve


class LoopThread:
    """An event loop on a thread of its own. It starts when it is first used."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def loop(self) -> asyncio.AbstractEventLoop:
        """Return the running loop, and start it if necessary."""
        with self._lock:
            if self._loop is None:
                self._loop = loop = asyncio.new_event_loop()
                target, name = _run_loop(loop), "coderelay callbacks"
                threading.Thread(target=target, name=name, daemon=True).start()
            return self._loop

    def close(self) -> None:
        """Stop the loop and cancel the tasks that run in it."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(loop.stop)


def _run_loop(loop: asyncio.AbstractEventLoop) -> _Work:
    async def end() -> None:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.wait(rest, timeout=1) if rest else None
        await loop.shutdown_asyncgens()

    def run() -> None:
        asyncio.set_event_loop(loop)
        while not _run_until_stopped(loop):
            pass
        loop.run_until_complete(end())
        loop.close()

    return run


def _run_until_stopped(loop: asyncio.AbstractEventLoop) -> bool:
    """Run a loop, and return True once it was stopped.

    Returns False if a task raised `SystemExit` or `KeyboardInterrupt`. The task's caller gets such
    an exception; the loop must go on, because other callers may wait for their tasks in it.
    """
    try:
        loop.run_forever()
    except (KeyboardInterrupt, SystemExit):
        return False
    return True


def start_in_loop(work: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> Future[T]:
    """Start a coroutine in another thread's loop, in the caller's context, and return its future.

    Raises `RuntimeError` if the loop is closed.
    """
    try:
        return asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError:
        work.close()
        raise
