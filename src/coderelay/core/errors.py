"""The exceptions of this package, grouped by who has to act on them.

A program that fails is not an exception: it is the outcome `Failed`.

CoderelayError
├── RequestError      the caller has to change the request
│   ├── UnknownLanguage
│   ├── InvalidProgram
│   ├── InvalidTool
│   ├── InvalidJournal
│   └── Diverged
└── EngineError       the server failed
    ├── TimedOut      try again
    ├── StackTooSmall use a thread with a larger stack
    └── GuestMissing  repair the installation
"""

from coderelay.core.json_values import Json


class CoderelayError(Exception):
    """The base class of all errors that this package raises on purpose."""


class RequestError(CoderelayError):
    """The request cannot be served as it is; the message says what to change."""


class UnknownLanguage(RequestError):
    """There is no engine for the language that the caller named."""


class InvalidProgram(RequestError):
    """A program's id or time of creation is not valid."""


class InvalidTool(RequestError):
    """A tool's declaration is not valid: its name or its schema."""

    param = "tools"
    """The field of a request that is wrong, as APIs name it in errors."""


class InvalidJournal(RequestError):
    """A journal entry is not an answered call."""


class Diverged(RequestError):
    """The program made another call than the journal records at this place.

    `index` is the number of the call, `recorded` the call in the journal, and `came` the call that
    the program made, or None if it ended instead.
    """

    def __init__(self, message: str, *, index: int, recorded: Json, came: Json) -> None:
        super().__init__(message)
        self.index = index
        self.recorded = recorded
        self.came = came


class EngineError(CoderelayError):
    """The server failed, not the program and not the caller."""

    retryable = False
    """Whether the same request can succeed if it is sent again."""


class TimedOut(EngineError):
    """A run took too long, or was cancelled. This says nothing about the program: try again."""

    retryable = True


class StackTooSmall(EngineError):
    """The calling thread's stack is too small for a guest; the message says how to enlarge it."""


class GuestMissing(EngineError):
    """A guest's WebAssembly image is missing or damaged."""
