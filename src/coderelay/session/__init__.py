"""`ToolIsCode`: offers the model one stateful Python tool instead of many tools.

It is for programs that call the model's API themselves, and needs no server.
"""

from coderelay.engines.python.live.interpreter import LiveLimits
from coderelay.session.api_shapes import Api
from coderelay.session.callbacks import Refused, ToolCall
from coderelay.session.tool_is_code import ToolIsCode

__all__ = ["Api", "LiveLimits", "Refused", "ToolCall", "ToolIsCode"]
