"""How the model is asked: what it is shown, what it is offered, and which answer it must give."""

from collections.abc import Mapping, Sequence
from typing import Any

from coderelay.conversation import (
    CodeBlock,
    ConversationEntry,
    Message,
    TurnRequest,
    Unsupported,
    turn_of,
)
from coderelay.conversation.model_view import shown
from coderelay.core import InvalidTool, Json, Tool, UnknownLanguage
from coderelay.core.json_values import NotJson
from coderelay.declare import code_tool
from coderelay.declare.schema_check import compiled
from coderelay.gateway.answer_meaning import Offer
from coderelay.gateway.model_json import read_model_json
from coderelay.gateway.toolset import Toolset


def offer(request: TurnRequest, toolset: Toolset) -> Offer:
    """What the model may do. Raises for a direct tool that it could not tell from the code tool."""
    if request.tool_choice == "none":
        return Offer(toolset, None, (), request.parallel)
    code = toolset.code_name if request.tools or request.bare else None
    direct = {tool["function"]["name"] for tool in request.direct if _is_function(tool)}
    if code in direct:
        reason = f"may not be called directly as {code!r}, which is the code tool's name: rename it"
        raise Unsupported("tools", reason)
    return Offer(toolset, code, direct, request.parallel)


def body(
    request: TurnRequest,
    offered: Offer,
    entries: Sequence[ConversationEntry],
    *,
    final: bool = False,
) -> dict[str, Json]:
    """The upstream's request. `final` asks for text in the client's format, and for no call."""
    code = offered.code is not None and not final
    prompt = offered.toolset.prompt if code else ""
    asked: dict[str, Json] = {
        **request.options,
        "model": request.model,
        "messages": shown(entries, tool_name=_tool_name, prompt=prompt),
        "stream": request.stream,
    }
    if request.stream:
        asked["stream_options"] = {"include_usage": True}
    if request.response_format is not None and not code:
        asked["response_format"] = request.response_format
    if not final:
        tools = _tools(request, offered, entries)
        if tools:
            asked["tools"] = tools
            asked.update(_choice(request, entries))
    return asked


def fits(text: str, response_format: Mapping[str, Any]) -> bool:
    """Whether a text is already in the format that the client asked for."""
    try:
        value = read_model_json(text, strict=True)
    except NotJson:
        return False
    said = response_format.get("json_schema") or {}
    schema = said.get("schema", {"type": "object"})
    try:
        return compiled(Tool("response", parameters=schema)).validator.is_valid(value)
    except InvalidTool:
        return False  # the upstream knows what it makes of such a schema


def _is_function(tool: Message) -> bool:
    return bool(tool["type"] == "function")


def _tools(
    request: TurnRequest, offered: Offer, entries: Sequence[ConversationEntry]
) -> list[Message]:
    """The code tool first, then the direct ones in the client's order. Where code is off, it is
    still declared for the calls in the history: some upstreams insist."""
    has_code = any(isinstance(entry, CodeBlock) for entry in entries)
    own = [offered.toolset.code_tool] if offered.code is not None or has_code else []
    return [*own, *request.direct]


def _choice(request: TurnRequest, entries: Sequence[ConversationEntry]) -> dict[str, Json]:
    choice = request.tool_choice
    if choice == "required" and any(_acted(entry) for entry in turn_of(entries)):
        choice = "auto"
    said: dict[str, Json] = {} if choice is None else {"tool_choice": choice}
    if not request.parallel:
        said["parallel_tool_calls"] = False
    if not request.tools and not request.direct and not request.bare:
        said["tool_choice"] = "none"
    return said


def _acted(entry: ConversationEntry) -> bool:
    return isinstance(entry, CodeBlock) or bool(entry.message.get("tool_calls"))


def _tool_name(language: str) -> str:
    try:
        return code_tool(language).name
    except UnknownLanguage:
        return "run_code"
