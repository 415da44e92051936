"""Runs the cells of a session in one CPython, whose variables stay from cell to cell."""

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

_START_SECONDS = 60.0
"""How many seconds an interpreter may take to start. They do not count for its first cell."""
_NO_REPORT = Failure("exception", "the cell ended without reporting a result", name="RuntimeError")


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of a cell."""

    output: str
    """Everything that it printed, in order."""
    value: str | None
    """The value of its last expression as text, or None if the value is None."""
    failure: Failure | None
    alive: bool
    """Whether the interpreter still has the variables of earlier cells. Files always remain."""


class Live:
    """An interpreter whose variables, functions and imports stay from cell to cell.

    Only one thread may use it at a time.
    """

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
            raise EngineError(
                "this system cannot keep a session inside its directory: use Linux or macOS"
            )
        self._engine = engine
        self._modules = dict(modules)
        self._answer = answer
        self._limits = limits
        self._time = time
        self._cells = 0
        self._instance: PythonInstance | None = None
        self._world: LiveWorld | None = None
        self._closed = self._out_of_memory = False
        self._off_main = OffMainThread()
        quota = Quota(limits.files, limits.entries)
        self._directory = SessionDirectory(directory, quota, descriptors=limits.descriptors)

    @property
    def alive(self) -> bool:
        """Whether the interpreter runs, with the variables of the cells so far."""
        return self._instance is not None

    def run(self, source: str) -> Cell:
        """Run a cell, and return its result. If no interpreter is alive, a new one is started."""
        if self._closed:
            raise RuntimeError("this session is closed: make a new one")
        return self._off_main.run(lambda: self._run(source), self._end)

    def charge(self, fuel: int) -> bool:
        """Subtract fuel from the running cell, for work that the host did for its calls, and
        return whether any is left. A cell without fuel ends as soon as its calls are answered.

        Only `answer` may call this, on its own thread.
        """
        return self._world is None or self._world.pay(fuel)

    def record_call(self, name: str, arguments: Json) -> None:
        """Record that a call of the running cell has succeeded. If the cell fails, its failure
        lists the call. Only `answer` may call this, on its own thread."""
        if self._world is not None:
            self._world.calls.add(name, arguments)

    def close(self) -> None:
        """End the interpreter. The directory stays as it is."""
        self._closed = True
        self._off_main.close(self._end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, source: str) -> Cell:
        require_stack(STACK)
        self._cells += 1
        refusal = self._refusal(source)
        if refusal is not None:
            return Cell("", None, refusal, alive=True)  # the interpreter was not entered
        source = entry.unfenced(source)
        instance, world = self._interpreter()
        world.begin()
        self._directory.recount()
        try:
            seconds = self._limits.seconds
            self._enter(instance, world, seconds, "cell", str(self._cells), source)
        except Trapped as trap:
            self._drop()
            failure = EXITED if world.exited else self._failure_of(trap, world)
            failure = replace(failure, calls=world.calls.text())
            return Cell("".join(world.output), None, failure, alive=False)
        except BaseException:
            self._drop()
            raise
        reported = _failure(world, source)
        if reported is not None:
            reported = replace(reported, calls=world.calls.text())
        out_of_memory = reported is not None and reported.limit == "memory"
        if (out_of_memory and self._out_of_memory) or (not out_of_memory and _is_broken(world)):
            # Memory ran out twice in a row, or the harness is broken: later cells would fail, too.
            self._drop()
        self._out_of_memory = out_of_memory
        return Cell("".join(world.output), world.value or None, reported, self.alive)

    def _interpreter(self) -> tuple[PythonInstance, LiveWorld]:
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
            self._enter(instance, world, _START_SECONDS, "begin", json.dumps(setup))
        except BaseException as error:
            self._drop()
            if isinstance(error, Trapped):
                raise EngineError(f"the session does not start: it stopped with {error}") from error
            raise
        if world.failure is not None:
            self._drop()
            failure = failure_report.failure(world.failure, "", ())
            raise EngineError(f"the session does not start: {failure.message}")
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
        self._out_of_memory = False

    def _refusal(self, source: str) -> Failure | None:
        """Return why a cell cannot be run at all, or None if it can."""
        try:
            source.encode()
        except UnicodeEncodeError:
            message = "the cell has a lone surrogate, which is not valid text: remove it"
            return Failure("syntax", message, name="SyntaxError")
        length, limit = size(source), self._limits.source
        if length <= limit:
            return None
        message = f"the cell has {length} bytes, the limit is {limit}: write a shorter one"
        return _limit("source", message)

    def _failure_of(self, trap: Trapped, world: LiveWorld) -> Failure:
        code = trap.trap_code
        if code is TrapCode.OUT_OF_FUEL:
            return _limit(*world.budget.exceeded_limit)
        if code is TrapCode.INTERRUPT:
            return _limit("seconds", out_of_time(self._limits))
        if code in TRAP_LIMITS:
            return _limit(*TRAP_LIMITS[code])
        return _limit("memory", NO_MEMORY) if is_out_of_memory(trap) else CRASHED


def _is_broken(world: LiveWorld) -> bool:
    """Return whether the harness failed, and not the cell. A cell's code can reach and break it."""
    if world.value is not None:
        return False
    return world.failure is None or failure_report.has_no_stack(world.failure)


def _failure(world: LiveWorld, source: str) -> Failure | None:
    """Return the failure of a cell, or None if it has a value. An exceeded limit comes first."""
    report = None if world.failure is None else failure_report.failure(world.failure, source, ())
    if world.exceeded is not None:
        limit = _limit(*world.exceeded)
        if report is None:
            return limit
        return replace(limit, line=report.line, column=report.column, frame=report.frame)
    return _NO_REPORT if report is None and world.value is None else report


def _limit(limit: str, message: str) -> Failure:
    return Failure("limit", message, name="LimitError", limit=limit)
