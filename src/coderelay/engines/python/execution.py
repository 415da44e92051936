"""Runs one Python program, step by step."""

from collections.abc import Sequence

from coderelay.core import Failure, Limits, Program, Result, ToolName
from coderelay.core.json_values import size
from coderelay.engines.python import entry, failure_report
from coderelay.engines.python.compiler import ProgramCompiler
from coderelay.engines.python.instance import MEMORY, PythonInstance, is_out_of_memory
from coderelay.engines.python.instance_pool import PythonPool
from coderelay.engines.python.world import World
from coderelay.engines.wasm.backstop import Backstop
from coderelay.engines.wasm.guest_execution import GuestExecution
from coderelay.engines.wasm.trapped import Trapped

_LEVELS = ("print", "stderr", "warning")
_LONGEST_LINE = 1 << 16
IMPORT_FUEL = 60_000
"""How much fuel a guest pays for a call of a host function: about what it costs the host."""
TEXT_FUEL, _FREE_TEXT = 10, 4_096
"""How much fuel it pays for each character of a text, if the text has more than so many."""
_LINE_FUEL = 8_000
"""How much it pays for each further line of output in one message, which may have a million."""
EXITED = Failure(
    "exception", "the program ended its interpreter: return instead", name="SystemExit"
)


class PythonExecution(GuestExecution):
    """Enters the guest once to start the program, and then once for each batch of results."""

    memory = MEMORY

    def __init__(
        self,
        pool: PythonPool,
        compiler: ProgramCompiler,
        backstop: Backstop,
        program: Program,
        names: Sequence[ToolName],
        limits: Limits,
    ) -> None:
        super().__init__(program, names, limits, backstop)
        self._pool = pool
        self._compiler = compiler
        self._world = _ProgramWorld(self)
        self._instance: PythonInstance | None = None
        self._is_out_of_memory = True
        self.source = ""

    def open(self) -> None:
        """Take an instance from the pool."""
        self._instance = self._pool.take()
        self.store = self._instance.store
        if self.limits.memory not in (None, MEMORY):  # instances are made with the default limit
            self.store.set_limits(memory_size=self.limits.memory)

    def begin(self) -> None:
        """Compile the program, and run it until it waits for calls or has ended."""
        self.source = entry.unfenced(self.program.source)
        try:
            self.source.encode()
        except UnicodeEncodeError:
            message = "the program has a lone surrogate, which is not valid text: remove it"
            self.ledger.fail(Failure("syntax", message, name="SyntaxError"))
            return
        code = self._compiler.code(self.source, self.limits.seconds)
        if code.startswith("!"):
            self._world.fail(code[1:])
            return
        setup = entry.setup(self.program, self.names, self.limits)
        self._enter("start", code, self.source, setup)

    def deliver(self, results: Sequence[Result], payloads: Sequence[str]) -> None:
        """Give the program the results of its calls, and run it on."""
        indices = self._world.take_indices()
        self._enter("resume", entry.results(indices, results, payloads))

    def drop(self) -> None:
        """Give the instance back to the pool, or close it if it cannot be entered again."""
        if self._instance is not None:
            if self.reusable:
                self._pool.give_back(self._instance)
            else:
                self._instance.close()
            self._instance = None

    def is_out_of_memory(self) -> bool:
        """Return whether the guest crashed because it ran out of memory."""
        return self._is_out_of_memory

    def _enter(self, export: str, *texts: str) -> None:
        assert self._instance is not None
        try:
            self._instance.enter(self._world, export, *texts)
        except Trapped as trap:
            self._is_out_of_memory = is_out_of_memory(trap)
            self._world.end_lines()
            raise
        if not self.ledger.batch:
            self._world.end_lines()


class _ProgramWorld(World):
    """Checks what a program reports, and records it in the ledger."""

    def __init__(self, execution: PythonExecution) -> None:
        super().__init__(execution.program.created, execution.program.seed)
        self.clock = execution.clock
        self._execution = execution
        self._ledger = execution.ledger
        self._known = {tool.name for tool in execution.names}
        self._indices: list[int] = []
        self._lines = [_Line() for _ in _LEVELS]

    def call(self, name: str, arguments: str) -> int:
        """Record a call and return its index. A call of an unknown tool, which the harness never
        makes, gets an index that is never answered."""
        if name not in self._known:
            return (1 << 32) - 1
        if not self._ledger.call(name, arguments):
            self._execution.stop()
            return 0
        index = self._ledger.batch[-1].index
        self._indices.append(index)
        return index

    def take_indices(self) -> list[int]:
        """Return the indices of the batch that is answered now, and forget them."""
        indices, self._indices = self._indices, []
        return indices

    def log(self, level: int, text: str) -> None:
        """Record output line by line. A line that has not ended yet counts towards the limit."""
        level = min(level, len(_LEVELS) - 1)
        most = self._execution.limits.logs + 2  # more than that cannot fit
        lines = self._lines[level].add(text[:most])
        self._spend(max(0, len(lines) - 1) * _LINE_FUEL)
        fits = all(self._ledger.log(_LEVELS[level], line) for line in lines)
        begun = sum(line.size for line in self._lines)
        if not fits or (begun and not self._ledger.has_room(begun)):
            self._execution.stop()

    def end_lines(self) -> None:
        """Record lines without a line end, when the program has ended."""
        for level, line in zip(_LEVELS, self._lines, strict=True):
            for rest in line.end():
                self._ledger.log(level, rest)

    def complete(self, value: str) -> None:
        """Record the program's value."""
        if not self._ledger.complete(value):
            self._execution.stop()

    def fail(self, failure: str) -> None:
        """Record the program's failure."""
        execution = self._execution
        if not self._ledger.settled:  # else the work of reading the report would be for nothing
            self._ledger.fail(failure_report.failure(failure, execution.source, execution.names))

    def exit(self) -> None:
        """End the program at once, as `os._exit` does."""
        self._ledger.fail(EXITED)
        self._ledger.batch.clear()
        self._execution.stop()

    def charge(self, size: int = 0) -> None:
        """Subtract fuel, so that fuel runs out before the backstop interrupts the guest."""
        self._spend(IMPORT_FUEL)

    def charge_texts(self, length: int) -> None:
        """Subtract fuel for texts that were copied. A program may send the same hundred megabytes
        again and again, even where the host then ignores them."""
        if length > _FREE_TEXT:
            self._spend(length * TEXT_FUEL)

    def _spend(self, fuel: int) -> None:
        store = self._execution.store
        store.set_fuel(max(0, store.get_fuel() - fuel))


class _Line:
    """A line of output that has not ended yet, in the pieces in which it was written."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.size = 0
        """Its size so far, in bytes."""

    def add(self, text: str) -> list[str]:
        """Add text, and return the lines that are complete now. A very long line is ended."""
        first, *more = text.split("\n")
        self._pieces.append(first)
        self.size += size(first)
        if not more:
            return self.end() if self.size > _LONGEST_LINE else []
        lines = ["".join(self._pieces), *more[:-1]]
        self._pieces, self.size = [more[-1]], size(more[-1])
        return lines

    def end(self) -> list[str]:
        """End the line, and return it if it is not empty."""
        line = "".join(self._pieces)
        self._pieces, self.size = [], 0
        return [line] if line else []
