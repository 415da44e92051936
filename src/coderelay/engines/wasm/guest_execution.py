"""One program under way in a WebAssembly guest."""

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
from coderelay.engines.wasm.nativestack import require
from coderelay.engines.wasm.off_main import OffMainThread
from coderelay.engines.wasm.trapped import Trapped
from coderelay.engines.wasm.virtual_clock import VirtualClock

_DEADLOCK = Failure(
    "deadlock",
    "the program waits for something that can never happen: no call, timer or task is left",
    name="DeadlockError",
)
NO_MEMORY = "the program ran out of memory: keep less at a time"
STOPPED = {
    TrapCode.STACK_OVERFLOW: ("stack", "the program recursed too deeply: use a loop"),
}
CRASHED = Failure(
    "exception",
    "the program crashed its interpreter: do it in another way",
    name="InterpreterCrash",
)


class GuestExecution(ABC):
    """The steps that every guest takes; a language says how its own is entered.

    A trap ends an instance: whatever it was, nothing of that instance is used again.
    """

    store: wasmtime.Store
    memory: int
    """Bytes of memory that a guest has where the limits do not say."""

    def __init__(
        self, program: Program, names: Sequence[ToolName], limits: Limits, backstop: Backstop
    ) -> None:
        self.program = program
        self.names = names
        self.limits = limits
        self.clock = VirtualClock(program.created)
        self.ledger = Ledger(limits)
        self._budget = Fuel(limits.fuel, limits.step_fuel)
        self._backstop = backstop
        self._off_main = OffMainThread()
        self._spent: int | None = None
        self._started = self._closed = False
        self.sound = True
        """Whether the instance could be entered again. A trap leaves it in any state."""

    @abstractmethod
    def open(self) -> None:
        """Take a pristine instance and set `store`."""

    @abstractmethod
    def begin(self) -> None:
        """Load the program and run it until it can go no further."""

    @abstractmethod
    def deliver(self, results: Sequence[Result], payloads: Sequence[str]) -> None:
        """Settle the waiting calls, in call order, and run on. A payload is the JSON text of a
        returned value, or a raised error's message."""

    @abstractmethod
    def drop(self) -> None:
        """Free the instance, if there is one."""

    def is_full(self) -> bool:
        """Whether a crash is one for want of memory; so it is where the guest does not tell."""
        return True

    def advance(self, results: Sequence[Result]) -> Outcome:
        """Deliver the last batch's results (none at first) and run until the program can go no
        further."""
        if self._closed:
            raise RuntimeError("this execution has ended")
        return self._off_main.run(lambda: self._advance(results), self._end)

    def charge(self, fuel: int) -> Outcome:
        """Take fuel from a suspended program, for work that the host did for its calls."""
        left = self.store.get_fuel()
        if fuel <= left:
            self.store.set_fuel(left - fuel)
        else:
            self._spent = self._budget.spent_with_step
            self.ledger.exceed(*self._budget.passed)
        return self._outcome()

    def close(self) -> None:
        """Drop the execution and all it holds."""
        if not self._closed:
            self._off_main.close(self._end)

    def stop(self) -> None:
        """End the program at once, from inside a host import: no fuel is left to go on with.

        An exception would not do. wasmtime keeps a host function's exception in one slot for the
        whole process, where another thread's run would find it: see docs/design/stop-by-fuel.md.
        """
        if self._spent is None:
            self._spent = self._fuel()
            self.store.set_fuel(0)

    def _advance(self, results: Sequence[Result]) -> Outcome:
        require(STACK)
        try:
            self._step(results)
        except (wasmtime.Trap, Trapped) as trap:
            self.sound = False
            self._trapped(trap)
        except BaseException:
            self.sound = False
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
            if self._fits():
                self.open()
                self._budget.begin_step(self.store)
                with self._backstop.watch(self.store, self.limits.seconds):
                    self.begin()
            return
        payloads = self._payloads(results)
        if payloads is not None:
            self.ledger.batch.clear()
            self._budget.begin_step(self.store)
            with self._backstop.watch(self.store, self.limits.seconds):
                self.deliver(results, payloads)

    def _fits(self) -> bool:
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
            if room < 0:  # not even collected: the guest could not hold them
                self.ledger.exceed(
                    "memory",
                    "the results of all calls at once do not fit into the "
                    "program's memory: make fewer calls at once, or ask for less",
                )
                return None
            payloads.append(text)
        return payloads

    def _trapped(self, trap: "wasmtime.Trap | Trapped") -> None:
        code = trap.trap_code
        if code is TrapCode.INTERRUPT:
            self._end()
            raise TimedOut(
                f"the run was stopped before it used up its fuel: one step took over "
                f"{self.limits.seconds:g} s, or nobody waits for it any more: try again"
            ) from trap
        if self._spent is None:  # not our own stop
            self._spent = self._fuel()
            if code is TrapCode.OUT_OF_FUEL:
                self.ledger.exceed(*self._budget.passed)
            elif code in STOPPED:
                self.ledger.exceed(*STOPPED[code])
            elif self.is_full():
                self.ledger.exceed("memory", NO_MEMORY)
            else:
                self.ledger.crash(CRASHED)

    def _fuel(self) -> int:
        return self._budget.spent(self.store)

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
