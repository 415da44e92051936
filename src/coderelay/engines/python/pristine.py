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
"""Whether a page is private to this process, by the last byte of its entry in the page map."""
_MAP = "/proc/self/pagemap"  # opened each time: after a fork it is another's


@dataclass(frozen=True, slots=True)
class _State:
    """What a pristine instance is: the size of its memory, and the pages that are its own, as a
    number with a byte for each page, and as they are written."""

    size: int
    own: int
    pages: tuple[tuple[int, bytes], ...]


class Pristine:
    """Makes instances of one kind, all alike, and restores used ones to what they were.

    `learn` is how many bytes are copied besides what the warm-up touched; each instance holds them.
    """

    def __init__(self, make: Callable[[], PythonInstance], *, learn: int) -> None:
        self._make = make
        self._most = learn
        self._state: _State | None = None
        self._learned = 0

    def make(self) -> PythonInstance:
        """A new one."""
        instance = self._make()
        if self._state is None:
            self._state = _taken(instance)
        return instance

    def restore(self, instance: PythonInstance) -> bool:
        """Make a reusable instance as good as new. Says whether it could."""
        core, state = instance.core, self._state
        if state is None or core.memory_size != state.size:
            return False
        flags = _own(core.address, state.size)
        if flags is None:
            return False
        more = int.from_bytes(flags, "little") & ~state.own
        stretches = _stretches(more.to_bytes(len(flags), "little"))
        for start, end in stretches:
            if not _give_back(core.address + start, end - start):
                return False
        if stretches:
            self._learn(instance, state, more, stretches)
        for start, data in state.pages:
            core.write(start, data)
        instance.store.set_limits(memory_size=MEMORY)
        return True

    def _learn(
        self,
        instance: PythonInstance,
        state: _State,
        more: int,
        stretches: Sequence[tuple[int, int]],
    ) -> None:
        """What one program touches, the next will: copying a page costs far less than a fault."""
        learned = self._learned + sum(end - start for start, end in stretches)
        if learned <= self._most:
            read = instance.core.read
            pages = tuple((start, read(start, end - start)) for start, end in stretches)
            self._state = _State(state.size, state.own | more, state.pages + pages)
            self._learned = learned


def _taken(instance: PythonInstance) -> _State | None:
    core = instance.core
    flags = _own(core.address, core.memory_size)
    if flags is None:
        return None
    pages = tuple((start, core.read(start, end - start)) for start, end in _stretches(flags))
    return _State(core.memory_size, int.from_bytes(flags, "little"), pages)


def _own(address: int, size: int) -> bytes | None:
    """A byte for each page: 1 where this process has written to it."""
    try:
        with open(_MAP, "rb", buffering=0) as file:
            file.seek(address // _PAGE * _ENTRY)
            entries = file.read(size // _PAGE * _ENTRY)
    except OSError:
        return None
    if len(entries) != size // _PAGE * _ENTRY:
        return None
    return entries[_ENTRY - 1 :: _ENTRY].translate(_PRIVATE)


def _stretches(flags: bytes) -> list[tuple[int, int]]:
    return [(found.start() * _PAGE, found.end() * _PAGE) for found in re.finditer(b"\1+", flags)]


def _give_back(address: int, size: int) -> bool:
    """Let the system forget what was written there. Says whether it did."""
    place, length = ctypes.c_void_p(address), ctypes.c_size_t(size)
    return bool(_library().madvise(place, length, mmap.MADV_DONTNEED) == 0)


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)
