"""Turns a client's tool message into the result that the program gets.

Content that is valid JSON becomes that value, everything else stays a string. If the tool's schema
for results says `string`, the content always stays a string.
"""

from collections.abc import Mapping

from coderelay.core import CallError, Raised, Result, Returned, Tool
from coderelay.core.json_counts import TooManyValues, ValueBudget
from coderelay.core.json_values import NotJson
from coderelay.wire import parse

_STARTS = frozenset('{["-0123456789tfn \t\r\n')


def result(
    content: str | None, *, is_error: bool, tool: Tool | None, budget: ValueBudget
) -> Result:
    """Return the result in a tool message. `budget` limits the values of this one and others.

    Raises `TooManyValues` if the budget is spent.
    """
    if is_error:
        return Raised(CallError(content or "the tool failed"))
    if content is None:
        return Returned(None)
    if (tool is not None and _returns_text(tool)) or content[:1] not in _STARTS:
        return Returned(content)
    try:
        budget.take(content)
        return Returned(parse(content))
    except TooManyValues:  # not a string: the program would silently get another type
        raise
    except NotJson:
        return Returned(content)


def _returns_text(tool: Tool) -> bool:
    return isinstance(tool.returns, Mapping) and tool.returns.get("type") in ("string", ["string"])
