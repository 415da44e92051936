"""How many tokens a prompt is, as an estimate: no upstream says so before it is asked.

All that the model would be shown counts, the declarations of tools among it; four bytes are a
token, and a picture or a file is a thousand.
"""

from coderelay.conversation import TurnRequest
from coderelay.core import Json
from coderelay.core.json_values import size
from coderelay.gateway import model_request
from coderelay.gateway.receipt import CHARACTERS
from coderelay.gateway.toolset import Toolset

_PICTURE = 1_000 * CHARACTERS


def estimated_tokens(request: TurnRequest, toolset: Toolset) -> int:
    """The tokens of the request's prompt. Blocks that would have to be replayed count as calls."""
    body = model_request.body(request, model_request.offer(request, toolset), request.entries)
    return 1 + (_weight(body["messages"]) + _weight(body.get("tools"))) // CHARACTERS


def _weight(value: Json) -> int:
    """The bytes of all texts in a value, whatever they are nested in."""
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
