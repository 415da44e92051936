"""Responses: `POST /v1/responses`, plain and with OpenAI's own programmatic tool calling."""

from coderelay.core import Json
from coderelay.dialects.chat.errors import error_body, error_object
from coderelay.dialects.defaults import Defaults
from coderelay.dialects.responses.reply import encode
from coderelay.dialects.responses.request import decode
from coderelay.dialects.responses.stream import Stream

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

NAMED_EVENTS = True
DONE: str | None = None


def untouched(body: Json) -> bool:
    """Never: the upstream speaks Chat Completions, so every request is translated."""
    return False
