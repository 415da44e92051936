"""Our exceptions, by whose fault they are. A program's own failure is never one: see `Failed`.

CoderelayError
├── RequestError      the caller must change the request
│   ├── UnknownLanguage
│   ├── InvalidProgram
│   ├── InvalidTool
│   ├── InvalidJournal
│   └── Diverged
└── EngineError       the server could not do its part
    ├── TimedOut      …this time: try again
    ├── StackTooSmall …on this thread: use one with a larger stack
    └── GuestMissing  …until somebody repairs the installation
"""

from coderelay.core.json_values import Json


class CoderelayError(Exception):
    """The root of all errors this package raises on purpose."""


class RequestError(CoderelayError):
    """What was asked cannot be done; the message says what to change."""


class UnknownLanguage(RequestError):
    """No engine runs this language."""


class InvalidProgram(RequestError):
    """A program's id or its time of creation is none that a run could have."""


class InvalidTool(RequestError):
    """A tool's declaration is none: its name or its schema."""

    param = "tools"
    """The field of a request that it comes from."""


class InvalidJournal(RequestError):
    """A journal entry is no answered call."""


class Diverged(RequestError):
    """The program did not make the call that the journal recorded."""

    def __init__(self, message: str, *, index: int, recorded: Json, came: Json) -> None:
        super().__init__(message)
        self.index = index
        self.recorded = recorded
        self.came = came


class EngineError(CoderelayError):
    """The server failed, not the program and not the caller."""

    retryable = False


class TimedOut(EngineError):
    """A run took too long, or nobody waits for it. It says nothing about the program: try again."""

    retryable = True


class StackTooSmall(EngineError):
    """The calling thread's stack cannot hold a guest; the message says how to get a larger one."""


class GuestMissing(EngineError):
    """A guest image is not there or not whole."""
