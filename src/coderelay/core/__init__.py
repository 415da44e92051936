"""The core of Coderelay: the values of a run, and the loop that takes a program through a journal.

It uses the standard library only, is synchronous, and does no I/O.
"""

from coderelay.core.call import Call, CallError, Raised, Result, Returned
from coderelay.core.errors import (
    CoderelayError,
    Diverged,
    EngineError,
    GuestMissing,
    InvalidJournal,
    InvalidProgram,
    InvalidTool,
    RequestError,
    StackTooSmall,
    TimedOut,
    UnknownLanguage,
)
from coderelay.core.evaluate import CallHost, Execution, Run, Work, evaluate
from coderelay.core.journal import Entry, Journal
from coderelay.core.json_values import Json
from coderelay.core.limits import DEFAULT_LIMITS, Limits
from coderelay.core.outcome import Completed, Failed, Failure, Log, Outcome, Suspended
from coderelay.core.program import Program, Schema, Tool, ToolName

__all__ = [
    "DEFAULT_LIMITS",
    "Call",
    "CallError",
    "CallHost",
    "CoderelayError",
    "Completed",
    "Diverged",
    "EngineError",
    "Entry",
    "Execution",
    "Failed",
    "Failure",
    "GuestMissing",
    "InvalidJournal",
    "InvalidProgram",
    "InvalidTool",
    "Journal",
    "Json",
    "Limits",
    "Log",
    "Outcome",
    "Program",
    "Raised",
    "RequestError",
    "Result",
    "Returned",
    "Run",
    "Schema",
    "StackTooSmall",
    "Suspended",
    "TimedOut",
    "Tool",
    "ToolName",
    "UnknownLanguage",
    "Work",
    "evaluate",
]
