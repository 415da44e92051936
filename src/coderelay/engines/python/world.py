"""What a guest can reach outside its sandbox, and which guest runs on this thread."""

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
    """A stream of random bytes that depends only on a seed."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._reads = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        self._reads += 1
        return hashlib.shake_256(self._seed + self._reads.to_bytes(8, "big")).digest(size)


class World:
    """The host functions of a guest. This one ignores what the guest reports; it is used while an
    instance is warmed up, and subclasses record what a program does."""

    def __init__(self, created: int = FIXED_DATE, seed: bytes = b"") -> None:
        self.clock = VirtualClock(created)
        self.entropy = Entropy(seed)
        self.alarms: dict[int, int] = {}
        self.error: BaseException | None = None
        self.files: Files | None = None
        """The open files of a guest that has a directory."""
        self._alarms_set = 0
        self._calls = 0

    def charge(self, size: int = 0) -> None:
        """Subtract fuel for the host's work in one host function, so that a guest pays for what it
        makes the host do. `size` is how many bytes were read from or written to a file."""

    def charge_texts(self, length: int) -> None:
        """Subtract fuel for texts of `length` characters that were copied from the guest."""

    def set_alarm(self, when: int) -> int:
        """Set an alarm for `when`, in nanoseconds since the start, and return its number."""
        self._alarms_set += 1
        self.alarms[self._alarms_set] = when
        return self._alarms_set

    def call(self, name: str, arguments: str) -> int:
        """Record a tool call of the program, and return its index."""
        self._calls += 1
        return self._calls - 1

    def log(self, level: int, text: str) -> None:
        """Record output of the program."""

    def complete(self, value: str) -> None:
        """Record the value of the program, as JSON text."""

    def fail(self, failure: str) -> None:
        """Record the failure of the program, as the harness describes it in JSON text."""

    def invoke(self, calls: str) -> str:
        """Make the tool calls of a session's cell, and return their results as text. A text that
        starts with `!` is an error."""
        return "!there is no session"

    def exceed(self, limit: str, message: str) -> None:
        """Record that the guest exceeded a limit, and that what it tried was refused."""

    def exit(self) -> None:
        """End the interpreter, because the program called `os._exit`."""

    def keep_error(self, error: BaseException) -> None:
        """Keep an exception of a host function. It is raised when the guest has been left."""
        self.error = error


class _RunningGuest(threading.local):
    world: World = World()
    memory: Callable[[str], Memory] | None = None
    """Returns the memory of the running guest, for one of its allocators by name."""


current = _RunningGuest()
"""The guest that runs on this thread. A thread-local, because host functions are linked once for
all guests, and have no other way to tell which guest called them."""
