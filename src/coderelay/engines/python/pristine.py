"""A used instance becomes a pristine one: which of the two it is, a program cannot tell.

An instance's whole state is its memory; its one variable, the stack pointer, is back in place
whenever it is not running, and the build refuses a guest that has another. So the memory is
written back to what it was: the pages that the warm-up had touched are copied over, and any others
that the program touched are given back to the system, which then shows the image's own again.
Which pages those are, only the system can tell: where it does not, nothing is restored. See
docs/design/restored-instances.md.
"""

import ctypes
import mmap
import re
from collections.abc import Callable
from functools import cache

from coderelay.engines.python.instance import MEMORY, Instance

_PAGE = mmap.PAGESIZE
_ENTRY = 8
_PRESENT_OR_SWAPPED, _OF_A_FILE = 0xC0, 0x20
_OWN = bytes(
    1 if high & _PRESENT_OR_SWAPPED and not high & _OF_A_FILE else 0 for high in range(256)
)
"""Whether a page is private to this process, by the last byte of its entry in the page map."""
_MAP = "/proc/self/pagemap"  # opened each time: after a fork it is another's


class Pristine:
    """Makes instances of one kind, all alike, and restores used ones to what they were."""

    def __init__(self, make: Callable[[], Instance]) -> None:
        self._make = make
        self._size = 0
        self._touched = 0
        self._pages: list[tuple[int, bytes]] = []

    def make(self) -> Instance:
        """A new one."""
        instance = self._make()
        if not self._pages:
            self._take(instance)
        return instance

    def restore(self, instance: Instance) -> bool:
        """Make a sound instance as good as new. Says whether it could."""
        core = instance.core
        if not self._pages or core.memory_size != self._size:
            return False
        touched = _touched(core.address, self._size)
        if touched is None:
            return False
        more = int.from_bytes(touched, "little") & ~self._touched
        for start, end in _stretches(more.to_bytes(len(touched), "little")):
            if not _give_back(core.address + start, end - start):
                return False
        for start, data in self._pages:
            core.write(start, data)
        instance.store.set_limits(memory_size=MEMORY)
        return True

    def _take(self, instance: Instance) -> None:
        core = instance.core
        size = core.memory_size
        touched = _touched(core.address, size)
        if touched is not None:
            self._size, self._touched = size, int.from_bytes(touched, "little")
            self._pages = [
                (start, core.read(start, end - start)) for start, end in _stretches(touched)
            ]


def _touched(address: int, size: int) -> bytes | None:
    """A byte for each page of this process: 1 where it has been written to."""
    try:
        with open(_MAP, "rb", buffering=0) as file:
            file.seek(address // _PAGE * _ENTRY)
            entries = file.read(size // _PAGE * _ENTRY)
    except OSError:
        return None
    if len(entries) != size // _PAGE * _ENTRY:
        return None
    return entries[_ENTRY - 1 :: _ENTRY].translate(_OWN)


def _stretches(flags: bytes) -> list[tuple[int, int]]:
    return [(found.start() * _PAGE, found.end() * _PAGE) for found in re.finditer(b"\1+", flags)]


def _give_back(address: int, size: int) -> bool:
    """Let the system forget what was written there. Says whether it did."""
    place, length = ctypes.c_void_p(address), ctypes.c_size_t(size)
    return bool(_library().madvise(place, length, mmap.MADV_DONTNEED) == 0)


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)
