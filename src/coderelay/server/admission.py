"""Admits a request or refuses it at once; there is no queue."""

from collections.abc import Iterator
from contextlib import contextmanager

from coderelay.server.refusals import Full


class Admission:
    """A fixed number of places. A place is freed when its `with` block ends, however it ends."""

    def __init__(self, places: int, what: str) -> None:
        self.places = places
        self.taken = 0
        self._what = what

    @contextmanager
    def place(self, weight: int = 1) -> Iterator[None]:
        """Hold `weight` places. Raises `Full` at once if there are not as many free."""
        if self.taken + weight > self.places:
            raise Full(f"{self.places:,} {self._what} are in progress already: try again shortly")
        self.taken += weight
        try:
            yield
        finally:
            self.taken -= weight
