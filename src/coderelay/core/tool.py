"""The declaration of a tool. Its implementation stays with the client."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
