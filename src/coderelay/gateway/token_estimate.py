"""Estimates how many tokens a prompt has, because no upstream tells before it gets the request.

Everything that the model would get counts, including the declarations of tools. Four bytes count as
a token, and a picture or a file as a thousand tokens.
"""

from coderelay.conversation import TurnRequest
from coderelay.core import Json
from coderelay.core.json_values import size
from coderelay.gateway import model_request
from coderelay.gateway.receipt import CHARACTERS
from coderelay.gateway.toolset import Toolset

_PICTURE = 1_000 * CHARACTERS


def estimated_tokens(request: TurnRequest, toolset: Toolset) -> int:
    """Return an estimate of the tokens in the request's prompt. Blocks that would have to be
    replayed are counted as their calls and results."""
    body = model_request.body(request, model_request.offer(request, toolset), request.entries)
    return 1 + (_weight(body["messages"]) + _weight(body.get("tools"))) // CHARACTERS


def _weight(value: Json) -> int:
    """Return the number of bytes of all strings in a value, at any depth."""
    total, left = 0, [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            total += _PICTURE if item.startswith("data:") else size(item)
        elif isinstance(item, dict):
            left += [*item.keys(), *item.values()]
        elif isinstance(item, (list, tuple)):
            left += item
    return total
