"""Restores a used instance to its initial state, so that a program cannot tell it from a new one.

The whole state of an instance is its memory. Its only global variable, the stack pointer, has its
initial value whenever the instance does not run, and the build refuses a guest with another one.

So the memory is restored: the pages that the warm-up had written are copied back. All other pages
that the program has written are dropped, and the system maps the image's pages there again. Only
the system knows which pages those are; if it does not tell, instances are not restored but
replaced. See docs/design/restored-instances.md.
"""

import ctypes
import mmap
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from coderelay.engines.python.instance import MEMORY, PythonInstance

_PAGE = mmap.PAGESIZE
_ENTRY = 8
_PRESENT_OR_SWAPPED, _OF_A_FILE = 0xC0, 0x20
_PRIVATE = bytes(
    1 if high & _PRESENT_OR_SWAPPED and not high & _OF_A_FILE else 0 for high in range(256)
)
"""1 for a page that this process has written, by the last byte of its entry in the page map."""
_MAP = "/proc/self/pagemap"  # opened each time, because after a fork it is another process's


@dataclass(frozen=True, slots=True)
class _State:
    """The initial state of an instance's memory."""

    size: int
    written: int
    """Which pages have been written, as a number with one byte for each page."""
    pages: tuple[tuple[int, bytes], ...]
    """The contents of those pages, with their offsets in memory."""


class InstanceRestorer:
    """Makes instances of one kind, and restores used ones to their initial state.

    `learn` is how many bytes of pages may be copied in addition to those of the warm-up. Each
    instance keeps them in memory.
    """

    def __init__(self, make: Callable[[], PythonInstance], *, learn: int) -> None:
        self._make = make
        self._learn_at_most = learn
        self._state: _State | None = None
        self._learned = 0

    def make(self) -> PythonInstance:
        """Return a new instance."""
        instance = self._make()
        if self._state is None:
            self._state = _state_of(instance)
        return instance

    def restore(self, instance: PythonInstance) -> bool:
        """Restore an instance to its initial state, and return whether that succeeded. If not, it
        must not be used again."""
        core, state = instance.core, self._state
        if state is None or core.memory_size != state.size:
            return False
        flags = _written_pages(core.address, state.size)
        if flags is None:
            return False
        more = int.from_bytes(flags, "little") & ~state.written
        ranges = _ranges(more.to_bytes(len(flags), "little"))
        for start, end in ranges:
            if not _drop_pages(core.address + start, end - start):
                return False
        if ranges:
            self._learn(instance, state, more, ranges)
        for start, data in state.pages:
            core.write(start, data)
        instance.store.set_limits(memory_size=MEMORY)
        return True

    def _learn(
        self,
        instance: PythonInstance,
        state: _State,
        more: int,
        ranges: Sequence[tuple[int, int]],
    ) -> None:
        """Add pages to those that are copied back. The next program will probably write them, too,
        and copying a page costs far less than a page fault."""
        learned = self._learned + sum(end - start for start, end in ranges)
        if learned <= self._learn_at_most:
            read = instance.core.read
            pages = tuple((start, read(start, end - start)) for start, end in ranges)
            self._state = _State(state.size, state.written | more, state.pages + pages)
            self._learned = learned


def _state_of(instance: PythonInstance) -> _State | None:
    """Return the state of an instance's memory, or None if the system does not tell it."""
    core = instance.core
    flags = _written_pages(core.address, core.memory_size)
    if flags is None:
        return None
    pages = tuple((start, core.read(start, end - start)) for start, end in _ranges(flags))
    return _State(core.memory_size, int.from_bytes(flags, "little"), pages)


def _written_pages(address: int, size: int) -> bytes | None:
    """Return one byte for each page, 1 if this process has written to it; None if unknown."""
    try:
        with open(_MAP, "rb", buffering=0) as file:
            file.seek(address // _PAGE * _ENTRY)
            entries = file.read(size // _PAGE * _ENTRY)
    except OSError:
        return None
    if len(entries) != size // _PAGE * _ENTRY:
        return None
    return entries[_ENTRY - 1 :: _ENTRY].translate(_PRIVATE)


def _ranges(flags: bytes) -> list[tuple[int, int]]:
    """Return the start and end of each range of pages that have a 1."""
    return [(found.start() * _PAGE, found.end() * _PAGE) for found in re.finditer(b"\1+", flags)]


def _drop_pages(address: int, size: int) -> bool:
    """Have the system drop what was written to pages, and return whether it did."""
    place, length = ctypes.c_void_p(address), ctypes.c_size_t(size)
    return bool(_library().madvise(place, length, mmap.MADV_DONTNEED) == 0)


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)
