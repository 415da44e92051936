"""For clients: tools made from functions, and an agent that keeps a conversation."""

from coderelay.client.agent import Agent
from coderelay.client.agent_events import (
    AgentEvent,
    Answer,
    ProgramEnded,
    ProgramWritten,
    ReasoningDelta,
    TextDelta,
)
from coderelay.client.answer_calls import Answered, Called, answer
from coderelay.client.chat_endpoint import EndpointError
from coderelay.client.live_run import Event, Report, Stepped, drive
from coderelay.client.local_tool import LocalTool, tool
from coderelay.client.messages import CodeMessage, CodeResultMessage, Message
from coderelay.client.tools_file import ToolsFileError, load_functions, load_tools

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
