"""The JSON body of a request is parsed and decoded in one step: at once if it is small.

A large one is left to the readers. Short ones come first, so that a few very large ones do not
delay everybody else. Only so many wait; whoever comes then is refused.
"""

from collections.abc import Callable
from typing import TypeVar

from coderelay.conversation import call_ids
from coderelay.core import Json
from coderelay.core.json_reader import is_quickly_read
from coderelay.core.limits import MB
from coderelay.models.large_work import RunBlocking
from coderelay.server.admission import Admission, ShortestFirst
from coderelay.server.exchange import Exchange

T = TypeVar("T")

_FEW_STATES = 2
"""Programs in the ids of a request that are read in the event loop."""
_WITH_STATES = 1 * MB
"""What a body with more of them counts for at least: they may unpack to 16 MB."""
_COSTLIEST = 2 * MB
"""Bytes of the densest JSON that is read at all: a longer body may have no more values. It takes
less than half a second of a processor."""
ROOM = 32 * MB
"""Bytes of large bodies that are being read, or wait to be."""


class BodyReader:
    """Reads bodies, large ones by `run_aside`, so many at the same time and the shortest first. No
    more large bodies than that exist as parsed values, because each is decoded in the same step."""

    def __init__(self, run_aside: RunBlocking, at_once: int) -> None:
        self._run_aside = run_aside
        self._order = ShortestFirst(at_once)
        self.room = Admission(ROOM, "bytes of large requests")

    async def read(self, raw: bytes, decode: Callable[[Json], T]) -> tuple[T, bool]:
        """Return what `decode` makes of a body, and whether the body is large. Raises `Full` for a
        large body if too many are being read already."""
        counted = min(len(raw), _COSTLIEST)
        if counted < _WITH_STATES and call_ids.may_carry_programs(raw, more_than=_FEW_STATES):
            counted = _WITH_STATES
        elif is_quickly_read(raw):
            return decode(Exchange.parsed(raw)), False
        with self.room.place(counted):
            async with self._order.place(counted):
                return await self._run_aside(lambda: decode(Exchange.parsed(raw))), True
