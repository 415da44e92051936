"""The wall clock stops only what fuel did not; it never decides an outcome."""

import os
import threading
import time

import wasmtime

_TICK = 0.1


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

    def watch(self, store: wasmtime.Store, seconds: float) -> "Backstop":
        """Let the guest in this store run for so long; then it traps with `INTERRUPT`."""
        store.set_epoch_deadline(int(seconds / _TICK) + 2)
        if os.getpid() != self._process:  # a fork leaves the thread and its lock behind
            self._begin_anew()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._running -= 1

    def __enter__(self) -> None:
        with self._changed:
            self._running += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._tick, daemon=True, name="backstop")
                self._thread.start()
            elif self._running == 1:
                self._changed.notify()

    def _tick(self) -> None:
        while True:
            with self._changed:
                while not self._running:
                    self._changed.wait()
            time.sleep(_TICK)
            self._engine.increment_epoch()
