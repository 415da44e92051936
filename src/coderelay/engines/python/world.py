"""The world as a guest sees it, and which guest is running on this thread."""

import hashlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from coderelay.core.program import FIXED_DATE
from coderelay.engines.python.values import Memory
from coderelay.engines.wasm.virtual_clock import VirtualClock

if TYPE_CHECKING:
    from coderelay.engines.python.live.files import Files


class Entropy:
    """A stream of bytes that a seed determines."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._reads = 0

    def read(self, size: int) -> bytes:
        """The next bytes."""
        self._reads += 1
        return hashlib.shake_256(self._seed + self._reads.to_bytes(8, "big")).digest(size)


class World:
    """What a guest can ask of its host. This one hears nothing: it is there for the warm-up."""

    def __init__(self, created: int = FIXED_DATE, seed: bytes = b"") -> None:
        self.clock = VirtualClock(created)
        self.entropy = Entropy(seed)
        self.alarms: dict[int, int] = {}
        self.error: BaseException | None = None
        self.files: Files | None = None
        """What a guest with a directory has open."""
        self._alarms_set = 0
        self._calls = 0

    def charge(self, size: int = 0) -> None:
        """Take fuel for the host's own work: a guest may not make it work for nothing. `size` is
        how many bytes went to or from a file."""

    def charge_texts(self, length: int) -> None:
        """Take fuel for texts that were read from the guest, whatever becomes of them."""

    def set_alarm(self, when: int) -> int:
        """A new alarm that rings so many nanoseconds after the start."""
        self._alarms_set += 1
        self.alarms[self._alarms_set] = when
        return self._alarms_set

    def call(self, name: str, arguments: str) -> int:
        """A call was made. The answer is its index."""
        self._calls += 1
        return self._calls - 1

    def log(self, level: int, text: str) -> None:
        """Something was written."""

    def complete(self, value: str) -> None:
        """Main has returned."""

    def fail(self, failure: str) -> None:
        """Main has raised."""

    def invoke(self, calls: str) -> str:
        """A session made calls. The answer has their results."""
        return "!there is no session"

    def exceed(self, limit: str, message: str) -> None:
        """A limit was passed, and what passed it was refused."""

    def exit(self) -> None:
        """The interpreter is asked to end."""

    def broken(self, error: BaseException) -> None:
        """The host's own code failed while the guest called it: keep that until it is left."""
        self.error = error


class _Current(threading.local):
    world: World = World()
    memory: Callable[[str], Memory] | None = None
    """The running guest's memory, with one of its functions that allocate."""


current = _Current()
"""Imports are linked once for all guests, and find the one that runs on their thread here."""
