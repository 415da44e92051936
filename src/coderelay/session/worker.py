"""Threads of a session: its programs run on one, in the order they came, and an event loop on
another, where nobody else brings one.

Both are daemons: a tool that hangs must not keep the process from ending.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from coderelay.engines.wasm.nativestack import start_with_stack
from coderelay.engines.wasm.off_main import Errand, to_its_end

T = TypeVar("T")
_Work = Callable[[], None]


class Worker:
    """A thread that does one piece of work after another. It starts with the first."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[_Work | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._started = self._closed = False

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have work done, in the caller's context. Cancelling keeps it from being begun."""
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
        """Have work done, and wait for it. What interrupts the main thread ends the waiting, and
        keeps the work from being begun; what has begun goes on."""
        returned: list[T] = []
        errand = Errand(lambda: returned.append(work()))
        try:
            to_its_end(lambda: self._put(errand.carry_out))
            errand.wait()
        except BaseException:
            errand.abandon()
            raise
        errand.raise_error()
        return returned[0]

    def _put(self, work: _Work) -> None:
        with self._lock:
            if self._closed:
                raise RuntimeError("the session is closed")
            self._waiting.put(work)
            if not self._started:
                self._started = True
                start_with_stack(_serving(self._waiting), "coderelay session")

    def close(self, last: _Work) -> None:
        """Do a last piece of work when all that waits is done, and let the thread end."""
        with self._lock:
            self._closed = True
            if self._started:
                self._waiting.put(last)
                self._waiting.put(None)
                return
        last()


def _serving(waiting: "SimpleQueue[_Work | None]") -> _Work:
    """What the thread does. It knows the queue and not the worker, which may so be dropped."""

    def serve() -> None:
        while (work := waiting.get()) is not None:
            work()
            del work  # not kept while waiting for the next

    return serve


class LoopThread:
    """An event loop on a thread of its own, from its first use on."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop, running."""
        with self._lock:
            if self._loop is None:
                self._loop = loop = asyncio.new_event_loop()
                target, name = _running(loop), "coderelay callbacks"
                threading.Thread(target=target, name=name, daemon=True).start()
            return self._loop

    def close(self) -> None:
        """Stop the loop; what runs in it is cancelled."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(loop.stop)


def _running(loop: asyncio.AbstractEventLoop) -> _Work:
    async def end() -> None:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.wait(rest, timeout=1) if rest else None
        await loop.shutdown_asyncgens()

    def run() -> None:
        asyncio.set_event_loop(loop)
        while not _stopped(loop):
            pass
        loop.run_until_complete(end())
        loop.close()

    return run


def _stopped(loop: asyncio.AbstractEventLoop) -> bool:
    """Run a loop until it is stopped. `sys.exit` and Ctrl-C in a task go to whoever waits for it,
    and must not end the loop too, in which others wait."""
    try:
        loop.run_forever()
    except (KeyboardInterrupt, SystemExit):
        return False
    return True


def wait_for(work: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> Future[T]:
    """Start work in another thread's loop, in the caller's context."""
    try:
        return asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError:  # the loop is closed
        work.close()
        raise
