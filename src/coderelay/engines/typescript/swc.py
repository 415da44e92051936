"""Runs the type stripper (swc), a Rust program that is made to be called from JavaScript.

This module replaces its JavaScript glue. Each source has an instance of its own, so that a hostile
source cannot affect another program's. See docs/design/fresh-stripper.md.
"""

import re
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import wasmtime

from coderelay.engines.interface import Progress
from coderelay.engines.wasm.backstop import Backstop
from coderelay.engines.wasm.compiled import load, read_guest
from coderelay.engines.wasm.config import metered
from coderelay.engines.wasm.native import CoreInstance, HostImports, instantiate

FUEL = 2_000_000_000  # the longest ordinary source takes a tenth of it
SECONDS = 30.0
MEMORY = 64 * 1024 * 1024
_STACK = 1024 * 1024

_UNDEFINED = object()
_UNDEFINED_SLOT = 128
_RESERVED = 132  # the first slots of the glue's heap; the last four of them are constants
_HASH = re.compile(r"_[0-9a-f]{16}$")
_current = threading.local()


class Unstrippable(Exception):
    """The stripper refused a source. `report` has its `code`, `message`, `startLine`,
    `startColumn`, …"""

    def __init__(self, report: dict[str, Any]) -> None:
        super().__init__(report.get("message", "the source cannot be read"))
        self.report = report


class Swc:
    """The compiled stripper. It may be used from many threads."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self._engine = engine = wasmtime.Engine(metered(_STACK))
        self._module = load(
            read_guest(path),
            configuration="swc",
            compile=lambda wasm: wasmtime.Module(engine, wasm),
            serialize=lambda module: bytes(module.serialize()),
            deserialize=lambda name: wasmtime.Module.deserialize_file(engine, name),
            progress=progress,
        )
        self._backstop = Backstop(engine)
        self._linker = wasmtime.Linker(engine)
        self._imports = HostImports(self._linker)
        for item in self._module.imports:
            self._imports.define(item, _import(item.name or ""))
        self._linked = self._linker.instantiate_pre(self._module)

    def transform(self, source: str, **options: Any) -> dict[str, str]:
        """Return the stripper's output: `code`, and `map` if the options ask for it.

        Raises `Unstrippable` if it refuses the source, and `wasmtime.Trap` or `Trapped` if it runs
        out of fuel, memory or time.
        """
        store = wasmtime.Store(self._engine)
        store.set_fuel(FUEL)
        store.set_limits(memory_size=MEMORY)
        try:
            with self._backstop.watch(store, SECONDS):
                _current.glue = glue = _Glue(instantiate(self._linked, store))
                return glue.transform(source, options)
        except wasmtime.Trap:
            if glue.aborted is None:
                raise
            raise Unstrippable({"message": glue.aborted}) from None
        finally:
            _current.glue = None
            store.close()


class _Glue:
    """One instance of the stripper, and the JavaScript values that it refers to by number."""

    def __init__(self, instance: CoreInstance) -> None:
        self._store = instance.store
        self._call = instance.call
        self.read = instance.read
        self.write = instance.write
        self._heap: dict[int, Any] = {128: _UNDEFINED, 129: None, 130: True, 131: False}
        self._next = _RESERVED
        self.aborted: str | None = None

    def transform(self, source: str, options: dict[str, Any]) -> dict[str, str]:
        answer = self._call("__wbindgen_add_to_stack_pointer", -16)
        # Reading the options takes the stripper many host calls. Without any it makes none.
        options_slot = self.add(options) if options else _UNDEFINED_SLOT
        self._call("transformSync", answer, self.add(source), options_slot)
        value, error, failed = struct.unpack("<III", self.read(answer, 12))
        if failed:
            report = self.take(error)
            raise Unstrippable(report if isinstance(report, dict) else {"message": str(report)})
        output: dict[str, str] = self.take(value)
        return output

    def abort(self, message: str) -> None:
        """Stop the instance from inside a host function, as `GuestExecution.stop` does."""
        self.aborted = message
        self._store.set_fuel(0)

    def add(self, value: Any) -> int:
        self._heap[self._next] = value
        self._next += 1
        return self._next - 1

    def get(self, index: int) -> Any:
        return self._heap[index]

    def take(self, index: int) -> Any:
        return self._heap.pop(index) if index >= _RESERVED else self._heap[index]

    def text(self, at: int, size: int) -> str:
        return self.read(at, size).decode()

    def return_text(self, at: int, text: str | None) -> None:
        """Copy a text to the guest, and write its address and length to the address `at`."""
        if text is None:
            self.write(at, bytes(8))
            return
        data = text.encode()
        place = self._call("__wbindgen_export_2", len(data), 1)
        self.write(place, data)
        self.write(at, struct.pack("<II", place, len(data)))


def _lookup(glue: _Glue, holder: int, key: int) -> int:
    found = glue.get(holder)
    if isinstance(found, list):
        return glue.add(found[key])  # here the key is an index, not the number of a value
    return glue.add(found.get(glue.get(key), _UNDEFINED) if isinstance(found, dict) else _UNDEFINED)


def _assign(glue: _Glue, holder: int, key: int, value: int) -> None:
    glue.get(holder)[glue.take(key)] = glue.take(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(glue: _Glue, at: int, index: int) -> None:
    value = glue.get(index)
    known = _is_number(value)
    glue.write(at, struct.pack("<ixxxxd", known, value if known else 0.0))


def _string(glue: _Glue, at: int, index: int) -> None:
    value = glue.get(index)
    glue.return_text(at, value if isinstance(value, str) else None)


def _boolean(glue: _Glue, index: int) -> int:
    value = glue.get(index)
    return int(value) if isinstance(value, bool) else 2


def _loosely_equal(glue: _Glue, left: int, right: int) -> int:
    one, other = glue.get(left), glue.get(right)
    # In JavaScript, undefined == null.
    return int((None if one is _UNDEFINED else one) == (None if other is _UNDEFINED else other))


_IMPORTS: dict[str, Callable[..., Any]] = {
    "__wbindgen_error_new": lambda g, at, size: g.add({"message": g.text(at, size)}),
    "__wbindgen_string_new": lambda g, at, size: g.add(g.text(at, size)),
    "__wbindgen_number_new": lambda g, number: g.add(number),
    "__wbindgen_object_clone_ref": lambda g, index: g.add(g.get(index)),
    "__wbindgen_object_drop_ref": lambda g, index: (g.take(index), None)[1],
    "__wbindgen_is_bigint": lambda g, index: 0,
    "__wbindgen_is_function": lambda g, index: 0,
    "__wbindgen_is_falsy": lambda g, index: int(g.get(index) is _UNDEFINED or not g.get(index)),
    "__wbindgen_is_string": lambda g, index: int(isinstance(g.get(index), str)),
    "__wbindgen_is_undefined": lambda g, index: int(g.get(index) is _UNDEFINED),
    "__wbindgen_is_object": lambda g, index: int(isinstance(g.get(index), dict)),
    "__wbindgen_in": lambda g, key, holder: int(g.get(key) in g.get(holder)),
    "__wbindgen_boolean_get": _boolean,
    "__wbindgen_number_get": _number,
    "__wbindgen_string_get": _string,
    "__wbindgen_jsval_eq": lambda g, left, right: int(g.get(left) is g.get(right)),
    "__wbindgen_jsval_loose_eq": _loosely_equal,
    "__wbindgen_debug_string": lambda g, at, index: g.return_text(at, repr(g.get(index))),
    "__wbindgen_throw": lambda g, at, size: g.abort(g.text(at, size)),
    "__wbg_isSafeInteger": lambda g, index: int(_is_number(g.get(index))),
    "__wbg_isArray": lambda g, index: 0,
    "__wbg_instanceof_Map": lambda g, index: 0,
    "__wbg_instanceof_Uint8Array": lambda g, index: 0,
    "__wbg_instanceof_ArrayBuffer": lambda g, index: 0,
    "__wbg_iterator": lambda g: g.add("Symbol.iterator"),
    "__wbg_new": lambda g: g.add({}),
    "__wbg_set": _assign,
    "__wbg_getwithrefkey": _lookup,
    "__wbg_get": _lookup,
    "__wbg_entries": lambda g, index: g.add([list(item) for item in g.get(index).items()]),
    "__wbg_length": lambda g, index: len(g.get(index)),
    "__wbg_toString": lambda g, index: g.add(str(g.get(index))),
}


def _import(name: str) -> Callable[..., Any]:
    handler = _IMPORTS.get(_HASH.sub("", name))

    def answer(*arguments: Any) -> Any:
        glue: _Glue = _current.glue
        if handler is None:
            glue.abort(f"the stripper called {name}, which is not defined")
            return 0
        return handler(glue, *arguments)

    return answer
