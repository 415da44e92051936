"""What the installed `anthropic` package makes of our answers: all of it, and nothing left over."""

from typing import Any

import pydantic
from anthropic.types import Message, RawMessageStreamEvent
from anthropic.types.beta import BetaMessage, BetaRawMessageStreamEvent
from anthropic.types.shared import ErrorResponse

Json = Any

_MESSAGES = [pydantic.TypeAdapter(Message), pydantic.TypeAdapter(BetaMessage)]
_EVENTS = [
    pydantic.TypeAdapter(RawMessageStreamEvent),
    pydantic.TypeAdapter(BetaRawMessageStreamEvent),
]
_ERROR = pydantic.TypeAdapter(ErrorResponse)


def check_message(message: Json) -> None:
    """A whole response."""
    for adapter in _MESSAGES:
        _nothing_left(adapter.validate_python(message))


def check_event(event: Json) -> None:
    """An event of a stream; the package handles two of them by their names alone."""
    match event["type"]:
        case "ping":
            assert event == {"type": "ping"}
        case "error":
            check_error(event)
        case _:
            for adapter in _EVENTS:
                _nothing_left(adapter.validate_python(event))


def check_error(error: Json) -> None:
    """The body of an error. The package's types leave out `details`, and one type of 413."""
    assert set(error) == {"type", "error", "request_id"}
    assert set(error["error"]) <= {"type", "message", "details"}
    if error["error"]["type"] != "request_too_large":
        _ERROR.validate_python(error)


def _nothing_left(value: Json) -> None:
    if isinstance(value, pydantic.BaseModel):
        assert not value.model_extra, (type(value), value.model_extra)
        for name in type(value).model_fields:
            _nothing_left(getattr(value, name))
    elif isinstance(value, list):
        for item in value:
            _nothing_left(item)
