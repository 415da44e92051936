"""Of those who wait for a free place, the one with the least work comes next."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count


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
