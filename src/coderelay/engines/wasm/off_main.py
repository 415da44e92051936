"""Guests never run on the main thread.

There Python runs the handlers of signals, between any two steps of Python code. What a handler
raises, as Ctrl-C does, at the very entry of a function that native code calls has nowhere to go:
the native code goes on with a result that nobody set, and the process may die. So what enters a
guest is done by a helper thread, while the main thread waits in a place where it can be
interrupted at any moment. Then the guest is stopped, because nobody waits for it any more, and what
it held is given back when it has been left. See docs/design/off-main-thread.md.
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
"""Seconds that the end of the process waits for guests that nobody waits for."""


class OffMainThread:
    """Does the work of one owner, such as a run, and knows whether any is under way.

    `end` gives back what the owner holds. It is never called while work is under way.
    """

    def __init__(self) -> None:
        self._errand: Errand | None = None

    def run(self, work: Callable[[], T], end: Callable[[], None]) -> T:
        """Do a piece of work, and return or raise what it does. Where the waiting is interrupted,
        the owner has ended."""
        if threading.current_thread() is not threading.main_thread():
            return work()
        returned: list[T] = []
        errand = self._errand = Errand(lambda: returned.append(work()), end)
        try:
            if not _helpers.take(errand):
                return work()
            errand.wait()
            errand.raise_error()
            return returned[0]
        except BaseException:
            errand.abandon()
            errand.wait()  # until the guest has been left; a second signal may end this wait
            raise
        finally:
            if errand.finished:
                self._errand = None

    def close(self, end: Callable[[], None]) -> None:
        """End the owner: now, or as soon as the work that is still under way is over."""
        errand = self._errand
        if errand is not None and not errand.finished:
            errand.abandon()
        else:
            to_its_end(end)


def to_its_end(work: Callable[[], None]) -> None:
    """Do work that must not be left half done, such as giving something back. What interrupts the
    main thread ends its waiting, and not the work."""
    if threading.current_thread() is not threading.main_thread():
        work()
        return
    errand = Errand(work)
    if _helpers.take(errand):
        errand.wait()
        errand.raise_error()
    else:
        work()


class Errand:
    """One piece of work that another thread does. Whoever waits for it may be interrupted between
    any two steps here, so nothing is locked: each flag has one writer, and what may happen only
    once is popped from a list. `Future` and `Event` are not to be waited for on the main thread:
    Ctrl-C at the wrong moment leaves their locks in disorder."""

    def __init__(self, work: Callable[[], None], end: Callable[[], None] = lambda: None) -> None:
        self._work = work
        self._context = contextvars.copy_context()
        self._somebody_waits = need_check()
        self._ends = [end]
        self._unclaimed = [True]
        self._done = threading.Lock()
        self._done.acquire()
        self._error: BaseException | None = None
        self._abandoned = self._over = False
        self.finished = False
        """Whether the work is over, or will never begin."""

    def carry_out(self, ready: Callable[[], None] = lambda: None) -> None:
        """For another thread: do the work, unless it was given up before it began. `ready` is
        called before whoever waits for it goes on."""
        if not self._claim():
            ready()
            return
        try:
            with cancel_unless(self._is_wanted):
                self._context.run(self._work)
        except BaseException as error:
            self._error = error
        self.finished = True
        try:
            if self._abandoned:
                self._error = None  # what is freed on the main thread may swallow a Ctrl-C
                self._end_once()
        except Exception:
            _log.exception("what a run held could not be given back")
        finally:  # whoever waits goes on all the same
            ready()
            self._over = True
            self._done.release()

    def abandon(self) -> None:
        """For whoever waits: keep the work from being begun, or let it be known that nobody waits
        for it, which stops a guest. The owner ends once the work is over."""
        self._abandoned = True
        if self._claim():
            self.finished = self._over = True
        if self.finished:
            self._end_once()

    def wait(self, seconds: float = math.inf) -> None:
        """Wait until the work is over, or for so long. Not all systems wake the main thread for a
        signal, so it looks for one itself every now and then."""
        until = time.monotonic() + seconds
        while not self._over and time.monotonic() < until:
            self._done.acquire(timeout=_TICK)

    def raise_error(self) -> None:
        """Raise what the work raised."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _is_wanted(self) -> bool:
        return not self._abandoned and self._somebody_waits()

    def _claim(self) -> bool:
        """Whether the caller is the first to decide what becomes of this."""
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
    """Threads that do errands: as many as there are errands at once, mostly one. One stays."""

    def __init__(self) -> None:
        self._begin_anew()
        atexit.register(self._leave_guests)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin_anew)

    def take(self, errand: Errand) -> bool:
        """Have an errand done. False where no thread can be started: the process ends."""
        if self._waiting.qsize() >= len(self._idle):
            try:
                start_with_stack(self._serve, "coderelay guests")
            except RuntimeError:
                return False
        self._waiting.put(errand)
        return True

    def _begin_anew(self) -> None:
        """A forked child has none of its parent's threads."""
        self._waiting: SimpleQueue[Errand] = SimpleQueue()
        self._idle: deque[None] = deque()
        self._under_way: dict[int, Errand] = {}

    def _serve(self) -> None:
        self._idle.append(None)
        stays = True

        def ready() -> None:
            nonlocal stays
            stays = not self._idle
            if stays:
                self._idle.append(None)

        while stays:
            errand = self._waiting.get()
            self._idle.pop()
            self._under_way[id(errand)] = errand
            try:
                errand.carry_out(ready)
            finally:
                del self._under_way[id(errand)]
            del errand  # not kept while waiting for the next

    def _leave_guests(self) -> None:
        """The process ends: no thread may be inside a guest then."""
        until = time.monotonic() + _PATIENCE
        while self._under_way and time.monotonic() < until:
            for errand in list(self._under_way.values()):
                errand.abandon()
                errand.wait(_PATIENCE)


_helpers = _Helpers()
