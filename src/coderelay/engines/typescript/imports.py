"""The host functions of QuickJS: messages of our harness, and a virtual clock. The rest is denied.

They are defined once for all instances, and find the execution of the caller by their thread.
"""

import struct
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

import wasmtime

from coderelay.engines.typescript.quickjs import QuickJsInstance
from coderelay.engines.wasm.native import HostImports

_BADF, _NOSYS = 8, 52


class Listener(Protocol):
    """The execution that a host function calls."""

    def on_message(self, name: bytes, arguments: Sequence[int]) -> int:
        """Handle a message of the harness, and return a handle to the result."""

    def on_rejection(self, promise: int, reason: int, handled: int) -> None:
        """Handle that a promise was rejected without a handler, or got a handler after that."""

    def time(self, clock: int) -> int:
        """Return the time of a clock in nanoseconds."""


class _RunningExecution(threading.local):
    listener: Listener
    guest: QuickJsInstance


_current = _RunningExecution()


def enter(listener: Listener, guest: QuickJsInstance) -> None:
    """Let host functions on this thread use this execution and its instance from now on."""
    _current.listener, _current.guest = listener, guest


def leave() -> None:
    """Forget the execution and the instance of this thread."""
    del _current.listener, _current.guest


def _message(name: int, size: int, this: int, count: int, at: int) -> int:
    guest = _current.guest
    arguments = struct.unpack(f"<{count}I", guest.read(at, 4 * count))
    return _current.listener.on_message(guest.read(name, size), arguments)


def _clock(clock: int, precision: int, at: int) -> int:
    _current.guest.write(at, struct.pack("<Q", _current.listener.time(clock)))
    return 0


def _random(at: int, size: int) -> int:
    _current.guest.write(at, bytes(size))  # the harness has replaced everything that uses it
    return 0


_IMPORTS: dict[str, Callable[..., int | None]] = {
    "host_call": _message,
    "host_promise_rejection": lambda *event: _current.listener.on_rejection(*event),
    "host_get_timezone_offset": lambda high, low: 0,
    "host_interrupt": lambda: 0,
    "host_module_normalize": lambda base, name: 0,
    "host_module_load": lambda name, size: 0,
    "clock_time_get": _clock,
    "random_get": _random,
    "fd_close": lambda file: _BADF,
    "fd_fdstat_get": lambda file, at: _BADF,
    "fd_seek": lambda *arguments: _NOSYS,
    "fd_write": lambda *arguments: _BADF,
}


def link(engine: wasmtime.Engine, module: wasmtime.Module) -> tuple[wasmtime.Linker, HostImports]:
    """Return a linker that defines all imports of the module, and its functions, which the caller
    must keep as long as the linker."""
    linker = wasmtime.Linker(engine)
    imports = HostImports(linker)
    for item in module.imports:
        imports.define(item, _IMPORTS[item.name or ""])
    return linker, imports
