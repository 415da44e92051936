"""Prepares instances of the Python guest before programs need them, on a thread of its own.

Used instances are restored to their initial state, and new ones are made. A program cannot tell
whether its instance was prepared, restored or made for it.
"""

import atexit
import os
import threading
import time
from collections import deque
from collections.abc import Callable

from coderelay.engines.python.instance import PythonInstance
from coderelay.engines.python.instance_restorer import InstanceRestorer

_PAUSE, _PAUSES = 0.003, 10
"""The thread waits for so many seconds, and up to so many times, before it replaces an instance. So
the program that took it runs first: both would contend for the locks on the process's memory."""
_MOST_USED = 8


class PythonPool:
    """A few instances in their initial state, which a thread replaces when they are taken."""

    _changed: threading.Condition
    _filler: threading.Thread | None
    _closed: bool

    def __init__(self, restorer: InstanceRestorer, size: int, *, busy: Callable[[], bool]) -> None:
        self._restorer = restorer
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
    def ready(self) -> int:
        """How many instances are ready."""
        return len(self._ready)

    def take(self) -> PythonInstance:
        """Return an instance in its initial state.

        It is one that is ready, or else a used one that is restored now, or else a new one. The
        one that was added last is taken first: more of its memory is in the processor's caches.
        """
        with self._changed:
            self._start()
            if self._ready:
                self._changed.notify_all()
                return self._ready.pop()
            used = self._used.pop() if self._used else None
        if used is not None:
            if self._restorer.restore(used):
                return used
            used.close()
        return self._restorer.make()

    def give_back(self, instance: PythonInstance) -> None:
        """Take back an instance that can be entered again. The thread restores it, unless there
        are enough: then it is closed."""
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
        """End the thread. No thread may be inside a guest when the process exits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            filler, self._filler = self._filler, None
        if filler is not None:
            filler.join()

    def _reset(self) -> None:
        """Start without a thread. A forked child has neither its parent's threads nor locks."""
        self._changed = threading.Condition()
        self._filler = None
        self._closed = False

    def _start(self) -> None:
        if self.size and self._filler is None and not self._closed:
            filler = threading.Thread(target=self._work, daemon=True, name="python-pool")
            # Started before it is assigned: if Ctrl-C prevents it, `close` must not wait for it.
            filler.start()
            self._filler = filler

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._has_work)
                if self._closed:
                    return
            self._pause()
            self._restore_used()
            if len(self._ready) < self.size:
                self._put(self._restorer.make())

    def _restore_used(self) -> None:
        while True:
            with self._changed:
                if not self._used:
                    return
                used, needed = self._used.pop(), len(self._ready) < self.size
            if needed and self._restorer.restore(used):
                self._put(used)
            else:
                used.close()

    def _put(self, instance: PythonInstance) -> None:
        with self._changed:
            self._ready.append(instance)
            self._changed.notify_all()

    def _pause(self) -> None:
        """Wait while guests run, but not if fewer than half of the instances are left."""
        for _ in range(_PAUSES):
            time.sleep(_PAUSE)
            if not self._busy() or len(self._ready) < self.size / 2:
                return

    def _has_work(self) -> bool:
        return len(self._ready) < self.size or bool(self._used) or self._closed
