"""Limits how much is done at once: `Admission` refuses the rest, and `ShortestFirst` lets it wait,
with the least work first."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from heapq import heappop, heappush
from itertools import count

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


class ShortestFirst:
    """So many places. Short work does not wait until all longer work that came before is done."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = count()

    @asynccontextmanager
    async def place(self, work: int) -> AsyncIterator[None]:
        """Wait for a place, and hold it. `work` is how long it will be held, in any unit."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(work)
        try:
            yield
        finally:
            self._leave()

    async def _wait(self, work: int) -> None:
        granted = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (work, next(self._order), granted))
        try:
            await granted
        except asyncio.CancelledError:
            if not granted.cancelled():  # the place was given to a task that ends
                self._leave()
            raise

    def _leave(self) -> None:
        while self._waiting:
            _, _, granted = heappop(self._waiting)
            if not granted.done():
                granted.set_result(None)
                return
        self._free += 1
