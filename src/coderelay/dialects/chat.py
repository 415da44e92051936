"""Chat Completions: `POST /v1/chat/completions`."""

from coderelay.dialects.chat_errors import error_body, error_object
from coderelay.dialects.chat_reply import Stream, encode
from coderelay.dialects.chat_request import Defaults, decode, untouched

__all__ = ["Defaults", "Stream", "decode", "encode", "error_body", "error_object", "untouched"]
