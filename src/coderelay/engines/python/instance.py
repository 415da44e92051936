"""An instance of the guest: made, warmed up by one fixed program, and entered."""

from collections.abc import Sequence
from pathlib import Path

import wasmtime
from wasmtime import TrapCode

from coderelay.core import EngineError
from coderelay.core.limits import MB
from coderelay.engines.interface import Progress
from coderelay.engines.python import imports, values
from coderelay.engines.python.world import World, current
from coderelay.engines.wasm import compiled, config, native
from coderelay.engines.wasm.trapped import Trapped

IMAGE = Path(__file__).parent / "guest" / "python.wasm"
MEMORY = 128 * MB
_STACK = 7 * MB // 4
"""Enough for Python to meet its own recursion limit first, and less than any thread has."""
_PLENTY = 1 << 40
_ALLOCATE = "allocate"
_ANSWERING = ("compile",)
"""The exports that give a text."""
_TEXT = values.Text()
_MEANT = ("!os_abort", "!fatal_error")
"""The functions in which the interpreter gives itself up, as the trace of a trap names them."""


class PythonInstance:
    """One interpreter in a sandbox of its own. After a trap it is dead."""

    def __init__(self, guest: "PythonGuest", *, warm: bool = True) -> None:
        self.store = wasmtime.Store(guest.engine)
        self.store.set_limits(memory_size=MEMORY)
        if guest.metered:
            self.store.set_fuel(_PLENTY)
        self.store.set_epoch_deadline(_PLENTY)
        self.core = native.instantiate(guest.linked, self.store)
        self._memories: dict[str, _Memory] = {}
        try:
            if warm:
                self.enter(World(), "warm")
        except Trapped as trap:
            raise EngineError("the Python guest does not start") from trap

    def enter(self, world: World, export: str, *texts: str) -> str:
        """Call an export, and let the guest talk to this world meanwhile.

        The answer is empty where the export gives none.
        """
        outer = current.world, current.memory  # an import may have run a guest of its own
        current.world, current.memory = world, self._memory
        try:
            return self._call(export, texts)
        except wasmtime.Trap as trap:
            raise Trapped(trap.trap_code or TrapCode.UNREACHABLE) from trap
        except (IndexError, UnicodeDecodeError) as error:  # the guest gave what it does not have
            raise Trapped(TrapCode.UNREACHABLE) from error
        finally:
            current.world, current.memory = outer
            if isinstance(world.error, Exception):
                raise EngineError("the Python engine failed") from world.error
            if world.error is not None:  # somebody pressed Ctrl-C
                raise world.error

    def close(self) -> None:
        """Free its memory."""
        self.store.close()

    def _call(self, export: str, texts: Sequence[str]) -> str:
        memory, words = self._memory(_ALLOCATE), list[int]()
        for text in texts:
            words += _TEXT.put(memory, text)
        place = self.core.call(export, *words)
        if export not in _ANSWERING:
            self.core.call(f"after {export}")
            return ""
        answer: str = _TEXT.load(memory, place)
        self.core.call(f"after {export}", place)
        return answer

    def _memory(self, allocator: str) -> "_Memory":
        found = self._memories.get(allocator)
        if found is None:
            found = self._memories[allocator] = _Memory(self.core, allocator)
        return found


class _Memory:
    """A guest's memory, with the function of its own that gives room in it."""

    def __init__(self, core: native.CoreInstance, allocator: str) -> None:
        self.read = core.read
        self.write = core.write
        self._call = core.call
        self._allocator = allocator

    def allocate(self, size: int, align: int) -> int:
        """A place for so many bytes."""
        return self._call(self._allocator, 0, 0, align, size)


class PythonGuest:
    """The image, compiled and linked: what instances are made of."""

    def __init__(self, wasm: bytes, progress: Progress, *, metered: bool = True) -> None:
        self.metered = metered
        self.engine = wasmtime.Engine((config.metered if metered else config.unmetered)(_STACK))
        self.module: wasmtime.Module = compiled.load(
            wasm,
            configuration=f"python, stack {_STACK}, {'' if metered else 'un'}metered",
            compile=lambda data: wasmtime.Module(self.engine, data),
            serialize=lambda unit: bytes(unit.serialize()),
            deserialize=lambda path: wasmtime.Module.deserialize_file(self.engine, path),
            progress=progress,
        )
        linker = wasmtime.Linker(self.engine)
        self._kept = imports.link(linker, self.module, IMAGE.with_name("imports.json"))
        self.linked = linker.instantiate_pre(self.module)


def is_out_of_memory(trap: Trapped) -> bool:
    """Whether a trap is one for want of memory.

    Python raises MemoryError, but what surrounds it knows only `unreachable`. Any other trap, and
    an interpreter that gave itself up, is a crash.
    """
    told = str(trap.__cause__)
    return "`unreachable`" in told and not any(name in told for name in _MEANT)
