"""What can go wrong in a turn, by whose fault it is.

RequestError                 the client must change the request
├── FieldError               a field has the wrong type
├── Unsupported              a field has a value that cannot be served
├── HistoryError             the messages do not make a conversation
│   └── DamagedToken         a call id is not as it was handed out
└── TooLarge                 something is over its limit
CoderelayError
├── ProgramsSpent            the model wrote program after program and never came to an end
└── UpstreamError            the model's endpoint failed
    └── UpstreamTimeout      …or did not answer in time
"""

from coderelay.core import CoderelayError, RequestError


class FieldError(RequestError):
    """A field of the request has the wrong type; `param` names it."""

    def __init__(self, param: str, message: str) -> None:
        super().__init__(f"'{param}' {message}")
        self.param = param


class Unsupported(RequestError):
    """A field asks for what this server does not do; `param` names it."""

    def __init__(self, param: str, message: str) -> None:
        super().__init__(f"'{param}' {message}")
        self.param = param


class HistoryError(RequestError):
    """The history cannot be continued; `param` names the message where that is known."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(f"{param}: {message}" if param else message)
        self.param = param


class DamagedState(HistoryError):
    """A call id that the server handed out came back changed."""


class TooLarge(RequestError):
    """A program, a result or the number of calls is over its limit; `param` may name it."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


class ProgramsSpent(CoderelayError):
    """The turn's programs are spent; the message shows how the last one ended."""


class UpstreamError(CoderelayError):
    """The model's endpoint failed. `status` is its own, where it had one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class UpstreamTimeout(UpstreamError):
    """The model's endpoint did not answer in time."""
