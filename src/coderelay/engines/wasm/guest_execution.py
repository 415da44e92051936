"""Runs one program in a WebAssembly guest, step by step."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import wasmtime
from wasmtime import TrapCode

from coderelay.core import (
    Call,
    Completed,
    Failed,
    Failure,
    InvalidJournal,
    Limits,
    Outcome,
    Program,
    Result,
    Returned,
    Suspended,
    TimedOut,
    ToolName,
)
from coderelay.core.json_values import MAX_DEPTH, NotJson, check_depth, dump, size
from coderelay.engines.wasm.backstop import Backstop
from coderelay.engines.wasm.config import STACK
from coderelay.engines.wasm.fuel import Fuel
from coderelay.engines.wasm.ledger import Ledger
from coderelay.engines.wasm.nativestack import require_stack
from coderelay.engines.wasm.off_main import OffMainThread
from coderelay.engines.wasm.trapped import Trapped
from coderelay.engines.wasm.virtual_clock import VirtualClock

_DEADLOCK = Failure(
    "deadlock",
    "the program waits for something that can never happen: no call, timer or task is left",
    name="DeadlockError",
)
NO_MEMORY = "the program ran out of memory: keep less at a time"
TRAP_LIMITS = {
    TrapCode.STACK_OVERFLOW: ("stack", "the program recursed too deeply: use a loop"),
}
CRASHED = Failure(
    "exception",
    "the program crashed its interpreter: do it in another way",
    name="InterpreterCrash",
)


class GuestExecution(ABC):
    """What the executions of all languages share; a subclass enters its language's guest.

    After a trap, nothing of the instance is used again, whatever the cause was.
    """

    store: wasmtime.Store
    memory: int
    """How many bytes of memory a guest has by default."""

    def __init__(
        self, program: Program, names: Sequence[ToolName], limits: Limits, backstop: Backstop
    ) -> None:
        self.program = program
        self.names = names
        self.limits = limits
        self.clock = VirtualClock(program.created)
        self.ledger = Ledger(limits)
        self._fuel_budget = Fuel(limits.fuel, limits.step_fuel)
        self._backstop = backstop
        self._off_main = OffMainThread()
        self._spent: int | None = None
        self._started = self._closed = False
        self.reusable = True
        """Whether the instance can be entered again. After a trap its state is undefined."""

    @abstractmethod
    def open(self) -> None:
        """Take an instance in its initial state, and set `store`."""

    @abstractmethod
    def begin(self) -> None:
        """Load the program, and run it until it waits for calls or has ended."""

    @abstractmethod
    def deliver(self, results: Sequence[Result], payloads: Sequence[str]) -> None:
        """Give the program the results of its calls, in call order, and run it on.

        A payload is the JSON text of a returned value, or the message of a raised error.
        """

    @abstractmethod
    def drop(self) -> None:
        """Release the instance, if there is one."""

    def is_out_of_memory(self) -> bool:
        """Return whether the guest crashed because it ran out of memory.

        This default is for guests that cannot tell, for which memory is the most likely reason.
        """
        return True

    def advance(self, results: Sequence[Result]) -> Outcome:
        """Give the program the results of the last batch (none at first), and run it until it
        waits for calls or has ended."""
        if self._closed:
            raise RuntimeError("this execution has ended: start another one")
        return self._off_main.run(lambda: self._advance(results), self._end)

    def charge(self, fuel: int) -> Outcome:
        """Subtract fuel from a suspended program, for work that the host did for its calls."""
        left = self.store.get_fuel()
        if fuel <= left:
            self.store.set_fuel(left - fuel)
        else:
            self._spent = self._fuel_budget.spent_with_step
            self.ledger.exceed(*self._fuel_budget.exceeded_limit)
        return self._outcome()

    def close(self) -> None:
        """End the execution and release all that it holds."""
        if not self._closed:
            self._off_main.close(self._end)

    def stop(self) -> None:
        """End the program at once, from inside a host function, by taking all its fuel.

        An exception cannot be used: wasmtime keeps a host function's exception in one place for
        the whole process, where another thread's run would find it. See
        docs/design/stop-by-fuel.md.
        """
        if self._spent is None:
            self._spent = self._fuel()
            self.store.set_fuel(0)

    def _advance(self, results: Sequence[Result]) -> Outcome:
        require_stack(STACK)
        try:
            self._step(results)
        except (wasmtime.Trap, Trapped) as trap:
            self.reusable = False
            self._record_trap(trap)
        except BaseException:
            self.reusable = False
            self._end()
            raise
        return self._outcome()

    def _end(self) -> None:
        if not self._closed:
            self._closed = True
            self.drop()

    def _step(self, results: Sequence[Result]) -> None:
        if not self._started:
            self._started = True
            if self._source_fits():
                self.open()
                self._fuel_budget.begin_step(self.store)
                with self._backstop.watch(self.store, self.limits.seconds):
                    self.begin()
            return
        payloads = self._payloads(results)
        if payloads is not None:
            self.ledger.batch.clear()
            self._fuel_budget.begin_step(self.store)
            with self._backstop.watch(self.store, self.limits.seconds):
                self.deliver(results, payloads)

    def _source_fits(self) -> bool:
        length, limit = size(self.program.source), self.limits.source
        if length <= limit:
            return True
        message = f"the program has {length} bytes, the limit is {limit}: write a shorter one"
        return self.ledger.exceed("source", message)

    def _payloads(self, results: Sequence[Result]) -> list[str] | None:
        payloads, limit, room = [], self.limits.result, self.limits.memory or self.memory
        for call, result in zip(self.ledger.batch, results, strict=True):
            text = _text(call, result)
            if size(text) > limit:
                message = f"the result of {call.name} is over {limit} bytes: ask the tool for less"
                self.ledger.exceed("result", message)
                return None
            room -= len(text)
            if room < 0:  # checked here, because the guest could not hold even the texts
                self.ledger.exceed(
                    "memory",
                    "the results of all calls at once do not fit into the "
                    "program's memory: make fewer calls at once, or ask for less",
                )
                return None
            payloads.append(text)
        return payloads

    def _record_trap(self, trap: "wasmtime.Trap | Trapped") -> None:
        code = trap.trap_code
        if code is TrapCode.INTERRUPT:
            self._end()
            raise TimedOut(
                f"the run was stopped before it used up its fuel: one step took over "
                f"{self.limits.seconds:g} s, or its caller no longer waits for it: try again"
            ) from trap
        if self._spent is None:  # else `stop` took the fuel, and the ledger has the reason
            self._spent = self._fuel()
            if code is TrapCode.OUT_OF_FUEL:
                self.ledger.exceed(*self._fuel_budget.exceeded_limit)
            elif code in TRAP_LIMITS:
                self.ledger.exceed(*TRAP_LIMITS[code])
            elif self.is_out_of_memory():
                self.ledger.exceed("memory", NO_MEMORY)
            else:
                self.ledger.crash(CRASHED)

    def _fuel(self) -> int:
        return self._fuel_budget.spent(self.store)

    def _outcome(self) -> Outcome:
        ledger, logs = self.ledger, tuple(self.ledger.logs)
        if self._spent is not None:
            fuel = self._spent
        else:
            fuel = self._fuel() if hasattr(self, "store") else 0
        if ledger.batch:
            return Suspended(tuple(ledger.batch), logs, fuel)
        self._end()
        if ledger.value is not None:
            return Completed(ledger.value.value, logs, fuel)
        return Failed(ledger.failure or _DEADLOCK, logs, fuel)


def _text(call: Call, result: Result) -> str:
    if not isinstance(result, Returned):
        return result.error.message
    try:
        text = dump(result.value)
        if text.count("[") + text.count("{") > MAX_DEPTH:
            check_depth(result.value)
        return text
    except NotJson as error:
        raise InvalidJournal(f"the result of {call.name} is not a JSON value: {error}") from error
