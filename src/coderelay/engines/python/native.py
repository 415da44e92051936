"""A component's imports and exports, called without asking for their types each time.

wasmtime's Python binding describes a function anew at every call, which takes longer than most
calls; and it keeps a host function's exception in one slot for the whole process, where another
thread's run would find it. So the functions that are called often go through here.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import wasmtime
from wasmtime import _ffi as ffi
from wasmtime.component import Func, LinkerInstance

from coderelay.engines.python.world import current

_STRING = ffi.WASMTIME_COMPONENT_STRING.value
_LIST = ffi.WASMTIME_COMPONENT_LIST.value
_NUMBERS = {
    "u32": ffi.WASMTIME_COMPONENT_U32.value,
    "u64": ffi.WASMTIME_COMPONENT_U64.value,
}
_Value = ffi.wasmtime_component_val_t


def _byte(number: int) -> bytes:
    value = _Value()
    value.kind, value.of.u8 = ffi.WASMTIME_COMPONENT_U8.value, number
    return bytes(value)


_BYTES = [_byte(number) for number in range(256)]
"""How each byte looks as an element of a list."""


def define(
    instance: LinkerInstance,
    name: str,
    function: Callable[..., Any],
    *,
    takes: Sequence[str] = (),
    gives: str | None = None,
) -> object:
    """Define an import. The world of the running guest is the function's first argument.

    What is returned must be kept for as long as the linker.
    """

    def called(data: Any, context: Any, kind: Any, args: Any, n: int, results: Any, m: int) -> int:
        world = current.world
        try:
            world.charge()
            answer = function(world, *[_read(args[i].of, take) for i, take in enumerate(takes)])
            if gives is not None:
                _write(results[0], gives, answer)
        except BaseException as error:  # a guest must be left before anything can be raised
            world.broken(error)
        return 0

    return link(instance, name, called)


def link(instance: LinkerInstance, name: str, called: Callable[..., int]) -> object:
    """Give an import its C function, which may not raise. What is returned must be kept, too."""
    callback = ffi.wasmtime_component_func_callback_t(called)
    text = name.encode()
    error = ffi.wasmtime_component_linker_instance_add_func(
        instance.ptr(), ctypes.create_string_buffer(text), len(text), callback, None, _NO_FINALIZER
    )
    if error:
        raise wasmtime.WasmtimeError._from_ptr(error)
    return callback


def call(function: Func, store: wasmtime.Store, texts: Sequence[str], *, answers: bool) -> str:
    """Call an export that takes strings. Raises `WasmtimeError` when it traps."""
    params = (_Value * len(texts))()
    result = (_Value * 1)()
    for param, text in zip(params, texts, strict=True):
        data = text.encode()
        param.kind = _STRING
        ffi.wasm_byte_vec_new(
            ctypes.byref(param.of.string),
            len(data),
            ctypes.cast(ctypes.c_char_p(data), _CHARACTERS),
        )
    context = store._context()
    try:
        error = ffi.wasmtime_component_func_call(
            ctypes.byref(function._func), context, params, len(texts), result, int(answers)
        )
        if error:
            raise wasmtime.WasmtimeError._from_ptr(error)
        answer = _read(result[0].of, "text") if answers else ""
    finally:
        for value in (*params, *result) if answers else params:
            ffi.wasmtime_component_val_delete(ctypes.byref(value))
    return str(answer)


_CHARACTERS = ctypes.POINTER(ctypes.c_ubyte)
_NO_FINALIZER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)()


def _read(value: Any, take: str) -> Any:
    if take == "text":
        found = value.string
        return ctypes.string_at(found.data, found.size).decode() if found.size else ""
    return getattr(value, take)


def _write(result: Any, gives: str, answer: Any) -> None:
    if gives == "bytes":
        items = ffi.wasmtime_component_vallist_t()
        ffi.wasmtime_component_vallist_new_uninit(items, len(answer))
        data = b"".join(map(_BYTES.__getitem__, answer))
        ctypes.memmove(items.data, data, len(data))
        result.kind, result.of.list = _LIST, items
    else:
        result.kind = _NUMBERS[gives]
        setattr(result.of, gives, answer or 0)
