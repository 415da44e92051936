"""The dialects that the server speaks: one row each."""

from coderelay.dialects.anthropic import ANTHROPIC_MESSAGES
from coderelay.dialects.chat import CHAT_COMPLETIONS
from coderelay.dialects.dialect import Dialect
from coderelay.dialects.responses import RESPONSES

DIALECTS: tuple[Dialect, ...] = (CHAT_COMPLETIONS, RESPONSES, ANTHROPIC_MESSAGES)
"""The first one's shape of errors is used for paths that belong to no API."""
