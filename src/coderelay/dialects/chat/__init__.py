"""Chat Completions: `POST /v1/chat/completions`."""

from coderelay.dialects.chat.errors import error_body, error_object
from coderelay.dialects.chat.reply import Stream, encode
from coderelay.dialects.chat.request import decode, untouched
from coderelay.dialects.defaults import Defaults

__all__ = [
    "DONE",
    "NAMED_EVENTS",
    "Defaults",
    "Stream",
    "decode",
    "encode",
    "error_body",
    "error_object",
    "untouched",
]

NAMED_EVENTS = False
DONE: str | None = "[DONE]"
