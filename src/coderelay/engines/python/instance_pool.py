"""Pristine instances are ready before they are needed, used ones restored or new ones made; whether
one was waiting changes no answer."""

import atexit
import os
import threading
import time
from collections import deque
from collections.abc import Callable

from coderelay.engines.python.instance import PythonInstance
from coderelay.engines.python.pristine import Pristine

_PAUSE, _PATIENCE = 0.003, 10
"""Seconds before an instance is replaced, and how often they are waited for: the program that took
it gets the machine first. Two at once would fight for the locks on this process's memory."""
_MOST_USED = 8


class PythonPool:
    """A few warm instances, filled up by a thread of its own."""

    _changed: threading.Condition
    _filler: threading.Thread | None
    _closed: bool

    def __init__(self, pristine: Pristine, size: int, *, busy: Callable[[], bool]) -> None:
        self._pristine = pristine
        self._busy = busy
        self.size = size
        self._ready: deque[PythonInstance] = deque()
        self._used: deque[PythonInstance] = deque()
        self._reset()
        if size:
            atexit.register(self.close)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=self._reset)

    @property
    def waiting(self) -> int:
        """How many instances are ready."""
        return len(self._ready)

    def take(self) -> PythonInstance:
        """A pristine instance: one that waits, else a used one restored, else one made now. The
        last one that was used: its memory is the warmest in the processor's caches."""
        with self._changed:
            self._start()
            if self._ready:
                self._changed.notify_all()
                return self._ready.pop()
            used = self._used.pop() if self._used else None
        if used is not None:
            if self._pristine.restore(used):
                return used
            used.close()
        return self._pristine.make()

    def give_back(self, instance: PythonInstance) -> None:
        """Restore a used instance, soon, if it is reusable; or free it."""
        with self._changed:
            if self._filler is not None and len(self._used) < _MOST_USED:
                self._used.append(instance)
                self._changed.notify_all()
                return
        instance.close()

    def fill(self) -> None:
        """Wait until the pool is full."""
        with self._changed:
            self._start()
            self._changed.wait_for(lambda: len(self._ready) >= self.size or self._closed)

    def close(self) -> None:
        """Stop filling. No thread may be inside a guest when the interpreter ends."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            filler, self._filler = self._filler, None
        if filler is not None:
            filler.join()

    def _reset(self) -> None:
        """Begin anew: a forked child has neither its parent's threads nor their locks."""
        self._changed = threading.Condition()
        self._filler = None
        self._closed = False

    def _start(self) -> None:
        if self.size and self._filler is None and not self._closed:
            filler = threading.Thread(target=self._work, daemon=True, name="python-pool")
            filler.start()  # first: one that Ctrl-C kept from starting would be waited for
            self._filler = filler

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._needed)
                if self._closed:
                    return
            self._pause()
            self._restore_used()
            if len(self._ready) < self.size:
                self._put(self._pristine.make())

    def _restore_used(self) -> None:
        while True:
            with self._changed:
                if not self._used:
                    return
                used, wanted = self._used.pop(), len(self._ready) < self.size
            if wanted and self._pristine.restore(used):
                self._put(used)
            else:
                used.close()

    def _put(self, instance: PythonInstance) -> None:
        with self._changed:
            self._ready.append(instance)
            self._changed.notify_all()

    def _pause(self) -> None:
        for _ in range(_PATIENCE):
            time.sleep(_PAUSE)
            if not self._busy() or len(self._ready) < self.size / 2:
                return

    def _needed(self) -> bool:
        return len(self._ready) < self.size or bool(self._used) or self._closed
