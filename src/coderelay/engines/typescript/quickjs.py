"""Calls functions of a QuickJS instance, and reads and restores its values and memory."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from coderelay.engines.wasm.native import CoreInstance

BOX = 64 * 1024
"""The size of the guest's inbox and outbox, in bytes. Shorter texts need no allocation."""
ASYNC = 1 << 7
"""The flag of `qjs_eval` that allows `await` at the top level of a script."""

_WORD = struct.Struct("<I")
_PAGE = 4096
_NO_TEXT = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class MemorySnapshot:
    """The content of a memory."""

    memory: bytes
    ranges: tuple[tuple[int, int, bytes | None], ...]
    """The same in ranges of pages: address, length and content, or None for zeros."""

    @classmethod
    def of(cls, memory: bytes) -> "MemorySnapshot":
        """Return a snapshot of a memory. Ranges of zeros are kept apart, because they are restored
        without reading them."""
        pages = [memory[at : at + _PAGE] for at in range(0, len(memory), _PAGE)]
        ranges = []
        at = 0
        for used, group in groupby(pages, key=any):
            data = b"".join(group)
            ranges.append((at, len(data), data if used else None))
            at += len(data)
        return cls(memory, tuple(ranges))

    def changed(self, memory: bytes) -> tuple[tuple[int, bytes], ...]:
        """Return the pages of another memory of this size that differ, with their addresses."""
        return tuple(
            (at, memory[at : at + _PAGE])
            for at in range(0, len(memory), _PAGE)
            if memory[at : at + _PAGE] != self.memory[at : at + _PAGE]
        )


class GuestMemoryExhausted(Exception):
    """The guest has no memory for what the host must pass to it."""


class QuickJsInstance:
    """One instance of QuickJS. A handle is the address of a value in its memory; whoever gets a
    handle must free it."""

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
    def is_full(self) -> bool:
        """Whether the memory has grown to within a sixteenth of its limit."""
        return self._instance.memory_size >= self.memory_limit * 15 // 16

    def memory(self) -> bytes:
        """Return the content of the whole memory."""
        return self.read(0, self._instance.memory_size)

    def restore(self, image: "MemorySnapshot") -> bool:
        """Overwrite the memory with an image, and return whether that is possible. It is not if
        the memory has grown, because a memory cannot shrink."""
        if self._instance.memory_size != len(image.memory):
            return False
        for start, length, data in image.ranges:
            if data is None:
                self._instance.clear(start, length)
            else:
                self.write(start, data)
        return True

    def evaluate(self, code: str, file: str) -> int:
        """Run a script that may await, and return a handle to its promise or to an exception."""
        data, name = code.encode(), file.encode()
        at = self._put(data + b"\0" + name + b"\0")
        result = self.call("qjs_eval", at, len(data), at + len(data) + 1, ASYNC)
        self._clear(at)
        return result

    def enter(self, entry: str, handle: int) -> bool:
        """Call a function of the harness with a value, free the value's handle, and return whether
        the function threw."""
        return bool(self.call("enter", self._handles[entry], handle))

    def enter_text(self, entry: str, text: str) -> bool:
        """Call a function of the harness with a text, and return whether it threw."""
        data = text.encode()
        at = self._put(data)
        threw = self.call("enter_text", self._handles[entry], at, len(data))
        self._clear(at)
        return bool(threw)

    def call_for_bool(self, entry: str) -> bool | None:
        """Call a function of the harness, and return its result, or None if it threw."""
        answer = self.call("ask", self._handles[entry])
        return None if answer == 2 else bool(answer)

    def string(self, handle: int, limit: int) -> str:
        """Return a value as text, and free its handle. At most `limit` + 1 bytes are read, enough
        to see that a text is too long."""
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
        """Return a handle to a property of a value."""
        at = self._put(name.encode() + b"\0")
        result = self.call("qjs_get_prop_string", handle, at)
        self._clear(at)
        return result

    def undefined(self) -> int:
        """Return a new handle to undefined."""
        return self.call("qjs_dup_value", self._handles["undefined"])

    def free(self, handle: int) -> None:
        """Free a handle."""
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
