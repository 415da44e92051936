"""The scripted model of `--upstream scripted`, with which everything else can be tried.

It runs the program in a fenced block of the user's message, and answers anything else with a text.
"""

from collections.abc import Mapping

from coderelay.core import Json
from coderelay.engines.fence import first_block
from coderelay.models.scripted_model import ScriptedAnswer, ScriptedModel

_MAX_QUOTED = 2_000
WORDS = (
    "This is Coderelay's scripted model, not a real one. Send a tool and a message with a program "
    "in a fenced block, and I will write that program."
)


def demonstration() -> ScriptedModel:
    """Return the scripted model."""
    return ScriptedModel(_answer)


def _answer(body: Mapping[str, Json]) -> ScriptedAnswer | str:
    last = body["messages"][-1] if body["messages"] else {}
    text = _text(last.get("content"))
    if last.get("role") == "tool":
        return f"The program returned: {text[:_MAX_QUOTED]}"
    source = first_block(text)
    if source is None or last.get("role") != "user" or not body.get("tools"):
        return WORDS
    return ScriptedAnswer(code=source)


def _text(content: Json) -> str:
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""
