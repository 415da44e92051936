"""A program: what the model wrote, and all that a run depends on besides tools and journal."""

import hashlib
from dataclasses import dataclass

FIXED_DATE = 1_763_200_000
"""When a program was created, if nobody said: 2025-11-15, 09:46:40 UTC."""


@dataclass(frozen=True, slots=True)
class Program:
    """Source in one language. `created` (seconds since 1970) is the time it sees at its start."""

    language: str
    source: str
    id: str = "program"
    created: int = FIXED_DATE

    @property
    def seed(self) -> bytes:
        """Thirty-two bytes derived from the id: all the randomness a program gets."""
        return hashlib.sha256(b"coderelay:" + self.id.encode("utf-8", "surrogatepass")).digest()
