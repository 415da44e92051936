"""What a client sent back for a call, as the program gets it.

Content that is valid JSON is delivered as that value, anything else as the string; where the
tool's returns schema says `string`, always as the string.
"""

from collections.abc import Mapping

from coderelay.core import CallError, Raised, Result, Returned, Tool
from coderelay.core.json_counts import TooManyValues, ValueRoom
from coderelay.core.json_values import NotJson
from coderelay.wire import parse

_STARTS = frozenset('{["-0123456789tfn \t\r\n')


def result(content: str | None, *, is_error: bool, tool: Tool | None, room: ValueRoom) -> Result:
    """The result that a tool message stands for; `room` is for this one and others.

    Raises `TooManyValues`.
    """
    if is_error:
        return Raised(CallError(content or "the tool failed"))
    if content is None:
        return Returned(None)
    if (tool is not None and _returns_text(tool)) or content[:1] not in _STARTS:
        return Returned(content)
    try:
        room.take(content)
        return Returned(parse(content))
    except TooManyValues:  # as text it would be a wrong answer in silence
        raise
    except NotJson:
        return Returned(content)


def _returns_text(tool: Tool) -> bool:
    return isinstance(tool.returns, Mapping) and tool.returns.get("type") in ("string", ["string"])
