"""The errors of requests that the server refuses before a dialect reads them, with their HTTP
status."""

from collections.abc import Mapping
from http import HTTPStatus

from coderelay.core import CoderelayError


class RequestRefused(CoderelayError):
    """The request is refused. The dialect encodes this error in its API's format."""

    status = HTTPStatus.BAD_REQUEST
    kind = "invalid_request_error"
    code: str | None = None
    headers: Mapping[str, str] = {}


class NotJsonBody(RequestRefused):
    """The body is not valid JSON."""

    code = "invalid_json"


class TooManyValuesInBody(RequestRefused):
    """The body is JSON with more lists, objects or items than one text may have."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "too_many_values"


class Unauthorized(RequestRefused):
    """The key is missing or wrong."""

    status = HTTPStatus.UNAUTHORIZED
    code = "invalid_api_key"
    headers: Mapping[str, str] = {"www-authenticate": "Bearer"}


class RepeatedHeader(RequestRefused):
    """A header that may occur once is repeated."""

    code = "repeated_header"


class HostMissing(RequestRefused):
    """The header `Host` is missing."""

    code = "host_missing"


class Foreign(RequestRefused):
    """The request is to an unknown name of the server, or comes from a foreign web page, and there
    are no client keys that would protect the server."""

    status = HTTPStatus.FORBIDDEN
    code = "foreign_host"


class NoSuchPath(RequestRefused):
    """There is no such path, or it does not have this method."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"


class BodyTooLarge(RequestRefused):
    """The body is over its limit. The connection is closed, because the rest was not read."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"
    headers: Mapping[str, str] = {"connection": "close"}


class Full(RequestRefused):
    """All places are taken. The client can try again a little later."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    kind = "server_error"
    code = "overloaded"
    headers: Mapping[str, str] = {"retry-after": "1"}


class ClientDisconnected(CoderelayError):
    """The client has disconnected, so nothing is answered."""
