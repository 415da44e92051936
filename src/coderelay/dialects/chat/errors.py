"""An error in the shape of the OpenAI API: its status, and a message that says what to do."""

from collections.abc import Mapping

from coderelay.conversation import (
    DamagedToken,
    FieldError,
    ProgramsSpent,
    TooLarge,
    UpstreamError,
    UpstreamTimeout,
)
from coderelay.core import Diverged, EngineError, Json, RequestError, TimedOut

_REQUEST = "invalid_request_error"

_TABLE: tuple[tuple[type[Exception], int, str], ...] = (
    (Diverged, 400, "divergence"),
    (DamagedToken, 400, "damaged_token"),
    (FieldError, 422, _REQUEST),
    (TooLarge, 413, _REQUEST),
    (RequestError, 400, _REQUEST),
    (ProgramsSpent, 400, "max_programs"),
    (UpstreamTimeout, 504, "upstream_timeout"),
    (UpstreamError, 502, "upstream_error"),
    (TimedOut, 503, "server_error"),
    (EngineError, 500, "server_error"),
)
"""The first that fits counts."""


def error_body(error: Exception) -> tuple[int, dict[str, Json], Mapping[str, str]]:
    """Status, body and headers. What is not of our making says nothing of itself."""
    for kind, status, type in _TABLE:
        if isinstance(error, kind):
            param = getattr(error, "param", None)
            headers = {"Retry-After": "1"} if status == 503 else {}
            return status, error_object(str(error), type=type, param=param), headers
    return 500, error_object("the server failed: see its log", type="server_error"), {}


def error_object(
    message: str, *, type: str, param: str | None = None, code: str | None = None
) -> dict[str, Json]:
    """The body of an error."""
    code = code or (type if type != _REQUEST else None)
    return {"error": {"message": message, "type": type, "param": param, "code": code}}
