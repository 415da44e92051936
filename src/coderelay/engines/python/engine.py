"""Runs Python programs, on CPython compiled to WebAssembly."""

from collections.abc import Sequence

from coderelay.core import Limits, Program, ToolName
from coderelay.core.limits import MB
from coderelay.engines.interface import Progress
from coderelay.engines.python.compiler import ProgramCompiler
from coderelay.engines.python.execution import PythonExecution
from coderelay.engines.python.instance import GUEST_FILE, PythonGuest, PythonInstance
from coderelay.engines.python.instance_pool import PythonPool
from coderelay.engines.python.instance_restorer import InstanceRestorer
from coderelay.engines.wasm import compiled
from coderelay.engines.wasm.backstop import Backstop
from coderelay.engines.wasm.off_main import run_to_completion

INSTANCES, COMPILERS = 4, 2
"""How many instances the pools of the engine and of its compiler keep ready."""
_LEARN = MB
"""How much memory beyond the warm-up's an instance keeps. It is little, because many suspended
instances may be in memory at once."""
SEMANTICS = 2
"""The semantics number, part of the fingerprint. Raise it when programs see something different and
the bytes of the guest do not show it, because only the host's code changed."""


class PythonEngine:
    """The engine of `python`. Every program gets an instance of its own."""

    language = "python"

    def __init__(self, progress: Progress = lambda message: None, *, pool: int = INSTANCES) -> None:
        wasm = compiled.read_guest(GUEST_FILE)
        guest = PythonGuest(wasm, progress)
        self.fingerprint = compiled.fingerprint(self.language, SEMANTICS, wasm)
        self.backstop = backstop = Backstop(guest.engine)
        self.compiler = compiler = ProgramCompiler(
            PythonGuest(wasm, progress, metered=False), guest, backstop, pool=min(pool, COMPILERS)
        )
        programs = InstanceRestorer(lambda: PythonInstance(guest), learn=_LEARN)
        self.pool = PythonPool(programs, pool, busy=lambda: compiler.busy)

    def fill(self) -> None:
        """Wait until the pools are full."""
        run_to_completion(self.pool.fill)
        run_to_completion(self.compiler.fill)

    def start(self, program: Program, names: Sequence[ToolName], limits: Limits) -> PythonExecution:
        """Return an execution of a program. The program starts with the first `advance`."""
        return PythonExecution(self.pool, self.compiler, self.backstop, program, names, limits)
