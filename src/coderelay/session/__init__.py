"""Hundreds of tools behind one stateful Python tool, for people who own the loop."""

from coderelay.engines.python.live.interpreter import LiveLimits
from coderelay.session.api_shapes import Api
from coderelay.session.callbacks import Refused, ToolCall
from coderelay.session.tool_is_code import ToolIsCode

__all__ = ["Api", "LiveLimits", "Refused", "ToolCall", "ToolIsCode"]
