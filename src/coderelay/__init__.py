"""The model writes a program; it is run in a sandbox, and its tool calls go to their owner.

from coderelay import Entry, Program, Returned, Tool, evaluate

program = Program("typescript", "return await add({ a: 1, b: 2 });")
evaluate(program, [Tool("add")], [])  # Suspended: the program waits for add({a: 1, b: 2})
evaluate(program, [Tool("add")], [Entry("add", {"a": 1, "b": 2}, Returned(3))])  # Completed(3)
"""

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
from coderelay.run import evaluate, start

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
    "RequestError",
    "Result",
    "Returned",
    "Run",
    "Suspended",
    "TimedOut",
    "Tool",
    "UnknownLanguage",
    "evaluate",
    "start",
    "tool",
]
