"""The model writes a program; it is run in a sandbox, and its tool calls go to their owner.

from coderelay import Entry, Program, Returned, Tool, evaluate

program = Program("typescript", "return await add({ a: 1, b: 2 });")
evaluate(program, [Tool("add")], [])  # Suspended: the program waits for add({a: 1, b: 2})
evaluate(program, [Tool("add")], [Entry("add", {"a": 1, "b": 2}, Returned(3))])  # Completed(3)
"""

from typing import TYPE_CHECKING, Any

from coderelay.client import (
    Agent,
    CodeMessage,
    CodeResultMessage,
    EndpointError,
    LocalTool,
    tool,
)
from coderelay.core import (
    Call,
    CallError,
    CoderelayError,
    Completed,
    Diverged,
    EngineError,
    Entry,
    Failed,
    Failure,
    InvalidJournal,
    InvalidTool,
    Journal,
    Limits,
    Log,
    Outcome,
    Program,
    Raised,
    RequestError,
    Result,
    Returned,
    Run,
    Suspended,
    TimedOut,
    Tool,
    UnknownLanguage,
)
from coderelay.programs import evaluate, start

if TYPE_CHECKING:
    from coderelay.session import Refused, ToolIsCode

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "Call",
    "CallError",
    "CodeMessage",
    "CodeResultMessage",
    "CoderelayError",
    "Completed",
    "Diverged",
    "EndpointError",
    "EngineError",
    "Entry",
    "Failed",
    "Failure",
    "InvalidJournal",
    "InvalidTool",
    "Journal",
    "Limits",
    "LocalTool",
    "Log",
    "Outcome",
    "Program",
    "Raised",
    "Refused",
    "RequestError",
    "Result",
    "Returned",
    "Run",
    "Suspended",
    "TimedOut",
    "Tool",
    "ToolIsCode",
    "UnknownLanguage",
    "evaluate",
    "start",
    "tool",
]


def __getattr__(name: str) -> Any:
    """Sessions are loaded when they are first asked for: few processes have one."""
    if name in ("Refused", "ToolIsCode"):
        from coderelay import session

        return getattr(session, name)
    raise AttributeError(f"module 'coderelay' has no attribute {name!r}")
