"""The world as a session's guest sees it: the real clock, fresh randomness, its directory."""

import os

import wasmtime

from coderelay.core.json_values import size
from coderelay.core.made_calls import MadeCalls
from coderelay.engines.python.execution import IMPORT_FUEL, TEXT_FUEL
from coderelay.engines.python.failure_report import LONGEST
from coderelay.engines.python.live.files import Files
from coderelay.engines.python.live.session_calls import Answer, NoCalls, read, write
from coderelay.engines.python.live.session_clock import LiveClock, OwnTime, Time
from coderelay.engines.python.live.session_directory import SessionDirectory
from coderelay.engines.python.live.session_limits import LiveLimits
from coderelay.engines.python.world import World
from coderelay.engines.wasm.backstop import allow
from coderelay.engines.wasm.fuel import Fuel
from coderelay.engines.wasm.ledger import size_text

_BYTE_FUEL = 100
"""About what a byte's way between guest and file costs."""
_LEEWAY = 100
"""Characters beside a value that say how it was cut."""


def out_of_time(limits: LiveLimits) -> str:
    """What to say of a cell that took too long."""
    return f"the cell took over {limits.seconds:g} s of its own: do less at once"


class _Fresh:
    """Randomness that nothing determines."""

    def read(self, size: int) -> bytes:
        """The next bytes."""
        return os.urandom(size)


class LiveWorld(World):
    """Takes what the cells of one interpreter tell, checked and bounded."""

    clock: LiveClock  # type: ignore[assignment]

    def __init__(
        self,
        store: wasmtime.Store,
        directory: SessionDirectory,
        answer: Answer,
        limits: LiveLimits,
        time: Time,
    ) -> None:
        super().__init__()
        self.clock = LiveClock(self._late, time)
        self._time = time
        self.entropy = _Fresh()  # type: ignore[assignment]
        self.files = Files(directory)
        self._store = store
        self._answer = answer
        self._limits = limits
        self.begin()

    def begin(self) -> None:
        """A cell begins."""
        self.clock.own = OwnTime(self._limits.seconds, self._time)
        self.output: list[str] = []
        self.value: str | None = None
        self.failure: str | None = None
        self.passed: tuple[str, str] | None = None
        """The first limit that the cell passed and lived on, and what to say of it."""
        self.stopped = self.exited = False
        self.budget = Fuel(self._limits.fuel, self._limits.step_fuel)
        self.calls = MadeCalls()
        self._printed = self._made = 0

    def log(self, level: int, text: str) -> None:
        """Take output, until there is too much."""
        length, limit = size(text), self._limits.output
        if self._printed <= limit:
            # A character takes four bytes at most.
            fits = self._printed + length <= limit
            self.output.append(text if fits else text[: (limit - self._printed) // 4])
        self._printed += length
        if self._printed <= limit:
            return
        self.exceed("output", f"the cell printed over {size_text(limit)}: print less")

    def complete(self, value: str) -> None:
        """Take the text of the cell's value."""
        if self.value is None and self.failure is None:
            self.value = value[: self._limits.value + _LEEWAY]

    def fail(self, failure: str) -> None:
        """Take the cell's failure."""
        if self.value is None and self.failure is None:
            self.failure = failure if len(failure) <= LONGEST else ""

    def invoke(self, calls: str) -> str:
        """Make calls and wait for their results. The cell's time stands still meanwhile."""
        try:
            asked = read(calls, self._made, self._limits)
        except NoCalls as refused:
            if refused.limit:
                self.exceed(refused.limit, str(refused))
            return f"!{refused}"
        self._made += len(asked)
        began = self._time.monotonic()
        results = self._answer(asked)
        self.clock.own.give(self._time.monotonic() - began)
        allow(self.clock.own.left)
        if self._store.get_fuel():  # what the calls cost may have taken all
            self.budget.begin_step(self._store)
        return write(asked, results, self._limits)

    def exceed(self, limit: str, message: str) -> None:
        """A limit was passed, and what passed it was refused: the cell has failed."""
        if self.passed is None:
            self.passed = limit, message

    def exit(self) -> None:
        """End the interpreter at once, as `os._exit` does."""
        self.exited = True
        self._stop()

    def charge(self, size: int = 0) -> None:
        """Take fuel, so that a guest cannot make the host work for nothing."""
        self.pay(IMPORT_FUEL + size * _BYTE_FUEL)

    def charge_texts(self, length: int) -> None:
        """Take fuel for what was copied."""
        self.pay(length * TEXT_FUEL)

    def pay(self, fuel: int) -> bool:
        """Take so much fuel, or all that is left. Says whether any is left."""
        left = max(0, self._store.get_fuel() - fuel)
        self._store.set_fuel(left)
        return left > 0

    def broken(self, error: BaseException) -> None:
        """Keep our own error until the guest has been left."""
        super().broken(error)
        self._stop()

    def _late(self) -> None:
        """The cell sleeps longer than it has time."""
        self.exceed("seconds", out_of_time(self._limits))

    def _stop(self) -> None:
        self.stopped = True
        self._store.set_fuel(0)
