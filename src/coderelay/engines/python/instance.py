"""An instance of the guest: made, warmed up by one fixed program, and entered."""

import hashlib
from pathlib import Path

import wasmtime
from wasmtime import TrapCode
from wasmtime import _ffi as ffi
from wasmtime.component import Component, ExportIndex, Linker

from coderelay.core import EngineError, GuestMissing
from coderelay.core.limits import MB
from coderelay.engines.python import imports, native, wasi
from coderelay.engines.python.world import World, current
from coderelay.engines.wasm import compiled
from coderelay.engines.wasm.config import metered
from coderelay.engines.wasm.execution import Trapped

IMAGE = Path(__file__).parent / "guest" / "python.wasm"
MEMORY = 128 * MB
_STACK = 7 * MB // 4
"""Enough for Python to meet its own recursion limit first, and less than any thread has."""
_PLENTY = 1 << 40
_EXPORTS = ("warm", "compile", "start", "resume", "begin", "cell")
_TRAPS = {
    "all fuel consumed": TrapCode.OUT_OF_FUEL,
    "wasm trap: interrupt": TrapCode.INTERRUPT,
    "call stack exhausted": TrapCode.STACK_OVERFLOW,
    "out of bounds memory access": TrapCode.MEMORY_OUT_OF_BOUNDS,
}
_MEANT = ("!os_abort", "!fatal_error")
"""The functions in which the interpreter gives itself up, as the trace of a trap names them."""


class Instance:
    """One interpreter in a sandbox of its own. After a trap it is dead."""

    def __init__(self, guest: "Guest", *, warm: bool = True) -> None:
        self.store = wasmtime.Store(guest.engine)
        self.store.set_limits(memory_size=MEMORY)
        self.store.set_fuel(_PLENTY)
        self.store.set_epoch_deadline(_PLENTY)
        current.world = World()
        made = guest.linker.instantiate(self.store, guest.component)
        self._functions = {
            name: made.get_func(self.store, index) for name, index in guest.exports.items()
        }
        try:
            if warm:
                self.enter(World(), "warm")
        except Trapped as trap:
            raise EngineError("the Python guest does not start") from trap

    def enter(self, world: World, export: str, *texts: str) -> str:
        """Call an export, and let the guest talk to this world meanwhile.

        The answer is empty where the export gives none.
        """
        function = self._functions[export]
        assert function is not None
        current.world = world
        try:
            return native.call(function, self.store, texts, answers=export == "compile")
        except wasmtime.WasmtimeError as error:
            raise Trapped(_code(str(error))) from error
        finally:
            if isinstance(world.error, Exception):
                raise EngineError("the Python engine failed") from world.error
            if world.error is not None:  # somebody pressed Ctrl-C
                raise world.error

    def close(self) -> None:
        """Free its memory."""
        self.store.close()


class Guest:
    """The compiled image, linked: what instances are made of."""

    def __init__(self, progress: compiled.Progress) -> None:
        wasm = compiled.image(IMAGE)
        self.digest = hashlib.sha256(wasm).hexdigest()[:16]
        self.engine = wasmtime.Engine(_configured())
        self.component: Component = compiled.load(
            wasm,
            configuration=f"python, stack {_STACK}, not concurrent",
            compile=lambda data: Component(self.engine, data),
            serialize=lambda unit: bytes(unit.serialize()),
            deserialize=lambda path: Component.deserialize_file(self.engine, path),
            progress=progress,
        )
        self.linker = Linker(self.engine)
        self._kept = [
            *wasi.link(self.linker, self.engine, self.component),
            *imports.link(self.linker),
        ]
        self.exports = {name: _found(self.component, name) for name in _EXPORTS}


def _configured() -> wasmtime.Config:
    config = metered(_STACK)
    # With it, wasmtime 50 traps when a guest passes two borrowed handles in one call, as `rename`
    # does; and nothing here is concurrent. The binding has no name for these settings.
    ffi.wasmtime_config_wasm_component_model_async_set(config.ptr(), False)
    ffi.wasmtime_config_concurrency_support_set(config.ptr(), False)
    return config


def _found(component: Component, name: str) -> ExportIndex:
    index = component.get_export_index(name)
    if index is None:
        raise GuestMissing(f"the Python guest has no {name}: build it anew")
    return index


def is_full(trap: Trapped) -> bool:
    """Whether a trap is one for want of memory.

    Python raises MemoryError, but what surrounds it knows only `unreachable`. Any other trap, and
    an interpreter that gave itself up, is a crash.
    """
    told = str(trap.__cause__)
    return "`unreachable`" in told and not any(name in told for name in _MEANT)


def _code(message: str) -> TrapCode:
    """Which trap it was: components tell it in words only."""
    for words, code in _TRAPS.items():
        if words in message:
            return code
    return TrapCode.UNREACHABLE
