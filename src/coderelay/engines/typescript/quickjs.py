"""One QuickJS guest: its values as the host handles them, and the functions it enters."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from coderelay.engines.wasm.native import CoreInstance

BOX = 64 * 1024
"""Bytes of the inbox and the outbox: texts up to that pass without allocating."""
ASYNC = 1 << 7
"""The flag that lets a script await at its top level."""

_WORD = struct.Struct("<I")
_PAGE = 4096
_NO_TEXT = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Image:
    """A memory's content, also in stretches: where, how long, and what, or None for zeros."""

    memory: bytes
    stretches: tuple[tuple[int, int, bytes | None], ...]

    @classmethod
    def of(cls, memory: bytes) -> "Image":
        """Part a memory into what is zero and what is not: zeros need not be read to be written."""
        pages = [memory[at : at + _PAGE] for at in range(0, len(memory), _PAGE)]
        stretches = []
        at = 0
        for used, group in groupby(pages, key=any):
            data = b"".join(group)
            stretches.append((at, len(data), data if used else None))
            at += len(data)
        return cls(memory, tuple(stretches))

    def changed(self, memory: bytes) -> tuple[tuple[int, bytes], ...]:
        """The pages in which another memory of this size differs, and where they are."""
        return tuple(
            (at, memory[at : at + _PAGE])
            for at in range(0, len(memory), _PAGE)
            if memory[at : at + _PAGE] != self.memory[at : at + _PAGE]
        )


class GuestMemoryExhausted(Exception):
    """The guest has no room for what the host must give it."""


class QuickJsGuest:
    """QuickJS in one instance. Handles are places in its memory; who gets one frees it."""

    def __init__(
        self, instance: CoreInstance, handles: Mapping[str, int], memory_limit: int
    ) -> None:
        self.store = instance.store
        self.call = instance.call
        self.read = instance.read
        self.write = instance.write
        self._instance = instance
        self._handles = handles
        self._scratch = handles["scratch"]
        self.memory_limit = memory_limit

    @property
    def is_out_of_memory(self) -> bool:
        """Whether the memory has grown to within a sixteenth of its limit."""
        return self._instance.memory_size >= self.memory_limit * 15 // 16

    def memory(self) -> bytes:
        """The whole memory."""
        return self.read(0, self._instance.memory_size)

    def restore(self, image: "Image") -> bool:
        """Write an image over the memory. Says whether it could: a memory cannot shrink."""
        if self._instance.memory_size != len(image.memory):
            return False
        for start, length, data in image.stretches:
            if data is None:
                self._instance.clear(start, length)
            else:
                self.write(start, data)
        return True

    def evaluate(self, code: str, file: str) -> int:
        """Run a script that may await. The handle is its promise, or an exception's."""
        data, name = code.encode(), file.encode()
        at = self._put(data + b"\0" + name + b"\0")
        result = self.call("qjs_eval", at, len(data), at + len(data) + 1, ASYNC)
        self._clear(at)
        return result

    def enter(self, entry: str, handle: int) -> bool:
        """Call a function of the harness with a value, and give that up. Says whether it threw."""
        return bool(self.call("enter", self._handles[entry], handle))

    def enter_text(self, entry: str, text: str) -> bool:
        """Call a function of the harness with a text. Says whether it threw."""
        data = text.encode()
        at = self._put(data)
        threw = self.call("enter_text", self._handles[entry], at, len(data))
        self._clear(at)
        return bool(threw)

    def ask(self, entry: str) -> bool | None:
        """Ask a function of the harness a question; None where it threw."""
        answer = self.call("ask", self._handles[entry])
        return None if answer == 2 else bool(answer)

    def string(self, handle: int, limit: int) -> str:
        """A value as text, of which at most `limit` bytes and one more are read."""
        size = self.call("take", handle)
        if size == _NO_TEXT:
            return ""
        if size <= BOX:
            data = self.read(self._handles["outbox"], min(size, limit + 1))
        else:
            (start,) = _WORD.unpack(self.read(self._scratch + 4, 4))
            data = self.read(start, min(size, limit + 1))
            self.call("qjs_free_cstring", start)
        return data.decode("utf-8", "surrogatepass" if size <= limit else "replace")

    def property(self, handle: int, name: str) -> int:
        """A handle to a property."""
        at = self._put(name.encode() + b"\0")
        result = self.call("qjs_get_prop_string", handle, at)
        self._clear(at)
        return result

    def undefined(self) -> int:
        """A new handle to undefined."""
        return self.call("qjs_dup_value", self._handles["undefined"])

    def free(self, handle: int) -> None:
        """Give a handle up."""
        self.call("qjs_free_value", handle)

    def _put(self, data: bytes) -> int:
        at = self._handles["inbox"]
        if len(data) > BOX:
            at = self.call("wasm_malloc", len(data))
            if not at:
                raise GuestMemoryExhausted
        self.write(at, data)
        return at

    def _clear(self, at: int) -> None:
        if at != self._handles["inbox"]:
            self.call("wasm_free", at)
