"""A clock stops what fuel did not, and what nobody waits for; it never decides an outcome.

A clock thread advances the engine's epoch. Each time it does, a running guest asks whether it may
go on: on its own thread, where it is known how long it has and for whom it works.

The seconds are those that the guest's thread was on a processor: a guest on a busy machine is not
to blame for its neighbours. The wall clock stops it only far beyond that.
"""

import ctypes
import os
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TypeAlias

import wasmtime
from wasmtime import TrapCode
from wasmtime import _ffi as ffi

from coderelay.core.cancellation import is_still_needed
from coderelay.engines.wasm.trapped import Trapped

_TICK = 0.1
_GO_ON = 0
_WALL = 10
"""How many seconds of wall clock a guest has for each second on a processor."""

Clock: TypeAlias = tuple[Callable[[], float], float]
"""A clock, and by what the seconds of a watch are multiplied on it."""

_CLOCKS: tuple[Clock, ...] = ((time.thread_time, 1), (time.monotonic, _WALL))


class Backstop:
    """Ticks an engine's epoch while guests run, so that none runs past its seconds."""

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._engine = engine
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._process = os.getpid()
        self._running = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether a guest runs now."""
        return self._running > 0

    def watch(
        self, store: wasmtime.Store, seconds: float, now: Callable[[], float] | None = None
    ) -> "Watch":
        """While the guest in this store runs: it is stopped after so long, or when nobody waits for
        it any more. Then `Trapped` is raised, with `INTERRUPT`. The seconds are by the clock that
        is given, or else those on a processor."""
        if os.getpid() != self._process:  # a fork leaves the thread and its lock behind
            self._begin_anew()
        ffi.wasmtime_store_epoch_deadline_callback(store.ptr(), _ASKED, None, _NO_FINALIZER)
        return Watch(self, store, seconds, _CLOCKS if now is None else ((now, 1),))

    def began(self) -> None:
        """A guest runs: the clock ticks."""
        with self._changed:
            self._running += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._tick, daemon=True, name="backstop")
                self._thread.start()
            elif self._running == 1:
                self._changed.notify()

    def ended(self) -> None:
        """A guest has come to its end, or waits."""
        with self._changed:
            self._running -= 1

    def _tick(self) -> None:
        while True:
            with self._changed:
                while not self._running:
                    self._changed.wait()
            time.sleep(_TICK)
            self._engine.increment_epoch()


class Watch:
    """One stay in a guest. An import may begin another on the same thread meanwhile."""

    def __init__(
        self,
        backstop: Backstop,
        store: wasmtime.Store,
        seconds: float,
        clocks: Sequence[Clock],
    ) -> None:
        self._backstop = backstop
        self._store = store
        self._seconds = seconds
        self._clocks = clocks
        self._stopped = False
        self._raised: BaseException | None = None

    def __enter__(self) -> "Watch":
        if not is_still_needed():
            raise Trapped(TrapCode.INTERRUPT)
        self.allow(self._seconds)
        self._outer, _here.watch = _here.watch, self
        self._backstop.began()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._backstop.ended()
        _here.watch = self._outer
        if self._raised is not None:
            raise self._raised
        if self._stopped and error is not None:
            raise Trapped(TrapCode.INTERRUPT) from error

    def allow(self, seconds: float) -> None:
        """Let the guest run for so long from now."""
        self._ends = [(now, now() + seconds * factor) for now, factor in self._clocks]
        self._store.set_epoch_deadline(1 if seconds > 0 else 0)

    def goes_on(self) -> bool:
        """Whether the guest may."""
        try:
            self._stopped = any(now() >= end for now, end in self._ends) or not is_still_needed()
        except BaseException as error:  # raised when the guest has been left
            self._stopped, self._raised = True, error
        return not self._stopped


class _Here(threading.local):
    watch: Watch | None = None


_here = _Here()


def allow(seconds: float) -> None:
    """Let the guest that runs on this thread run for so long from now; not at all where nobody
    waits for it any more."""
    if _here.watch is not None:
        _here.watch.allow(seconds if is_still_needed() else 0)


def _asked(context: object, data: object, ticks: list[int], kind: list[int]) -> int:
    """The clock has ticked while a guest runs on this thread."""
    watch = _here.watch
    if watch is None or watch.goes_on():
        ticks[0], kind[0] = 1, _GO_ON
        return 0
    error = ffi.wasmtime_error_new(ctypes.create_string_buffer(b"stopped"))
    return int(ctypes.cast(error, ctypes.c_void_p).value or 0)


_ASKED = ctypes.CFUNCTYPE(
    ctypes.c_size_t,
    ctypes.POINTER(ffi.wasmtime_context_t),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.POINTER(ffi.wasmtime_update_deadline_kind_t),
)(_asked)
_NO_FINALIZER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)()
