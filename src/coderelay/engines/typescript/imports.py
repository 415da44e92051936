"""What QuickJS imports: a clock that we turn, our harness's way out, and nothing else.

They are defined once for all instances, and find the execution they speak to by their thread.
"""

import struct
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

import wasmtime

from coderelay.engines.typescript.quickjs import QuickJsGuest
from coderelay.engines.wasm.native import HostImports

_BADF, _NOSYS = 8, 52


class Listener(Protocol):
    """The execution that an import speaks to."""

    def told(self, word: bytes, arguments: Sequence[int]) -> int:
        """The harness says something; the answer is a handle."""

    def rejected(self, promise: int, reason: int, handled: int) -> None:
        """A promise was rejected with no handler, or got one after that."""

    def time(self, clock: int) -> int:
        """Nanoseconds."""


class _Current(threading.local):
    listener: Listener
    guest: QuickJsGuest


_current = _Current()


def enter(listener: Listener, guest: QuickJsGuest) -> None:
    """Let imports on this thread speak to this execution, and know its guest, from now on."""
    _current.listener, _current.guest = listener, guest


def leave() -> None:
    """Let imports on this thread speak to nobody."""
    del _current.listener, _current.guest


def _told(name: int, size: int, this: int, count: int, at: int) -> int:
    guest = _current.guest
    arguments = struct.unpack(f"<{count}I", guest.read(at, 4 * count))
    return _current.listener.told(guest.read(name, size), arguments)


def _clock(clock: int, precision: int, at: int) -> int:
    _current.guest.write(at, struct.pack("<Q", _current.listener.time(clock)))
    return 0


def _random(at: int, size: int) -> int:
    _current.guest.write(at, bytes(size))  # our harness has replaced all that would ask
    return 0


_IMPORTS: dict[str, Callable[..., int | None]] = {
    "host_call": _told,
    "host_promise_rejection": lambda *event: _current.listener.rejected(*event),
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
    """A linker with every import that the module has, and its functions, which must be kept."""
    linker = wasmtime.Linker(engine)
    imports = HostImports(linker)
    for item in module.imports:
        imports.define(item, _IMPORTS[item.name or ""])
    return linker, imports
