"""A program and the tools that it may call: what a run depends on besides the journal.

A tool is only declared here. Its implementation stays with the client.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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


Schema = Mapping[str, Any] | bool
"""A JSON Schema."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a program may call. `returns` is the schema of its results, or None if the client
    declares none."""

    name: str
    description: str = ""
    parameters: Schema = field(default_factory=lambda: {"type": "object", "properties": {}})
    returns: Schema | None = None


@dataclass(frozen=True, slots=True)
class ToolName:
    """A tool's names: `name` as the client declared it, and `identifiers` in a program's language.

    `identifiers[0]` is the one that the model is told; the others work as well. `parameters` are
    the names of the arguments in schema order, for languages with positional arguments.
    """

    name: str
    identifiers: tuple[str, ...]
    parameters: tuple[str, ...] = ()
