"""The list of the dialects that the server speaks."""

from coderelay.dialects.anthropic import ANTHROPIC_MESSAGES
from coderelay.dialects.chat import CHAT_COMPLETIONS
from coderelay.dialects.dialect import Dialect
from coderelay.dialects.responses import RESPONSES

DIALECTS: tuple[Dialect, ...] = (CHAT_COMPLETIONS, RESPONSES, ANTHROPIC_MESSAGES)
"""The first one's error format is used for paths that belong to no dialect."""
