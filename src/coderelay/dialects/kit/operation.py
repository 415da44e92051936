"""What OpenAPI says of one path. Bodies are described by it, and never checked."""

from collections.abc import Sequence
from dataclasses import dataclass

from coderelay.core import Json


@dataclass(frozen=True, slots=True)
class Operation:
    """One path for people and their tools: what it does, and an example of its body."""

    summary: str
    description: str
    example: Json = None
    required: Sequence[str] = ()


EXAMPLE_QUESTION = "Compare today's sport news and international affairs news."
EXAMPLE_PARAMETERS: Json = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
}
EXAMPLE_TOOLS: Json = [
    {
        "type": "function",
        "function": {
            "name": "web_search",
            "description": "Search the web.",
            "parameters": EXAMPLE_PARAMETERS,
        },
    }
]
