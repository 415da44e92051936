"""Calls into and out of a core module, straight through wasmtime's C API.

The binding converts and checks every value of every call, which costs ten times what entering the
guest does. Here an export takes and gives 32-bit integers, which the caller has right, and a host
function's exception stays on its own thread. It relies on the binding's internals; the dependency
is pinned to one major version for that. See docs/design/direct-c-api.md.
"""

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias

import wasmtime
from wasmtime import _ffi as ffi

from coderelay.core import EngineError

_MOST = 8
_WORDS = ctypes.c_int64 * (2 * _MOST)  # a value takes sixteen bytes, of which we use the first
_AS_VALUES = ctypes.POINTER(ffi.wasmtime_val_raw_t)
_call = ffi.dll.wasmtime_func_call_unchecked
_MASK = 0xFFFFFFFF
_READERS: dict[str, Callable[[ffi.wasmtime_val_raw_t], int | float]] = {
    "i32": lambda word: word.i32 & _MASK,
    "i64": lambda word: word.i64,
    "f64": lambda word: word.f64,
}
_NO_FINALIZER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)()


Words: TypeAlias = Sequence[ffi.wasmtime_val_raw_t]


class _Raised(threading.local):
    error: BaseException | None = None


_raised = _Raised()


class CoreInstance:
    """One instance of a core module: its functions by name, and its memory."""

    def __init__(self, store: wasmtime.Store, instance: wasmtime.Instance) -> None:
        self.store = store
        self._context = store._context()
        self._instance = instance
        self._functions: dict[str, object] = {}
        self._trap = ctypes.POINTER(ffi.wasm_trap_t)()
        self._trap_place = ctypes.byref(self._trap)
        self._depth = 0
        self._buffers: list[tuple[ctypes.Array[ctypes.c_int64], object]] = []
        self._memory = ctypes.byref(self._export("memory").of.memory)
        # A 32-bit memory has its whole address space reserved: it grows, and never moves.
        data = ffi.wasmtime_memory_data(self._context, self._memory)
        self._start = ctypes.addressof(data.contents)
        self._size = self.memory_size

    def call(self, name: str, *arguments: int) -> int:
        """Call an exported function of at most eight integers; 0 where it returns nothing."""
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = ctypes.byref(self._export(name).of.func)
        depth = self._depth
        if depth == len(self._buffers):  # an import may call in again while a call is under way
            words = _WORDS()
            self._buffers.append((words, ctypes.cast(words, _AS_VALUES)))
        words, values = self._buffers[depth]
        place = 0
        for argument in arguments:
            words[place] = argument
            place += 2
        self._depth = depth + 1
        error = _call(self._context, function, values, _MOST, self._trap_place)
        self._depth = depth
        if error or self._trap:
            self._fail(error)
        return words[0] & _MASK

    def read(self, at: int, size: int) -> bytes:
        """Bytes of the memory."""
        return ctypes.string_at(self._address(at, size), size)

    def write(self, at: int, data: bytes) -> None:
        """Put bytes into the memory."""
        ctypes.memmove(self._address(at, len(data)), data, len(data))

    def clear(self, at: int, size: int) -> None:
        """Put zeros into the memory."""
        ctypes.memset(self._address(at, size), 0, size)

    @property
    def address(self) -> int:
        """Where the memory is in this process."""
        return self._start

    @property
    def memory_size(self) -> int:
        """How far the memory has grown, in bytes."""
        return int(ffi.wasmtime_memory_data_size(self._context, self._memory))

    def _address(self, at: int, size: int) -> int:
        if at + size > self._size:
            self._size = self.memory_size
        if at < 0 or size < 0 or at + size > self._size:
            raise IndexError("outside of the guest's memory")
        return self._start + at

    def _export(self, name: str) -> ffi.wasmtime_extern_t:
        found, text = ffi.wasmtime_extern_t(), name.encode()
        if not ffi.wasmtime_instance_export_get(
            self._context,
            ctypes.byref(self._instance._instance),
            ctypes.create_string_buffer(text, len(text)),
            len(text),
            ctypes.byref(found),
        ):
            raise KeyError(name)
        return found

    def _fail(self, error: "ctypes._Pointer[ffi.wasmtime_error_t]") -> None:
        caught: Exception
        if error:
            caught = wasmtime.WasmtimeError._from_ptr(error)
        else:
            trap, self._trap = self._trap, ctypes.POINTER(ffi.wasm_trap_t)()
            self._trap_place = ctypes.byref(self._trap)
            caught = wasmtime.Trap._from_ptr(trap)
        raised, _raised.error = _raised.error, None
        raise caught if raised is None else raised


def instantiate(linked: wasmtime.InstancePre, store: wasmtime.Store) -> CoreInstance:
    """Start an instance of a module. Raises `EngineError` where the system gives it no room."""
    try:
        return CoreInstance(store, linked.instantiate(store))
    except wasmtime.WasmtimeError as error:
        reason = str(error).partition("\n")[0]
        raise EngineError(
            f"the sandbox could not start an instance: {reason}. Its memory limit must hold the "
            "guest itself, and each instance reserves 4 GB of address space, which is not memory: "
            "allow that much (`ulimit -v unlimited`)"
        ) from error


class HostImports:
    """Host functions for a linker, each from numbers to an integer or nothing."""

    def __init__(self, linker: wasmtime.Linker) -> None:
        self._linker = linker
        self._kept: list[object] = []

    def define(self, item: wasmtime.ImportType, function: Callable[..., int | None]) -> None:
        """Give the module this import."""
        kind = item.type
        assert isinstance(kind, wasmtime.FuncType) and item.name is not None
        wide = [str(result) for result in kind.results] == ["i64"]
        called = _trampoline(function, kind.params, wide=wide)
        callback = ffi.wasmtime_func_unchecked_callback_t(called)
        self._kept.append(callback)
        module, name = item.module.encode(), item.name.encode()
        error = ffi.wasmtime_linker_define_func_unchecked(
            self._linker.ptr(),
            ctypes.create_string_buffer(module, len(module)),
            len(module),
            ctypes.create_string_buffer(name, len(name)),
            len(name),
            kind.ptr(),
            callback,
            None,
            _NO_FINALIZER,
        )
        if error:
            raise wasmtime.WasmtimeError._from_ptr(error)


def _trampoline(
    function: Callable[..., int | None], kinds: Sequence[wasmtime.ValType], *, wide: bool
) -> Callable[..., int]:
    readers = [_READERS[str(kind)] for kind in kinds]

    def called(data: object, caller: object, words: Words, count: int) -> int:
        try:
            result = function(*[read(words[place]) for place, read in enumerate(readers)])
            if result is not None:
                if wide:
                    words[0].i64 = result
                else:
                    words[0].i32 = result
            return 0
        except BaseException as error:
            _raised.error = error
            trap = wasmtime.Trap("host function failed")._consume()
            return int(ctypes.cast(trap, ctypes.c_void_p).value or 0)

    return called
