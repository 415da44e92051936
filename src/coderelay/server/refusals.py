"""The server's own refusals, each with its status and what the client can do about it."""

from collections.abc import Mapping
from http import HTTPStatus

from coderelay.core import CoderelayError


class RequestRefused(CoderelayError):
    """The request goes no further; the dialect says so in its API's own shape."""

    status = HTTPStatus.BAD_REQUEST
    kind = "invalid_request_error"
    code: str | None = None
    headers: Mapping[str, str] = {}


class NotJsonBody(RequestRefused):
    """The body is no JSON object."""

    code = "invalid_json"


class TooManyValuesInBody(RequestRefused):
    """The body is JSON with more lists, objects or items than one text may have."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "too_many_values"


class Unauthorized(RequestRefused):
    """No key, or a wrong one."""

    status = HTTPStatus.UNAUTHORIZED
    code = "invalid_api_key"
    headers: Mapping[str, str] = {"www-authenticate": "Bearer"}


class RepeatedHeader(RequestRefused):
    """A header that may stand in a request once is there twice."""

    code = "repeated_header"


class HostMissing(RequestRefused):
    """The request does not say which server it is for."""

    code = "host_missing"


class Foreign(RequestRefused):
    """The request is for another server, or comes from a foreign web page; there are no keys that
    would tell who may use this one."""

    status = HTTPStatus.FORBIDDEN
    code = "foreign_host"


class NoSuchPath(RequestRefused):
    """Nothing is served at this path, or not by this method."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"


class BodyTooLarge(RequestRefused):
    """The body is over its limit. What follows in the connection is not read."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"
    headers: Mapping[str, str] = {"connection": "close"}


class Full(RequestRefused):
    """Every place is taken: another try, a little later, may find one."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    kind = "server_error"
    code = "overloaded"
    headers: Mapping[str, str] = {"retry-after": "1"}


class Gone(CoderelayError):
    """The client went away: there is nobody to answer."""
