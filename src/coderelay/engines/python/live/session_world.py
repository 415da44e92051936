"""What the guest of a session can reach: the real clock, true randomness, its directory, tools."""

import os

import wasmtime

from coderelay.core.json_values import size
from coderelay.core.made_calls import MadeCalls
from coderelay.engines.python.execution import IMPORT_FUEL, TEXT_FUEL
from coderelay.engines.python.failure_report import LONGEST
from coderelay.engines.python.live.files import Files
from coderelay.engines.python.live.session_calls import Answer, CallsRefused, read, write
from coderelay.engines.python.live.session_clock import CellTime, LiveClock, Time
from coderelay.engines.python.live.session_directory import SessionDirectory
from coderelay.engines.python.live.session_limits import LiveLimits
from coderelay.engines.python.world import World
from coderelay.engines.wasm.backstop import allow
from coderelay.engines.wasm.fuel import Fuel
from coderelay.engines.wasm.ledger import size_text

_BYTE_FUEL = 100
"""How much fuel a guest pays for each byte that it reads or writes: about the host's cost."""
_LEEWAY = 100
"""How many characters a value may have in addition, for the note that says how it was cut."""


def out_of_time(limits: LiveLimits) -> str:
    """Return the message for a cell that took too long."""
    return f"the cell took over {limits.seconds:g} s of its own: do less at once"


class _SystemEntropy:
    """Random bytes of the system."""

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        return os.urandom(size)


class LiveWorld(World):
    """Checks what the cells of one interpreter report, and records it."""

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
        self.clock = LiveClock(self._time_out, time)
        self._time = time
        self.entropy = _SystemEntropy()  # type: ignore[assignment]
        self.files = Files(directory)
        self._store = store
        self._answer = answer
        self._limits = limits
        self.begin()

    def begin(self) -> None:
        """Reset everything that belongs to one cell."""
        self.clock.cell_time = CellTime(self._limits.seconds, self._time)
        self.output: list[str] = []
        self.value: str | None = None
        self.failure: str | None = None
        self.exceeded: tuple[str, str] | None = None
        """The name and message of the first limit that the cell exceeded without being ended."""
        self.stopped = self.exited = False
        self.budget = Fuel(self._limits.fuel, self._limits.step_fuel)
        self.calls = MadeCalls()
        self._printed = self._made = 0

    def log(self, level: int, text: str) -> None:
        """Record output, until there is too much."""
        length, limit = size(text), self._limits.output
        if self._printed <= limit:
            # A character takes at most four bytes, so this many characters fit in any case.
            fits = self._printed + length <= limit
            self.output.append(text if fits else text[: (limit - self._printed) // 4])
        self._printed += length
        if self._printed <= limit:
            return
        self.exceed("output", f"the cell printed over {size_text(limit)}: print less")

    def complete(self, value: str) -> None:
        """Record the text of the cell's value."""
        if self.value is None and self.failure is None:
            self.value = value[: self._limits.value + _LEEWAY]

    def fail(self, failure: str) -> None:
        """Record the report of the cell's failure."""
        if self.value is None and self.failure is None:
            self.failure = failure if len(failure) <= LONGEST else ""

    def invoke(self, calls: str) -> str:
        """Make calls, and return their results as text. Their time does not count as the cell's."""
        try:
            requested = read(calls, self._made, self._limits)
        except CallsRefused as refused:
            if refused.limit:
                self.exceed(refused.limit, str(refused))
            return f"!{refused}"
        self._made += len(requested)
        began = self._time.monotonic()
        results = self._answer(requested)
        self.clock.cell_time.extend(self._time.monotonic() - began)
        allow(self.clock.cell_time.left)
        if self._store.get_fuel():  # if not, the host's work has used up the fuel of the cell
            self.budget.begin_step(self._store)
        return write(requested, results, self._limits)

    def exceed(self, limit: str, message: str) -> None:
        """Record that the cell exceeded a limit, and that what it tried was refused. It fails."""
        if self.exceeded is None:
            self.exceeded = limit, message

    def exit(self) -> None:
        """End the interpreter at once, as `os._exit` does."""
        self.exited = True
        self._stop()

    def charge(self, size: int = 0) -> None:
        """Subtract fuel, so that a guest pays for what it makes the host do."""
        self.pay(IMPORT_FUEL + size * _BYTE_FUEL)

    def charge_texts(self, length: int) -> None:
        """Subtract fuel for texts that were copied."""
        self.pay(length * TEXT_FUEL)

    def pay(self, fuel: int) -> bool:
        """Subtract fuel, or all that is left, and return whether any is left."""
        left = max(0, self._store.get_fuel() - fuel)
        self._store.set_fuel(left)
        return left > 0

    def keep_error(self, error: BaseException) -> None:
        """Stop the guest, and keep an exception of a host function until it has been left."""
        super().keep_error(error)
        self._stop()

    def _time_out(self) -> None:
        self.exceed("seconds", out_of_time(self._limits))

    def _stop(self) -> None:
        self.stopped = True
        self._store.set_fuel(0)
