"""Runs guests on helper threads, and never on the main thread.

Python runs signal handlers on the main thread, between any two steps of Python code. A handler may
raise an exception, as Ctrl-C does. If that happens just as native code calls a Python function, the
exception cannot be passed on: the native code continues with an undefined result, and the process
may crash. So a helper thread enters the guest, while the main thread waits in a place where it can
be interrupted at any moment. An interrupt cancels the guest, and its resources are released once
the helper thread has left it. See docs/design/off-main-thread.md.
"""

import atexit
import contextvars
import logging
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

from coderelay.core.cancellation import cancel_unless, need_check
from coderelay.engines.wasm.nativestack import start_with_stack

T = TypeVar("T")
_log = logging.getLogger("coderelay")
_TICK = 0.1
_PATIENCE = 5.0
"""How many seconds the process waits at exit until each helper thread has left its guest."""


class OffMainThread:
    """Runs the work of one owner, such as an execution, away from the main thread.

    `end` releases what the owner holds. It is never called while work of the owner runs.
    """

    def __init__(self) -> None:
        self._job: HelperJob | None = None

    def run(self, work: Callable[[], T], end: Callable[[], None]) -> T:
        """Run `work`, and return its result or raise its exception.

        If an exception interrupts the wait for it, the work is cancelled and `end` is called.
        """
        if threading.current_thread() is not threading.main_thread():
            return work()
        returned: list[T] = []
        job = self._job = HelperJob(lambda: returned.append(work()), end)
        try:
            if not _helpers.start(job):
                return work()
            job.wait()
            job.raise_error()
            return returned[0]
        except BaseException:
            job.abandon()
            job.wait()  # until the helper has left the guest; a second signal ends this wait, too
            raise
        finally:
            if job.finished:
                self._job = None

    def close(self, end: Callable[[], None]) -> None:
        """Call `end` now, or as soon as work that still runs has ended. Such work is cancelled."""
        job = self._job
        if job is not None and not job.finished:
            job.abandon()
        else:
            run_to_completion(end)


def run_to_completion(work: Callable[[], None]) -> None:
    """Run work that must not be interrupted halfway, such as releasing a resource.

    An exception that interrupts the main thread meanwhile ends its wait, but not the work.
    """
    if threading.current_thread() is not threading.main_thread():
        work()
        return
    job = HelperJob(work)
    if _helpers.start(job):
        job.wait()
        job.raise_error()
    else:
        work()


class HelperJob:
    """A piece of work that another thread runs, and that the main thread may wait for.

    The main thread may be interrupted between any two steps here. So there are no locks: each flag
    has one writer, and what may happen only once is popped from a list, which is atomic. `Future`
    and `Event` cannot be used: Ctrl-C at the wrong moment leaves their locks in an undefined state.
    """

    def __init__(self, work: Callable[[], None], end: Callable[[], None] = lambda: None) -> None:
        self._work = work
        self._context = contextvars.copy_context()
        self._caller_needs_it = need_check()
        self._ends = [end]
        self._unclaimed = [True]
        self._done = threading.Lock()
        self._done.acquire()
        self._error: BaseException | None = None
        self._abandoned = self._over = False
        self.finished = False
        """Whether the work has ended, or will never begin."""

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Run the work on this thread, unless it was abandoned before it began.

        `ready` is called before the thread that waits for the job continues.
        """
        if not self._claim():
            ready()
            return
        try:
            with cancel_unless(self._is_needed):
                self._context.run(self._work)
        except BaseException as error:
            self._error = error
        self.finished = True
        try:
            if self._abandoned:
                # Freed here and not on the main thread, where its destructors, in which Python
                # ignores exceptions, could swallow a KeyboardInterrupt.
                self._error = None
                self._end_once()
        except Exception:
            _log.exception("the resources of a run could not be released")
        finally:  # the thread that waits must continue in any case
            ready()
            self._over = True
            self._done.release()

    def abandon(self) -> None:
        """Tell, on the thread that waits, that the result is not needed any more.

        Work that has not begun never will; a guest that runs is cancelled. The owner's `end` is
        called once the work has ended.
        """
        self._abandoned = True
        if self._claim():
            self.finished = self._over = True
        if self.finished:
            self._end_once()

    def wait(self, seconds: float = math.inf) -> None:
        """Wait until the work has ended, or for `seconds`.

        Some systems do not wake a waiting main thread for a signal, so it wakes up regularly.
        """
        until = time.monotonic() + seconds
        while not self._over and time.monotonic() < until:
            self._done.acquire(timeout=_TICK)

    def raise_error(self) -> None:
        """Raise the exception of the work, if it raised one."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _is_needed(self) -> bool:
        return not self._abandoned and self._caller_needs_it()

    def _claim(self) -> bool:
        """Return whether the caller is the first to run or to abandon this job."""
        try:
            return self._unclaimed.pop()
        except IndexError:
            return False

    def _end_once(self) -> None:
        try:
            end = self._ends.pop()
        except IndexError:
            return
        end()


class _Helpers:
    """Threads that run jobs: one for each job that runs at the same time. One idle thread stays."""

    def __init__(self) -> None:
        self._reset()
        atexit.register(self._cancel_all)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def start(self, job: HelperJob) -> bool:
        """Give a job to a helper thread. Returns False if no thread can be started, which happens
        while the process exits."""
        if self._waiting.qsize() >= len(self._idle):
            try:
                start_with_stack(self._serve, "coderelay guests")
            except RuntimeError:
                return False
        self._waiting.put(job)
        return True

    def _reset(self) -> None:
        """Start without threads. A forked child has none of its parent's."""
        self._waiting: SimpleQueue[HelperJob] = SimpleQueue()
        self._idle: deque[None] = deque()
        self._running: dict[int, HelperJob] = {}

    def _serve(self) -> None:
        self._idle.append(None)
        stays = True

        def ready() -> None:
            nonlocal stays
            stays = not self._idle
            if stays:
                self._idle.append(None)

        while stays:
            job = self._waiting.get()
            self._idle.pop()
            self._running[id(job)] = job
            try:
                job.run(ready)
            finally:
                del self._running[id(job)]
            del job  # or it would stay in memory until the next job comes

    def _cancel_all(self) -> None:
        """Cancel all jobs at exit: no thread may be inside a guest when the process ends."""
        until = time.monotonic() + _PATIENCE
        while self._running and time.monotonic() < until:
            for job in list(self._running.values()):
                job.abandon()
                job.wait(_PATIENCE)


_helpers = _Helpers()
