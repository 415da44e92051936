"""A failure as the guest told it, checked, and with what only the host knows."""

import re
from collections.abc import Sequence
from typing import Any

from coderelay.core import Failure, ToolName
from coderelay.core.json_reader import read_json
from coderelay.core.json_values import NotJson
from coderelay.core.nearest_names import nearest
from coderelay.core.outcome import FailureKind
from coderelay.engines.code_frame import code_frame
from coderelay.engines.wasm.guest_execution import NO_MEMORY

_KINDS: dict[str, FailureKind] = {
    "syntax": "syntax",
    "exception": "exception",
    "arguments": "arguments",
    "deadlock": "deadlock",
    "memory": "limit",
}
_UNKNOWN = re.compile(r"name '(\w+)' is not defined|module 'tools' has no attribute '(\w+)'")
_MOST = 10_000
LONGEST = 1 << 20
"""Characters that are read at all: what they are read into may take thirty times the room."""


def failure(text: str, source: str, names: Sequence[ToolName]) -> Failure:
    """Read what the guest said. User code may have written it: nothing in it is trusted."""
    told = _told(text)
    kind = _text(told.get("kind"))
    line, column = _number(told.get("line")), _number(told.get("column"))
    full = kind == "memory"
    message = NO_MEMORY if full else _text(told.get("message"))
    return Failure(
        _KINDS.get(kind, "exception"),
        message + _meant(message, names),
        name="LimitError" if full else _text(told.get("name")) or "Exception",
        limit="memory" if full else None,
        line=line,
        column=column,
        stack=_text(told.get("stack")),
        frame=code_frame(source, line, column) if line is not None else "",
    )


def is_bare(text: str) -> bool:
    """Whether nothing is told of where it failed, as by a harness that is broken itself."""
    return "stack" not in _told(text)


def _told(text: str) -> dict[str, Any]:
    try:
        told = read_json(text) if len(text) <= LONGEST else None
    except NotJson:
        return {}
    return told if isinstance(told, dict) else {}


def _text(value: Any) -> str:
    return value[:_MOST] if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    return value if type(value) is int and 0 < value < 1_000_000 else None


def _meant(message: str, names: Sequence[ToolName]) -> str:
    """The tools whose names are near an unknown one."""
    unknown = _UNKNOWN.search(message)
    if unknown is None:
        return ""
    known = {identifier: tool.identifiers[0] for tool in names for identifier in tool.identifiers}
    near = nearest(unknown[1] or unknown[2], known)
    tools = list(dict.fromkeys(known[name] for name in near))
    return f". Tools with a similar name: {', '.join(tools)}" if tools else ""
