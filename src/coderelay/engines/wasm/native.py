"""Calls functions of a guest, and defines host functions for it, directly by wasmtime's C API.

The Python binding converts and checks every value of every call, which costs ten times as much as
entering the guest. Here, exports take and return 32-bit integers that the caller has already
checked, and the exception of a host function stays on its own thread. This relies on internals of
the binding, so the dependency is pinned to one major version. See docs/design/direct-c-api.md.
"""

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias

import wasmtime
from wasmtime import _ffi as ffi

from coderelay.core import EngineError

_MOST = 8
_WORDS = ctypes.c_int64 * (2 * _MOST)  # a value takes sixteen bytes, of which we use eight
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


class _HostException(threading.local):
    error: BaseException | None = None


_raised = _HostException()
"""The exception of the last host function on this thread. The binding has only one place for the
whole process, where another thread's call would find it."""


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
        # wasmtime reserves the whole address space of a 32-bit memory, so it never moves.
        data = ffi.wasmtime_memory_data(self._context, self._memory)
        self._start = ctypes.addressof(data.contents)
        self._size = self.memory_size

    def call(self, name: str, *arguments: int) -> int:
        """Call an exported function with at most eight integers, and return its result.

        Returns 0 for a function without a result. An exception of a host function is raised again
        here, instead of the trap that it caused.
        """
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = ctypes.byref(self._export(name).of.func)
        depth = self._depth
        if depth == len(self._buffers):  # a host function may call the guest again during a call
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
        """Return bytes of the memory. Raises `IndexError` for a range outside it."""
        return ctypes.string_at(self._address(at, size), size)

    def write(self, at: int, data: bytes) -> None:
        """Write bytes to the memory. Raises `IndexError` for a range outside it."""
        ctypes.memmove(self._address(at, len(data)), data, len(data))

    def clear(self, at: int, size: int) -> None:
        """Fill a range of the memory with zeros. Raises `IndexError` for a range outside it."""
        ctypes.memset(self._address(at, size), 0, size)

    @property
    def address(self) -> int:
        """The address of the memory in this process."""
        return self._start

    @property
    def memory_size(self) -> int:
        """The current size of the memory, in bytes."""
        return int(ffi.wasmtime_memory_data_size(self._context, self._memory))

    def _address(self, at: int, size: int) -> int:
        if at + size > self._size:
            self._size = self.memory_size
        if at < 0 or size < 0 or at + size > self._size:
            raise IndexError(f"{size} bytes at {at} are not in the guest's memory")
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
    """Return a new instance of a module. Raises `EngineError` if there is too little memory."""
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
    """Defines host functions in a linker. They take numbers, and return an integer or None."""

    def __init__(self, linker: wasmtime.Linker) -> None:
        self._linker = linker
        self._callbacks: list[object] = []  # wasmtime does not keep them alive

    def define(self, item: wasmtime.ImportType, function: Callable[..., int | None]) -> None:
        """Define the host function for an import of the module."""
        kind = item.type
        assert isinstance(kind, wasmtime.FuncType) and item.name is not None
        wide = [str(result) for result in kind.results] == ["i64"]
        called = _trampoline(function, kind.params, wide=wide)
        callback = ffi.wasmtime_func_unchecked_callback_t(called)
        self._callbacks.append(callback)
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
    """Return a C callback that calls a Python function, and turns its exception into a trap."""
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
