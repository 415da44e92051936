"""Tools that live in this process: made from functions, loaded from files, answered in batches."""

from coderelay.client.answer import answer
from coderelay.client.calls import Answered, Called
from coderelay.client.live import Event, Report, Stepped, drive
from coderelay.client.load import ToolsFileError, load_functions, load_tools
from coderelay.client.tool import LocalTool, tool

__all__ = [
    "Answered",
    "Called",
    "Event",
    "LocalTool",
    "Report",
    "Stepped",
    "ToolsFileError",
    "answer",
    "drive",
    "load_functions",
    "load_tools",
    "tool",
]
