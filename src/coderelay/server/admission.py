"""A request is admitted or refused before work starts; nobody waits in line to be let in."""

from collections.abc import Iterator
from contextlib import contextmanager

from coderelay.server.refusals import Full


class Admission:
    """So many places; whoever leaves, by whatever way, frees one."""

    def __init__(self, places: int, what: str) -> None:
        self.places = places
        self.taken = 0
        self._what = what

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place. Raises `Full` at once where there is none."""
        if self.taken >= self.places:
            raise Full(f"{self.places} {self._what} are in progress already: try again shortly")
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1
