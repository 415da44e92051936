"""What a client needs: tools made from functions, and an agent that keeps a conversation."""

from coderelay.client.agent import Agent
from coderelay.client.answer import answer
from coderelay.client.calls import Answered, Called
from coderelay.client.endpoint import EndpointError
from coderelay.client.events import (
    AgentEvent,
    Answer,
    ProgramEnded,
    ProgramWritten,
    ReasoningDelta,
    TextDelta,
)
from coderelay.client.live import Event, Report, Stepped, drive
from coderelay.client.load import ToolsFileError, load_functions, load_tools
from coderelay.client.messages import CodeMessage, CodeResultMessage, Message
from coderelay.client.tool import LocalTool, tool

__all__ = [
    "Agent",
    "AgentEvent",
    "Answer",
    "Answered",
    "Called",
    "CodeMessage",
    "CodeResultMessage",
    "EndpointError",
    "Event",
    "LocalTool",
    "Message",
    "ProgramEnded",
    "ProgramWritten",
    "ReasoningDelta",
    "Report",
    "Stepped",
    "TextDelta",
    "ToolsFileError",
    "answer",
    "drive",
    "load_functions",
    "load_tools",
    "tool",
]
