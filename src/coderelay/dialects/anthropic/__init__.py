"""Anthropic Messages: `POST /v1/messages`, and `POST /v1/messages/count_tokens`."""

from coderelay.dialects.anthropic.errors import error_body, error_object
from coderelay.dialects.anthropic.reply import encode, encode_count
from coderelay.dialects.anthropic.request import decode, decode_count, untouched
from coderelay.dialects.anthropic.stream import Stream

__all__ = [
    "DONE",
    "NAMED_EVENTS",
    "Stream",
    "decode",
    "decode_count",
    "encode",
    "encode_count",
    "error_body",
    "error_object",
    "untouched",
]

NAMED_EVENTS = True
DONE: str | None = None
