"""What a program came to before its first answer, kept so that a replay need not do it again.

A stateless server meets the same program once for every batch of its calls. From its start to its
first suspension a run depends on nothing but program, names and limits; so its memory there, as
the pages that differ from a pristine guest's, stands for all that has happened. Restoring it or
running it again gives the same bytes and the same fuel. Dropping it changes no answer.
See docs/design/checkpoints.md.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from coderelay.engines.wasm.ledger import Ledger

_SEEN, _KEPT = 1_000, 64


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A run at its first suspension: the guest's pages, and what the host knew."""

    pages: tuple[tuple[int, bytes], ...]
    unhandled: tuple[tuple[int, tuple[int, int]], ...]
    elapsed: int
    fuel: int
    ledger: Ledger


class Checkpoints:
    """The last programs that were met again; safe to use from many threads.

    A program's first run pays nothing: its checkpoint is made when it is met a second time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: OrderedDict[Hashable, None] = OrderedDict()
        self._kept: OrderedDict[Hashable, Checkpoint] = OrderedDict()

    def find(self, key: Hashable) -> Checkpoint | None:
        """The checkpoint of a program, if there is one."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def is_met_again(self, key: Hashable) -> bool:
        """Whether this program was met before; from now on it was."""
        with self._lock:
            again = key in self._seen
            self._seen[key] = None
            self._seen.move_to_end(key)
            if len(self._seen) > _SEEN:
                self._seen.popitem(last=False)
            return again

    def keep(self, key: Hashable, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint, in place of the one that was not used for longest."""
        with self._lock:
            self._kept[key] = checkpoint
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
