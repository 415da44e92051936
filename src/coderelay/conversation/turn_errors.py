"""The errors of a turn, grouped by who has to act on them.

RequestError                 the client has to change the request
├── FieldError               a field has the wrong type
├── Unsupported              a field has a value that this server does not support
├── HistoryError             the messages are not a valid conversation
│   └── StateError           an id or a field does not carry the state of its program
│       ├── DamagedState     it is not as it was handed out
│       └── NewerState       a newer version of the server made it; the operator has to upgrade
└── TooLarge                 something is over its limit
CoderelayError
├── ProgramsSpent            the model wrote too many programs without coming to an answer
└── UpstreamError            the model's endpoint failed
    └── UpstreamTimeout      the model's endpoint did not answer in time
"""

from coderelay.core import CoderelayError, RequestError


class FieldError(RequestError):
    """A field of the request has the wrong type; `param` names it."""

    def __init__(self, param: str, message: str) -> None:
        super().__init__(f"'{param}' {message}")
        self.param = param


class Unsupported(RequestError):
    """A field has a value that this server does not support; `param` names it."""

    def __init__(self, param: str, message: str) -> None:
        super().__init__(f"'{param}' {message}")
        self.param = param


class HistoryError(RequestError):
    """The history is not valid; `param` names the message, if it is known."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(f"{param}: {message}" if param else message)
        self.param = param


class StateError(HistoryError):
    """The state of a program cannot be read from what the client sent back."""


class DamagedState(StateError):
    """An id, or a field with a state, came back changed."""


class NewerState(StateError):
    """A newer version of this server made the state, and this version must not ignore what is in
    it. This happens while servers are upgraded."""


class TooLarge(RequestError):
    """A program, a result or the number of calls is over its limit; `param` may name it."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


class ProgramsSpent(CoderelayError):
    """The model wrote as many programs as a turn may have; the message says how the last one
    ended."""


class UpstreamError(CoderelayError):
    """The model's endpoint failed. `status` is its HTTP status, if it answered."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class UpstreamTimeout(UpstreamError):
    """The model's endpoint did not answer in time."""
