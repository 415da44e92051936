"""Reads the guest's report of a failure, checks it, and adds the source around it and similar
names."""

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
"""How many characters of a report are read. Its parsed value may take thirty times the memory."""


def failure(text: str, source: str, names: Sequence[ToolName]) -> Failure:
    """Return the failure that a report describes. The program may have written the report itself,
    so nothing in it is trusted."""
    report = _read(text)
    kind = _text(report.get("kind"))
    line, column = _number(report.get("line")), _number(report.get("column"))
    out_of_memory = kind == "memory"
    message = NO_MEMORY if out_of_memory else _text(report.get("message"))
    return Failure(
        _KINDS.get(kind, "exception"),
        message + _similar_tools(message, names),
        name="LimitError" if out_of_memory else _text(report.get("name")) or "Exception",
        limit="memory" if out_of_memory else None,
        line=line,
        column=column,
        stack=_text(report.get("stack")),
        frame=code_frame(source, line, column) if line is not None else "",
    )


def has_no_stack(text: str) -> bool:
    """Return whether a report has no stack. Such a report comes from a harness that is broken."""
    return "stack" not in _read(text)


def _read(text: str) -> dict[str, Any]:
    try:
        report = read_json(text) if len(text) <= LONGEST else None
    except NotJson:
        return {}
    return report if isinstance(report, dict) else {}


def _text(value: Any) -> str:
    return value[:_MOST] if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    return value if type(value) is int and 0 < value < 1_000_000 else None


def _similar_tools(message: str, names: Sequence[ToolName]) -> str:
    """Return a sentence with the tools whose names are similar to the unknown name of a message,
    or an empty text."""
    unknown = _UNKNOWN.search(message)
    if unknown is None:
        return ""
    known = {identifier: tool.identifiers[0] for tool in names for identifier in tool.identifiers}
    near = nearest(unknown[1] or unknown[2], known)
    tools = list(dict.fromkeys(known[name] for name in near))
    return f". Tools with a similar name: {', '.join(tools)}" if tools else ""
