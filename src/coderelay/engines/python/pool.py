"""Pristine instances are made before they are needed; whether one was waiting changes no answer."""

import atexit
import os
import threading
import time
from collections import deque
from collections.abc import Callable

from coderelay.engines.python.instance import Instance

_PAUSE, _PATIENCE = 0.003, 10
"""Seconds before an instance is replaced, and how often they are waited for: the program that took
it gets the machine first. Two at once would fight for the locks on this process's memory."""
_MOST_DISCARDED = 8


class Pool:
    """A few warm instances, filled up by a thread of its own, which also frees used ones."""

    _changed: threading.Condition
    _filler: threading.Thread | None
    _closed: bool

    def __init__(
        self, make: Callable[[], Instance], size: int, *, busy: Callable[[], bool]
    ) -> None:
        self._make = make
        self._busy = busy
        self.size = size
        self._ready: deque[Instance] = deque()
        self._discarded: deque[Instance] = deque()
        self._reset()
        if size:
            atexit.register(self.close)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=self._reset)

    @property
    def waiting(self) -> int:
        """How many instances are ready."""
        return len(self._ready)

    def take(self) -> Instance:
        """A pristine instance, waiting or made now. The last one made: its memory is the warmest
        in the processor's caches."""
        with self._changed:
            self._start()
            if self._ready:
                self._changed.notify_all()
                return self._ready.pop()
        return self._make()

    def discard(self, instance: Instance) -> None:
        """Free an instance, soon: unmapping its memory takes as long as many a step does."""
        with self._changed:
            if self._filler is not None and len(self._discarded) < _MOST_DISCARDED:
                self._discarded.append(instance)
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
            self._filler = threading.Thread(target=self._work, daemon=True, name="python-pool")
            self._filler.start()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._needed)
                if self._closed:
                    return
            self._pause()
            while self._discarded:
                self._discarded.popleft().close()
            if len(self._ready) < self.size:
                instance = self._make()
                with self._changed:
                    self._ready.append(instance)
                    self._changed.notify_all()

    def _pause(self) -> None:
        for _ in range(_PATIENCE):
            time.sleep(_PAUSE)
            if not self._busy() or len(self._ready) < self.size / 2:
                return

    def _needed(self) -> bool:
        return len(self._ready) < self.size or bool(self._discarded) or self._closed
