"""Builds errors in the format of the Anthropic API.

Errors for which the API has no `type` of their own have a code in `details.error_code`, where the
official libraries look for it.
"""

from collections.abc import Mapping

from coderelay.conversation import Unsupported
from coderelay.core import Json
from coderelay.dialects.kit.error_table import describe

_TYPES = {
    "invalid_api_key": "authentication_error",
    "foreign_host": "permission_error",
    "not_found": "not_found_error",
    "body_too_large": "request_too_large",
    "overloaded": "overloaded_error",
    "upstream_timeout": "timeout_error",
    "upstream_error": "api_error",
    "server_error": "api_error",
}
"""The API's type for each of our error codes; all other codes are `invalid_request_error`."""
_DETAILED = frozenset({"divergence", "damaged_token", "newer_token", "max_programs"})
"""Codes that are put into `details`, because the API has no type for them."""


class ThreadUnsupported(Unsupported):
    """A request with `thread`, which needs a server with state. The official tool runners know this
    error's code, and then send the whole history."""

    details: Mapping[str, Json] = {
        "error_code": "thread_unsupported_request",
        "unsupported": ["thread"],
    }

    def __init__(self) -> None:
        super().__init__(
            "thread", "is not supported, because this server is stateless: send all messages"
        )


def error_body(error: Exception) -> tuple[int, dict[str, Json], Mapping[str, str]]:
    """Return the status, body and headers of an error."""
    found = describe(error)
    code = "body_too_large" if found.status == 413 else None
    body = error_object(found.message, type=found.type, param=found.param, code=code)
    if isinstance(error, ThreadUnsupported):
        body["error"]["details"] = dict(error.details)
    return found.status, body, found.headers


def error_object(
    message: str, *, type: str, param: str | None = None, code: str | None = None
) -> dict[str, Json]:
    """Return the body of an error. The server fills in the request's id."""
    code = code or type
    error: dict[str, Json] = {
        "type": _TYPES.get(code, "invalid_request_error"),
        "message": message,
    }
    if code in _DETAILED:
        error["details"] = {"error_code": code}
    return {"type": "error", "error": error, "request_id": None}
