"""The OpenAPI description of one path. It documents bodies, and does not validate them."""

from collections.abc import Sequence
from dataclasses import dataclass

from coderelay.core import Json


@dataclass(frozen=True, slots=True)
class Operation:
    """What a path does, with an example of its body and the fields that it requires."""

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
