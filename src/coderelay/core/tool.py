"""A tool is a declaration; its implementation belongs to the client."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = Mapping[str, Any] | bool
"""A JSON Schema."""


@dataclass(frozen=True, slots=True)
class Tool:
    """What a program may call. `returns` is None where the client does not say."""

    name: str
    description: str = ""
    parameters: Schema = field(default_factory=lambda: {"type": "object", "properties": {}})
    returns: Schema | None = None


@dataclass(frozen=True, slots=True)
class ToolName:
    """How a program reaches a tool: the name on the wire, and its names in the language.

    `identifiers[0]` is the one that is declared to the model; the rest are also accepted.
    `parameters` are the argument names in schema order, for languages with positional arguments.
    """

    name: str
    identifiers: tuple[str, ...]
    parameters: tuple[str, ...] = ()
