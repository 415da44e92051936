"""The errors for failures of a model's endpoint, and their messages."""

import httpx

from coderelay.conversation import UpstreamError, UpstreamTimeout
from coderelay.models.http_connection import BadAnswer
from coderelay.models.redaction import scrub

_LONGEST_MESSAGE = 2_000
"""Characters of an error's message, which may quote what the endpoint sent."""
_FINAL = (BadAnswer, httpx.LocalProtocolError, httpx.TimeoutException, httpx.UnsupportedProtocol)
"""Network errors that a second attempt would meet again, or would take as long to meet."""


class UpstreamRefusal(UpstreamError):
    """The endpoint itself says that it failed, by an HTTP status or by an error in its answer.

    `reason` is its own message, and `type` is the type of its error, such as `overloaded`.
    """

    def __init__(self, reason: str, status: int | None = None, type: str | None = None) -> None:
        message = reason if status is None else f"the model's endpoint answered {status}: {reason}"
        super().__init__(message, status)
        self.reason = reason
        self.type = type


def redacted(error: UpstreamError, key: str | None) -> UpstreamError:
    """The error without the key, and not too long. It is cut last: half a key is one too."""
    if isinstance(error, UpstreamRefusal):
        # not stripped before: the length of a text tells whether it was cut, perhaps inside a key
        reason = scrub(error.reason, key).strip()[:_LONGEST_MESSAGE]
        return UpstreamRefusal(reason, error.status, error.type and scrub(error.type, key))
    return type(error)(scrub(str(error), key)[:_LONGEST_MESSAGE], error.status)


def may_pass(error: Exception) -> bool:
    """Whether the same request may succeed if it is sent again."""
    if isinstance(error, httpx.ConnectTimeout):
        return True
    return isinstance(error, httpx.TransportError) and not isinstance(error, _FINAL)


def network_failure(error: Exception, key: str | None, *, answering: bool) -> UpstreamError:
    """What went wrong on the way to the endpoint, or `answering`, amid its answer. The message of
    a transport may quote a header that it cannot send, so the key is taken out."""
    reason = scrub(str(error) or type(error).__name__, key)
    match error:
        case httpx.TimeoutException():
            return UpstreamTimeout(f"the model's endpoint did not answer in time: {reason}")
        case BadAnswer():
            return UpstreamError(f"the model's endpoint failed: {reason}")
        case _ if answering:
            return UpstreamError(f"the model's endpoint broke off: {reason}")
        case _:
            return UpstreamError(f"the model's endpoint cannot be reached: {reason}")


def too_long(limit: int, what: str) -> UpstreamError:
    """The endpoint sent more than it may."""
    return UpstreamError(
        f"the model's endpoint sent more than {limit:,} bytes, the limit for {what}"
    )


def redirected(status: int) -> UpstreamRefusal:
    """The endpoint redirects. Its address is the operator's choice, so nobody goes elsewhere."""
    return UpstreamRefusal(
        "a redirect, which is not followed: set the base URL (--upstream of the server) "
        "to the address that it leads to",
        status,
    )
