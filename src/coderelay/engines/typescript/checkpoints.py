"""Caches the state of programs at their first suspension, so that a replay can start from there.

A stateless server replays a program once for every batch of its calls. Up to the first suspension,
a run depends only on the program, the names of the tools, and the limits. So its state there can be
cached: the pages of memory that differ from a new guest's, and what the host knows. Restoring it
gives the same bytes and the same fuel as running the program again, so a missing checkpoint changes
no outcome. See docs/design/checkpoints.md.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from coderelay.engines.wasm.ledger import Ledger

_SEEN, _MOST = 1_000, 64


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a run at its first suspension: the guest's pages, and what the host knows."""

    pages: tuple[tuple[int, bytes], ...]
    unhandled: tuple[tuple[int, tuple[int, int]], ...]
    elapsed: int
    fuel: int
    ledger: Ledger


class Checkpoints:
    """A cache of checkpoints. It may be used from many threads.

    A checkpoint is made in the second run of a program, so that programs that run only once do not
    pay for it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: OrderedDict[Hashable, None] = OrderedDict()
        self._checkpoints: OrderedDict[Hashable, Checkpoint] = OrderedDict()

    def find(self, key: Hashable) -> Checkpoint | None:
        """Return the checkpoint of a program, or None."""
        with self._lock:
            found = self._checkpoints.get(key)
            if found is not None:
                self._checkpoints.move_to_end(key)
            return found

    def is_repeated(self, key: Hashable) -> bool:
        """Return whether this program was run before, and remember that it was run now."""
        with self._lock:
            again = key in self._seen
            self._seen[key] = None
            self._seen.move_to_end(key)
            if len(self._seen) > _SEEN:
                self._seen.popitem(last=False)
            return again

    def add(self, key: Hashable, checkpoint: Checkpoint) -> None:
        """Add a checkpoint. If there are too many, drop the one that was not used for longest."""
        with self._lock:
            self._checkpoints[key] = checkpoint
            if len(self._checkpoints) > _MOST:
                self._checkpoints.popitem(last=False)
