"""Component values to and from Python, by what they are and not by their declared types.

Lists of bytes go through slices: wasmtime's binding takes them one byte at a time.
"""

import ctypes
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import wasmtime
from wasmtime import _ffi as ffi
from wasmtime.component import LinkerInstance

from coderelay.engines.python import native
from coderelay.engines.python.world import World, current

RESOURCES = (
    "pollable error input-stream output-stream terminal-input terminal-output descriptor "
    "directory-entry-stream network udp-socket incoming-datagram-stream outgoing-datagram-stream "
    "tcp-socket resolve-address-stream"
).split()
"""The resources of WASI; a resource's type is its place here, from 1."""

_Value = ffi.wasmtime_component_val_t
_SIZE = ctypes.sizeof(_Value)
_AT = _Value.of.offset


class Ok(NamedTuple):
    """A result that is well, with a value or none."""

    value: Any = None


class Err(NamedTuple):
    """A result that is not."""

    value: Any


class Option(NamedTuple):
    """A value that may be missing."""

    value: Any = None


class Case(NamedTuple):
    """A variant's case, with what it carries."""

    name: str
    value: Any = None


class Own(NamedTuple):
    """A resource of the host's, given to the guest."""

    kind: str
    number: int


class Name(str):
    """A case of an enumeration."""


class U32(int):
    """A number of 32 bits; others have 64."""


class Flags(frozenset[str]):
    """The flags that are set."""


def define(instance: LinkerInstance, name: str, function: Callable[..., Any]) -> object:
    """Define an import. The world of the running guest is the function's first argument.

    What is returned must be kept for as long as the linker.
    """

    def called(data: Any, context: Any, kind: Any, args: Any, n: int, results: Any, m: int) -> int:
        world: World = current.world
        try:
            world.charge()
            answer = function(world, *[lift(context, args[i]) for i in range(n)])
            if m:
                lower(context, results[0], answer)
        except BaseException as error:  # a guest must be left before anything can be raised
            world.broken(error)
        return 0

    return native.link(instance, name, called)


def lift(context: Any, value: Any) -> Any:
    """A guest's value. A resource is its number, flags are a set, a variant is a `Case`."""
    return _LIFTING[value.kind](context, value.of)


def lower(context: Any, slot: Any, value: Any) -> None:
    """Write a value for the guest."""
    _LOWERING[type(value)](context, slot, value)


def _text(name: Any) -> str:
    return ctypes.string_at(name.data, name.size).decode() if name.size else ""


def _lift_list(context: Any, of: Any) -> Any:
    items = of.list
    if not items.size:
        return b""
    if items.data[0].kind == ffi.WASMTIME_COMPONENT_U8.value:
        return ctypes.string_at(items.data, items.size * _SIZE)[_AT::_SIZE]
    return [lift(context, items.data[i]) for i in range(items.size)]


def _lift_record(context: Any, of: Any) -> dict[str, Any]:
    fields = (of.record.data[i] for i in range(of.record.size))
    return {_text(field.name): lift(context, field.val) for field in fields}


def _lift_variant(context: Any, of: Any) -> Case:
    inner = of.variant.val
    carried = lift(context, inner.contents) if inner else None
    return Case(_text(of.variant.discriminant), carried)


def _lift_resource(context: Any, of: Any) -> int:
    host = ctypes.POINTER(ffi.wasmtime_component_resource_host_t)()
    # This gives a borrowed handle back too, as a call must.
    error = ffi.wasmtime_component_resource_any_to_host(context, of.resource, ctypes.byref(host))
    if error:
        raise wasmtime.WasmtimeError._from_ptr(error)
    number = int(ffi.wasmtime_component_resource_host_rep(host))
    ffi.wasmtime_component_resource_host_delete(host)
    return number


_LIFTING: dict[int, Callable[[Any, Any], Any]] = {
    ffi.WASMTIME_COMPONENT_U32.value: lambda context, of: of.u32,
    ffi.WASMTIME_COMPONENT_U64.value: lambda context, of: of.u64,
    ffi.WASMTIME_COMPONENT_STRING.value: lambda context, of: _text(of.string),
    ffi.WASMTIME_COMPONENT_ENUM.value: lambda context, of: _text(of.enumeration),
    ffi.WASMTIME_COMPONENT_FLAGS.value: lambda context, of: frozenset(
        _text(of.flags.data[i]) for i in range(of.flags.size)
    ),
    ffi.WASMTIME_COMPONENT_LIST.value: _lift_list,
    ffi.WASMTIME_COMPONENT_RECORD.value: _lift_record,
    ffi.WASMTIME_COMPONENT_VARIANT.value: _lift_variant,
    ffi.WASMTIME_COMPONENT_RESOURCE.value: _lift_resource,
}


def _box(context: Any, value: Any) -> Any:
    raw = _Value()
    lower(context, raw, value)
    return ffi.wasmtime_component_val_new(ctypes.byref(raw))


def _lower_result(context: Any, slot: Any, value: Ok | Err) -> None:
    slot.kind = ffi.WASMTIME_COMPONENT_RESULT.value
    slot.of.result.is_ok = isinstance(value, Ok)
    if value.value is not None:
        slot.of.result.val = _box(context, value.value)
    else:
        slot.of.result.val = None


def _lower_option(context: Any, slot: Any, value: Option) -> None:
    slot.kind = ffi.WASMTIME_COMPONENT_OPTION.value
    slot.of.option = _box(context, value.value) if value.value is not None else None


def _lower_case(context: Any, slot: Any, value: Case) -> None:
    slot.kind = ffi.WASMTIME_COMPONENT_VARIANT.value
    slot.of.variant.discriminant = ffi.str_to_capi(value.name)
    slot.of.variant.val = _box(context, value.value) if value.value is not None else None


def _lower_own(context: Any, slot: Any, value: Own) -> None:
    kind = RESOURCES.index(value.kind) + 1
    host = ffi.wasmtime_component_resource_host_new(True, value.number, kind)
    found = ctypes.POINTER(ffi.wasmtime_component_resource_any_t)()
    error = ffi.wasmtime_component_resource_host_to_any(context, host, ctypes.byref(found))
    ffi.wasmtime_component_resource_host_delete(host)
    if error:
        raise wasmtime.WasmtimeError._from_ptr(error)
    slot.kind = ffi.WASMTIME_COMPONENT_RESOURCE.value
    slot.of.resource = found


def _lower_bytes(context: Any, slot: Any, value: bytes) -> None:
    items = ffi.wasmtime_component_vallist_t()
    ffi.wasmtime_component_vallist_new_uninit(items, len(value))
    size = len(value) * _SIZE
    room = _room.data
    if len(room) < size:
        room = _room.data = bytearray(_BYTE * len(value))
    room[_AT:size:_SIZE] = value
    ctypes.memmove(items.data, ctypes.addressof(ctypes.c_char.from_buffer(room)), size)
    slot.kind, slot.of.list = ffi.WASMTIME_COMPONENT_LIST.value, items


def _lower_list(context: Any, slot: Any, value: list[Any]) -> None:
    items = ffi.wasmtime_component_vallist_t()
    ffi.wasmtime_component_vallist_new_uninit(items, len(value))
    for place, item in enumerate(value):
        lower(context, items.data[place], item)
    slot.kind, slot.of.list = ffi.WASMTIME_COMPONENT_LIST.value, items


def _lower_tuple(context: Any, slot: Any, value: tuple[Any, ...]) -> None:
    items = ffi.wasmtime_component_valtuple_t()
    ffi.wasmtime_component_valtuple_new_uninit(items, len(value))
    for place, item in enumerate(value):
        lower(context, items.data[place], item)
    slot.kind, slot.of.tuple = ffi.WASMTIME_COMPONENT_TUPLE.value, items


def _lower_record(context: Any, slot: Any, value: dict[str, Any]) -> None:
    fields = ffi.wasmtime_component_valrecord_t()
    ffi.wasmtime_component_valrecord_new_uninit(fields, len(value))
    for place, (name, item) in enumerate(value.items()):
        lower(context, fields.data[place].val, item)
        fields.data[place].name = ffi.str_to_capi(name)
    slot.kind, slot.of.record = ffi.WASMTIME_COMPONENT_RECORD.value, fields


def _lower_flags(context: Any, slot: Any, value: Flags) -> None:
    flags = ffi.wasmtime_component_valflags_t()
    ffi.wasmtime_component_valflags_new_uninit(flags, len(value))
    for place, name in enumerate(value):
        flags.data[place] = ffi.str_to_capi(name)
    slot.kind, slot.of.flags = ffi.WASMTIME_COMPONENT_FLAGS.value, flags


def _simple(kind: Any, field: str, made: Callable[[Any], Any]) -> Callable[[Any, Any, Any], None]:
    def lowered(context: Any, slot: Any, value: Any) -> None:
        slot.kind = kind.value
        setattr(slot.of, field, made(value))

    return lowered


_LOWERING: dict[type, Callable[[Any, Any, Any], None]] = {
    bool: _simple(ffi.WASMTIME_COMPONENT_BOOL, "boolean", bool),
    int: _simple(ffi.WASMTIME_COMPONENT_U64, "u64", int),
    U32: _simple(ffi.WASMTIME_COMPONENT_U32, "u32", int),
    str: _simple(ffi.WASMTIME_COMPONENT_STRING, "string", ffi.str_to_capi),
    Name: _simple(ffi.WASMTIME_COMPONENT_ENUM, "enumeration", ffi.str_to_capi),
    Ok: _lower_result,
    Err: _lower_result,
    Option: _lower_option,
    Case: _lower_case,
    Own: _lower_own,
    bytes: _lower_bytes,
    list: _lower_list,
    tuple: _lower_tuple,
    dict: _lower_record,
    Flags: _lower_flags,
}


def _byte() -> bytes:
    value = _Value()
    value.kind = ffi.WASMTIME_COMPONENT_U8.value
    return bytes(value)


_BYTE = _byte()
"""How a byte that is 0 looks as an element of a list."""


class _Room(threading.local):
    """Where bytes are spread out: elements whose kind is set already."""

    data = bytearray()


_room = _Room()
