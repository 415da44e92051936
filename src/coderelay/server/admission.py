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
    def place(self, weight: int = 1) -> Iterator[None]:
        """Hold a place, or several. Raises `Full` at once where there are not as many."""
        if self.taken + weight > self.places:
            raise Full(f"{self.places:,} {self._what} are in progress already: try again shortly")
        self.taken += weight
        try:
            yield
        finally:
            self.taken -= weight
