"""A program: what the model wrote, and all that a run depends on besides tools and journal."""

import hashlib
from dataclasses import dataclass

from coderelay.core.errors import InvalidProgram

LANGUAGES = ("typescript", "python")
"""The languages in which a program may be written; the registry has an engine for each."""

FIXED_DATE = 1_763_200_000
"""When a program was created, if nobody said: 2025-11-15, 09:46:40 UTC."""
LATEST = 6_000_000_000
"""The latest time of creation: a guest's clock counts nanoseconds in 64 bits, and must not end."""


@dataclass(frozen=True, slots=True)
class Program:
    """Source in one language. `created` (seconds since 1970) is the time it sees at its start."""

    language: str
    source: str
    id: str = "program"
    created: int = FIXED_DATE

    def __post_init__(self) -> None:
        """Refuse what no run could have; an id and a time may come from a client."""
        if not isinstance(self.id, str) or not self.id:
            raise InvalidProgram("a program's id must be a text that is not empty")
        if type(self.created) is not int or not 0 <= self.created <= LATEST:
            raise InvalidProgram(
                f"a program's `created` must be whole seconds since 1970, from 0 to {LATEST}"
            )

    @property
    def seed(self) -> bytes:
        """Thirty-two bytes derived from the id: all the randomness a program gets."""
        return hashlib.sha256(b"coderelay:" + self.id.encode("utf-8", "surrogatepass")).digest()
