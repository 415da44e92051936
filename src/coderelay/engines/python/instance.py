"""Makes instances of the Python guest, warms them up, and calls their exports."""

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

GUEST_FILE = Path(__file__).parent / "guest" / "python.wasm"
MEMORY = 128 * MB
_STACK = 7 * MB // 4
"""Enough for Python to reach its own recursion limit first, and less than any thread has."""
_PLENTY = 1 << 40
_ALLOCATE = "allocate"
_ANSWERING = ("compile",)
"""The exports that return a text."""
_TEXT = values.Text()
_ABORTS = ("!os_abort", "!fatal_error")
"""The functions by which the interpreter aborts itself, as the trace of a trap names them."""


class PythonInstance:
    """One interpreter in a sandbox of its own. After a trap it cannot be used again."""

    def __init__(self, guest: "PythonGuest", *, warm: bool = True) -> None:
        self.store = wasmtime.Store(guest.engine)
        self.store.set_limits(memory_size=MEMORY)
        if guest.metered:
            self.store.set_fuel(_PLENTY)
        self.store.set_epoch_deadline(_PLENTY)
        self.core = native.instantiate(guest.linked, self.store)
        self._memories: dict[str, _GuestMemory] = {}
        try:
            if warm:
                self.enter(World(), "warm")
        except Trapped as trap:
            raise EngineError(f"the Python guest does not start: it stopped with {trap}") from trap

    def enter(self, world: World, export: str, *texts: str) -> str:
        """Call an export and return its text, or an empty text if it returns none.

        The guest's host functions use `world` meanwhile. Raises `Trapped` if the guest traps.
        """
        outer = current.world, current.memory  # a host function may enter another guest
        current.world, current.memory = world, self._memory
        try:
            return self._call(export, texts)
        except wasmtime.Trap as trap:
            raise Trapped(trap.trap_code or TrapCode.UNREACHABLE) from trap
        except (IndexError, UnicodeDecodeError) as error:  # the guest returned an invalid text
            raise Trapped(TrapCode.UNREACHABLE) from error
        finally:
            current.world, current.memory = outer
            if isinstance(world.error, Exception):
                raise EngineError(
                    f"a host function of the Python engine failed: {world.error}"
                ) from world.error
            if world.error is not None:  # such as a KeyboardInterrupt
                raise world.error

    def close(self) -> None:
        """Free the instance's memory."""
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

    def _memory(self, allocator: str) -> "_GuestMemory":
        found = self._memories.get(allocator)
        if found is None:
            found = self._memories[allocator] = _GuestMemory(self.core, allocator)
        return found


class _GuestMemory:
    """A guest's memory, and the export of the guest that allocates in it."""

    def __init__(self, core: native.CoreInstance, allocator: str) -> None:
        self.read = core.read
        self.write = core.write
        self._call = core.call
        self._allocator = allocator

    def allocate(self, size: int, align: int) -> int:
        """Return the address of `size` new bytes."""
        return self._call(self._allocator, 0, 0, align, size)


class PythonGuest:
    """The compiled and linked guest, from which instances are made."""

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
        self._imports = imports.link(linker, self.module, GUEST_FILE.with_name("imports.json"))
        self.linked = linker.instantiate_pre(self.module)


def is_out_of_memory(trap: Trapped) -> bool:
    """Return whether a guest trapped because it ran out of memory.

    Python itself raises `MemoryError`, but the code around it only executes `unreachable`. Any
    other trap, or an interpreter that aborted itself, is a crash.
    """
    trace = str(trap.__cause__)
    return "`unreachable`" in trace and not any(name in trace for name in _ABORTS)
