"""A program: the model's source, and everything else that a run depends on besides the tools and
the journal."""

import hashlib
from dataclasses import dataclass

from coderelay.core.errors import InvalidProgram

FIXED_DATE = 1_763_200_000
"""The default time of creation: 2025-11-15, 09:46:40 UTC. It is fixed so that runs can be
reproduced."""
LATEST = 6_000_000_000
"""The latest time of creation: a guest's clock counts nanoseconds in 64 bits and must not
overflow."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program's source in one language. `created` (seconds since 1970) is the time on the
    program's clock at its start."""

    language: str
    source: str
    id: str = "program"
    created: int = FIXED_DATE

    def __post_init__(self) -> None:
        """Validate the id and the time of creation, which may come from a client."""
        if not isinstance(self.id, str) or not self.id:
            raise InvalidProgram("a program's id must be a non-empty string")
        if type(self.created) is not int or not 0 <= self.created <= LATEST:
            raise InvalidProgram(
                f"a program's `created` must be an integer from 0 to {LATEST}: seconds since 1970"
            )

    @property
    def seed(self) -> bytes:
        """Return 32 bytes that are derived from the id: the only randomness that a program gets."""
        return hashlib.sha256(b"coderelay:" + self.id.encode("utf-8", "surrogatepass")).digest()
