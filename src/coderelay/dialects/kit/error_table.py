"""The HTTP status and the type of every error, and the format of errors in OpenAI's APIs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from coderelay.conversation import (
    DamagedState,
    FieldError,
    NewerState,
    ProgramsSpent,
    TooLarge,
    UpstreamError,
    UpstreamTimeout,
)
from coderelay.core import Diverged, EngineError, Json, RequestError, TimedOut

INVALID_REQUEST = "invalid_request_error"

_TABLE: tuple[tuple[type[Exception], int, str], ...] = (
    (Diverged, 400, "divergence"),
    (DamagedState, 400, "damaged_token"),
    (NewerState, 400, "newer_token"),
    (FieldError, 422, INVALID_REQUEST),
    (TooLarge, 413, INVALID_REQUEST),
    (RequestError, 400, INVALID_REQUEST),
    (ProgramsSpent, 400, "max_programs"),
    (UpstreamTimeout, 504, "upstream_timeout"),
    (UpstreamError, 502, "upstream_error"),
    (TimedOut, 503, "server_error"),
    (EngineError, 500, "server_error"),
)
"""The first row whose class matches is used."""


@dataclass(frozen=True, slots=True)
class DescribedError:
    """An error, in no API's format."""

    status: int
    type: str
    message: str
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def describe(error: Exception) -> DescribedError:
    """Return the status, type and message of an error. Messages of unknown exceptions are not sent
    to the client, because they may contain secrets; they are only logged."""
    for kind, status, type in _TABLE:
        if isinstance(error, kind):
            headers = {"Retry-After": "1"} if status == 503 else {}
            param = getattr(error, "param", None)
            return DescribedError(status, type, str(error), param, headers)
    return DescribedError(500, "server_error", "the server failed: see its log")


def openai_error_body(error: Exception) -> tuple[int, dict[str, Json], Mapping[str, str]]:
    """Return the status, body and headers of an error in the format of OpenAI's APIs."""
    found = describe(error)
    body = openai_error(found.message, type=found.type, param=found.param)
    return found.status, body, found.headers


def openai_error(
    message: str, *, type: str, param: str | None = None, code: str | None = None
) -> dict[str, Json]:
    """Return the body of an error in the format of OpenAI's APIs."""
    code = code or (type if type != INVALID_REQUEST else None)
    return {"error": {"message": message, "type": type, "param": param, "code": code}}
