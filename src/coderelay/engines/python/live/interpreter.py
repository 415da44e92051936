"""A live session: one CPython that stays, cell after cell, with a directory of its own."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from wasmtime import TrapCode

from coderelay.core import EngineError, Failure, Json
from coderelay.core.json_values import size
from coderelay.engines.python import entry, failure_report
from coderelay.engines.python.engine import PythonEngine
from coderelay.engines.python.execution import EXITED
from coderelay.engines.python.instance import PythonInstance, is_out_of_memory
from coderelay.engines.python.live.quota import Quota
from coderelay.engines.python.live.session_calls import Answer, LiveCall
from coderelay.engines.python.live.session_clock import SYSTEM_TIME, Time
from coderelay.engines.python.live.session_directory import SessionDirectory
from coderelay.engines.python.live.session_limits import DEFAULT_LIVE_LIMITS, LiveLimits
from coderelay.engines.python.live.session_world import LiveWorld, out_of_time
from coderelay.engines.wasm.config import STACK
from coderelay.engines.wasm.guest_execution import CRASHED, NO_MEMORY, TRAP_LIMITS
from coderelay.engines.wasm.nativestack import require_stack
from coderelay.engines.wasm.off_main import OffMainThread
from coderelay.engines.wasm.trapped import Trapped

__all__ = ["DEFAULT_LIVE_LIMITS", "Answer", "Cell", "Live", "LiveCall", "LiveLimits"]

_BEGINNING = 60.0
"""Seconds that an interpreter has to begin: they are ours, not those of its first cell."""
_SILENT = Failure("exception", "the cell did not tell how it ended", name="RuntimeError")


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell came to."""

    output: str
    """All that it printed, in order."""
    value: str | None
    """The text of its last expression's value, unless that is None."""
    failure: Failure | None
    alive: bool
    """Whether the names of the cells before are still there. The files always are."""


class Live:
    """Names, functions and imports stay from cell to cell. One thread at a time may use it."""

    def __init__(
        self,
        directory: Path,
        *,
        engine: PythonEngine,
        modules: Mapping[str, str],
        answer: Answer,
        limits: LiveLimits = DEFAULT_LIVE_LIMITS,
        time: Time = SYSTEM_TIME,
    ) -> None:
        if os.open not in os.supports_dir_fd:
            raise EngineError("this system cannot keep a session inside its directory")
        self._engine = engine
        self._modules = dict(modules)
        self._answer = answer
        self._limits = limits
        self._time = time
        self._cells = 0
        self._instance: PythonInstance | None = None
        self._world: LiveWorld | None = None
        self._closed = self._full = False
        self._off_main = OffMainThread()
        quota = Quota(limits.files, limits.entries)
        self._directory = SessionDirectory(directory, quota, descriptors=limits.descriptors)

    @property
    def alive(self) -> bool:
        """Whether there is an interpreter, with the names of the cells so far."""
        return self._instance is not None

    def run(self, source: str) -> Cell:
        """Run a cell to its end. Where no interpreter is alive, a fresh one is made for it."""
        if self._closed:
            raise RuntimeError("this session is closed")
        return self._off_main.run(lambda: self._run(source), self._end)

    def charge(self, fuel: int) -> bool:
        """Take fuel from the cell that runs, for work that its calls made the host do. Says
        whether any is left: a cell without fuel ends as soon as its calls are answered.

        Only `answer` may do so, on the thread that it is called on.
        """
        return self._world is None or self._world.pay(fuel)

    def record_call(self, name: str, arguments: Json) -> None:
        """Say that a call of the cell that runs has succeeded: if the cell fails, its failure tells
        of it. For `answer`, as `charge` is."""
        if self._world is not None:
            self._world.calls.add(name, arguments)

    def close(self) -> None:
        """Free the interpreter. The directory stays as it is."""
        self._closed = True
        self._off_main.close(self._end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, source: str) -> Cell:
        require_stack(STACK)
        self._cells += 1
        refused = self._refused(source)
        if refused is not None:
            return Cell("", None, refused, alive=True)  # it lost nothing
        source = entry.unfenced(source)
        instance, world = self._ready()
        world.begin()
        self._directory.forget()
        try:
            seconds = self._limits.seconds
            self._enter(instance, world, seconds, "cell", str(self._cells), source)
        except Trapped as trap:
            self._drop()
            why = EXITED if world.exited else self._trapped(trap, world)
            why = replace(why, calls=world.calls.text())
            return Cell("".join(world.output), None, why, alive=False)
        except BaseException:
            self._drop()
            raise
        failure = _failure(world, source)
        if failure is not None:
            failure = replace(failure, calls=world.calls.text())
        full = failure is not None and failure.limit == "memory"
        if (full and self._full) or (not full and _is_broken(world)):
            self._drop()  # nothing was freed, or our side is broken: no later cell would do better
        self._full = full
        return Cell("".join(world.output), world.value or None, failure, self.alive)

    def _ready(self) -> tuple[PythonInstance, LiveWorld]:
        if self._instance is not None and self._world is not None:
            return self._instance, self._world
        limits = self._limits
        instance = self._instance = self._engine.pool.take()
        store = instance.store
        store.set_limits(memory_size=limits.memory)
        world = self._world = LiveWorld(store, self._directory, self._answer, limits, self._time)
        setup = {
            "modules": self._modules,
            "seed": os.urandom(32).hex(),
            "output": limits.output,
            "value": limits.value,
            "arguments": limits.arguments,
            "batch": limits.batch,
        }
        try:
            self._enter(instance, world, _BEGINNING, "begin", json.dumps(setup))
        except BaseException as error:
            self._drop()
            if isinstance(error, Trapped):
                raise EngineError("the session does not begin") from error
            raise
        if world.failure is not None:
            self._drop()
            told = failure_report.failure(world.failure, "", ())
            raise EngineError(f"the session does not begin: {told.message}")
        return instance, world

    def _enter(
        self, instance: PythonInstance, world: LiveWorld, seconds: float, export: str, *texts: str
    ) -> None:
        world.budget.begin_step(instance.store)
        with self._engine.backstop.watch(instance.store, seconds, self._time.monotonic):
            instance.enter(world, export, *texts)

    def _end(self) -> None:
        self._drop()
        if self._closed:
            self._directory.end()

    def _drop(self) -> None:
        if self._world is not None and self._world.files is not None:
            self._world.files.end()
        if self._instance is not None:
            self._instance.close()
        self._instance = self._world = None
        self._full = False

    def _refused(self, source: str) -> Failure | None:
        try:
            source.encode()
        except UnicodeEncodeError:
            message = "the cell has a lone surrogate, which is no text"
            return Failure("syntax", message, name="SyntaxError")
        length, limit = size(source), self._limits.source
        if length <= limit:
            return None
        message = f"the cell has {length} bytes, the limit is {limit}: write a shorter one"
        return _limit("source", message)

    def _trapped(self, trap: Trapped, world: LiveWorld) -> Failure:
        code = trap.trap_code
        if code is TrapCode.OUT_OF_FUEL:
            return _limit(*world.budget.exceeded_limit)
        if code is TrapCode.INTERRUPT:
            return _limit("seconds", out_of_time(self._limits))
        if code in TRAP_LIMITS:
            return _limit(*TRAP_LIMITS[code])
        return _limit("memory", NO_MEMORY) if is_out_of_memory(trap) else CRASHED


def _is_broken(world: LiveWorld) -> bool:
    """Whether the harness failed, and not the cell: code can come to it and break it."""
    if world.value is not None:
        return False
    return world.failure is None or failure_report.is_bare(world.failure)


def _failure(world: LiveWorld, source: str) -> Failure | None:
    told = None if world.failure is None else failure_report.failure(world.failure, source, ())
    if world.passed is not None:
        limit = _limit(*world.passed)
        if told is None:
            return limit
        return replace(limit, line=told.line, column=told.column, frame=told.frame)
    return _SILENT if told is None and world.value is None else told


def _limit(limit: str, message: str) -> Failure:
    return Failure("limit", message, name="LimitError", limit=limit)
