"""Anthropic Messages: `POST /v1/messages`."""

from coderelay.dialects.anthropic.errors import error_body, error_object
from coderelay.dialects.anthropic.reply import encode
from coderelay.dialects.anthropic.request import decode, untouched
from coderelay.dialects.anthropic.stream import Stream

__all__ = [
    "DONE",
    "NAMED_EVENTS",
    "Stream",
    "decode",
    "encode",
    "error_body",
    "error_object",
    "untouched",
]

NAMED_EVENTS = True
DONE: str | None = None
