"""Bakes QuickJS with the harness loaded, so that an instance starts where the harness ended."""

from collections.abc import Callable
from typing import NoReturn

import wasmtime

from guests.typescript.wasmfile import Added, Snapshot, rewrite

STACK = 384 * 1024
"""Bytes of guest stack before a RangeError; more, and deep recursion would trap instead."""

STRIP_SOURCE, STRIP_DEBUG = 1 << 4, 1 << 5

BOX = 64 * 1024
"""Bytes for a text on its way in or out; a longer one gets memory of its own."""

ENTRIES = ("start", "begin", "settle", "settleExactly", "fire", "reject")
WORDS = ("log", "call", "complete", "fail", "advance")
KEEP = {
    "memory",
    "wasm_malloc",
    "wasm_free",
    "qjs_dup_value",
    "qjs_eval",
    "qjs_free_cstring",
    "qjs_free_value",
    "qjs_get_exception",
    "qjs_get_prop_string",
    "qjs_get_string_len",
    "qjs_get_value_ptr",
    "qjs_is_exception",
    "qjs_new_string",
}


def bake(quickjs: bytes, harness: str) -> tuple[bytes, dict[str, int]]:
    """The pre-initialised module, and where in its memory the handles are that the host uses."""
    bytecode = _Guest(quickjs).compile(harness)  # elsewhere: compiling leaves holes in the heap
    guest = _Guest(quickjs)
    handles = guest.load(bytecode)
    return rewrite(quickjs, guest.snapshot(), KEEP, _shortcuts(handles)), handles


def _shortcuts(handles: dict[str, int]) -> list[Added]:
    """What the host does all the time, in one call: each costs it microseconds.

    `drain` runs jobs until none is left (0) or one failed (negative). `enter` calls a function
    with a handle, which it frees, and says 1 where it threw; `enter_text` does it with a text.
    `ask` calls a function without arguments for a truth value, and says 2 where it threw. `take`
    copies a value's text to the outbox, or, where it does not fit, leaves its place behind its
    size; -1 is no text.
    """
    scratch, undefined, outbox = handles["scratch"], handles["undefined"], handles["outbox"]
    checked = "get{0} qjs_is_exception if get{0} qjs_free_value {1} return end"
    return [
        Added("drain", 0, 1, "loop qjs_execute_pending_job tee0 0 above? again end get0"),
        Added(
            "enter",
            2,
            1,
            f"{scratch} get1 store get0 {undefined} 1 {scratch} qjs_call set2 get1 qjs_free_value "
            f"{checked.format(2, 1)} get2 qjs_free_value 0",
        ),
        Added("enter_text", 3, 0, "get0 get1 get2 qjs_new_string enter"),
        Added(
            "ask",
            1,
            2,
            f"get0 {undefined} 0 {scratch} qjs_call set1 {checked.format(1, 2)} "
            "get1 qjs_get_bool set2 get1 qjs_free_value get2",
        ),
        Added(
            "take",
            1,
            2,
            f"get0 {scratch} qjs_get_string_len tee1 zero? if -1 return end {scratch} load set2 "
            f"get2 {BOX} above? if {scratch + 4} get1 store get2 return end "
            f"{outbox} get1 get2 copy get1 qjs_free_cstring get2",
        ),
    ]


class _Guest:
    def __init__(self, module: bytes) -> None:
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        compiled = wasmtime.Module(engine, module)
        linker = wasmtime.Linker(engine)
        for item in compiled.imports:
            assert isinstance(item.type, wasmtime.FuncType)
            linker.define_func(item.module, item.name or "", item.type, self._answer(item.name))
        self._exports = linker.instantiate(self._store, compiled).exports(self._store)
        memory = self._exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        self._memory = memory
        self._call("_initialize")
        if self._call("qjs_init") != 0:
            raise RuntimeError("QuickJS did not initialise")

    def _answer(self, name: str | None) -> Callable[..., int | None]:
        """Clock and random numbers are 0: nothing of the build's machine is baked in."""
        if name == "clock_time_get":
            return lambda clock, precision, at: self._write(at, bytes(8))
        if name == "random_get":
            return lambda at, count: self._write(at, bytes(count))
        if name == "host_promise_rejection":
            return lambda promise, reason, handled: None
        return lambda *arguments: 0

    def compile(self, source: str) -> bytes:
        """Bytecode without the source and its lines, which would be most of the image."""
        code, name, length = self._text(source), self._text("coderelay"), self._text("    ")
        size = len(source.encode())
        at = self._call("qjs_compile", code, size, name, 0, STRIP_SOURCE | STRIP_DEBUG, length)
        if not at:
            self._throw()
        return self._read(at, self._word(length))

    def load(self, harness: bytes) -> dict[str, int]:
        """Run the harness; the answer is where its functions, and what else we need, are."""
        self._call("qjs_set_max_stack_size", STACK)
        self._call("qjs_set_promise_rejection_handler", 1)
        self._set(self._call("qjs_get_global"), "host", self._host())
        harnessed = self._call("qjs_eval_bytecode", self._bytes(harness), len(harness))
        if self._call("qjs_is_exception", harnessed):
            self._throw()
        handles = {entry: self._property(harnessed, entry) for entry in ENTRIES}
        handles["undefined"] = self._call("qjs_get_undefined")
        handles["scratch"] = self._call("wasm_malloc", 16)
        handles["inbox"] = self._call("wasm_malloc", BOX)
        handles["outbox"] = self._call("wasm_malloc", BOX)
        self._call("qjs_run_gc")
        return handles

    def _host(self) -> int:
        """The object through which the harness speaks to the host, a function for each word."""
        host = self._call("qjs_new_object")
        for word in WORDS:
            name = self._text(word)
            self._set(host, word, self._call("qjs_new_host_function", name, len(word), 0))
        return host

    def snapshot(self) -> Snapshot:
        size = self._memory.data_len(self._store)
        pointer = self._exports["__stack_pointer"]
        assert isinstance(pointer, wasmtime.Global)
        return Snapshot(bytes(self._memory.read(self._store, 0, size)), pointer.value(self._store))

    def _throw(self) -> NoReturn:
        error = self._call("qjs_get_exception")
        message = self._string(error) + "\n" + self._string(self._property(error, "stack"))
        raise RuntimeError(f"the harness does not load: {message}")

    def _set(self, target: int, name: str, value: int) -> None:
        self._call("qjs_set_prop_string", target, self._text(name), value)

    def _property(self, value: int, name: str) -> int:
        return self._call("qjs_get_prop_string", value, self._text(name))

    def _string(self, value: int) -> str:
        length = self._call("wasm_malloc", 4)
        start = self._call("qjs_get_string_len", value, length)
        return self._read(start, self._word(length)).decode()

    def _text(self, text: str) -> int:
        return self._bytes(text.encode() + b"\0")

    def _bytes(self, data: bytes) -> int:
        at = self._call("wasm_malloc", len(data))
        self._write(at, data)
        return at

    def _word(self, at: int) -> int:
        return int.from_bytes(self._read(at, 4), "little")

    def _read(self, at: int, size: int) -> bytes:
        return bytes(self._memory.read(self._store, at, at + size))

    def _write(self, at: int, data: bytes) -> int:
        self._memory.write(self._store, data, at)
        return 0

    def _call(self, name: str, *arguments: int) -> int:
        function = self._exports[name]
        assert isinstance(function, wasmtime.Func)
        return int(function(self._store, *arguments) or 0)
