"""Interrupts guests that run for too many seconds, and guests whose result nobody needs any more.

This is the backstop behind fuel, and never decides an outcome: an interrupted run can be repeated.

A clock thread advances the engine's epoch every tenth of a second. At each tick a running guest
calls back on its own thread, where its deadline and its cancellation are known.

The seconds are CPU time of the guest's thread, so that a busy machine does not interrupt its
guests. The wall clock interrupts them only after a multiple of that.
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
_CONTINUE = 0
_WALL = 10
"""How many seconds of wall clock a guest may take for each second of CPU time."""

Clock: TypeAlias = tuple[Callable[[], float], float]
"""A clock, and the factor by which a watch's seconds are multiplied for it."""

_CLOCKS: tuple[Clock, ...] = ((time.thread_time, 1), (time.monotonic, _WALL))


class Backstop:
    """Advances an engine's epoch while guests run, so that each can be interrupted."""

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._engine = engine
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._running = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether a guest is running."""
        return self._running > 0

    def watch(
        self, store: wasmtime.Store, seconds: float, now: Callable[[], float] | None = None
    ) -> "Watch":
        """Return a context manager; inside it, the guest in this store may run for `seconds`.

        After that, or when its result is not needed any more, the guest is interrupted and
        `Trapped` is raised with `INTERRUPT`. The seconds are CPU time, unless `now` is another
        clock.
        """
        if os.getpid() != self._process:  # a forked child has no clock thread
            self._reset()
        ffi.wasmtime_store_epoch_deadline_callback(store.ptr(), _ON_TICK, None, _NO_FINALIZER)
        return Watch(self, store, seconds, _CLOCKS if now is None else ((now, 1),))

    def guest_entered(self) -> None:
        """Count one more running guest, and let the clock tick."""
        with self._changed:
            self._running += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._tick, daemon=True, name="backstop")
                self._thread.start()
            elif self._running == 1:
                self._changed.notify()

    def guest_left(self) -> None:
        """Count one running guest less. The clock stops with the last one."""
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
    """The deadline of one entry into a guest.

    A host function may enter another guest on the same thread meanwhile, with a watch of its own.
    """

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
        self._outer, _current.watch = _current.watch, self
        self._backstop.guest_entered()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._backstop.guest_left()
        _current.watch = self._outer
        if self._raised is not None:
            raise self._raised
        if self._stopped and error is not None:
            raise Trapped(TrapCode.INTERRUPT) from error

    def allow(self, seconds: float) -> None:
        """Let the guest run for `seconds` from now on."""
        self._ends = [(now, now() + seconds * factor) for now, factor in self._clocks]
        self._store.set_epoch_deadline(1 if seconds > 0 else 0)

    def may_continue(self) -> bool:
        """Return whether the guest may continue, and remember it if not."""
        try:
            self._stopped = any(now() >= end for now, end in self._ends) or not is_still_needed()
        except BaseException as error:  # raised again by `__exit__`, outside of native code
            self._stopped, self._raised = True, error
        return not self._stopped


class _CurrentWatch(threading.local):
    watch: Watch | None = None


_current = _CurrentWatch()
"""The watch of the guest that runs on this thread. wasmtime's callback gets no data of ours."""


def allow(seconds: float) -> None:
    """Let the guest that runs on this thread run for `seconds` from now on, or interrupt it at
    once if its result is not needed any more."""
    if _current.watch is not None:
        _current.watch.allow(seconds if is_still_needed() else 0)


def _on_tick(context: object, data: object, ticks: list[int], kind: list[int]) -> int:
    """Decide, at a tick of the clock, whether the guest that runs on this thread may continue.

    Returns 0, or the address of an error that interrupts the guest.
    """
    watch = _current.watch
    if watch is None or watch.may_continue():
        ticks[0], kind[0] = 1, _CONTINUE
        return 0
    error = ffi.wasmtime_error_new(ctypes.create_string_buffer(b"stopped"))
    return int(ctypes.cast(error, ctypes.c_void_p).value or 0)


_ON_TICK = ctypes.CFUNCTYPE(
    ctypes.c_size_t,
    ctypes.POINTER(ffi.wasmtime_context_t),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.POINTER(ffi.wasmtime_update_deadline_kind_t),
)(_on_tick)
_NO_FINALIZER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)()
