"""Builds the request to the model: its messages, the tools it is offered, the answer's format."""

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
from coderelay.conversation.model_view import render_for_model
from coderelay.core import InvalidTool, Json, Tool, UnknownLanguage
from coderelay.core.json_values import NotJson
from coderelay.declare import code_tool
from coderelay.gateway.answer_meaning import Offer
from coderelay.gateway.model_json import read_model_json
from coderelay.gateway.toolset import Toolset
from coderelay.schemas.schema_check import compiled


def offer(request: TurnRequest, toolset: Toolset) -> Offer:
    """Return what the model is offered. Raises `Unsupported` if a direct tool has the name of the
    code tool."""
    if request.tool_choice == "none":
        return Offer(toolset, None, (), request.parallel)
    code = toolset.code_name if request.tools or request.offer_code_without_tools else None
    direct = {tool["function"]["name"] for tool in request.direct if _is_function(tool)}
    if code in direct:
        reason = f"has a tool named {code!r}, which is the name of the code tool: rename it"
        raise Unsupported("tools", reason)
    return Offer(toolset, code, direct, request.parallel)


def body(
    request: TurnRequest,
    offered: Offer,
    entries: Sequence[ConversationEntry],
    *,
    final: bool = False,
) -> dict[str, Json]:
    """Return the body of the upstream's request. `final` asks for text in the client's format, and
    offers no tools."""
    code = offered.code is not None and not final
    prompt = offered.toolset.prompt if code else ""
    built: dict[str, Json] = {
        **request.options,
        "model": request.model,
        "messages": render_for_model(entries, tool_name=_tool_name, prompt=prompt),
        "stream": request.stream,
    }
    if request.stream:
        built["stream_options"] = {"include_usage": True}
    if request.response_format is not None and not code:
        built["response_format"] = request.response_format
    if not final:
        tools = _tools(request, offered, entries)
        if tools:
            built["tools"] = tools
            built.update(_choice(request, entries))
    return built


def matches_format(text: str, response_format: Mapping[str, Any]) -> bool:
    """Return whether a text has the format that the client asked for."""
    try:
        value = read_model_json(text, strict=True)
    except NotJson:
        return False
    declared = response_format.get("json_schema") or {}
    schema = declared.get("schema", {"type": "object"})
    try:
        return compiled(Tool("response", parameters=schema)).validator.is_valid(value)
    except InvalidTool:
        return False  # not our error: the upstream may accept the schema or refuse it


def _is_function(tool: Message) -> bool:
    return bool(tool["type"] == "function")


def _tools(
    request: TurnRequest, offered: Offer, entries: Sequence[ConversationEntry]
) -> list[Message]:
    """Return the code tool, then the direct tools in the client's order. The code tool is declared
    even if it is not offered when the history has calls of it, because some upstreams insist."""
    has_code = any(isinstance(entry, CodeBlock) for entry in entries)
    own = [offered.toolset.code_tool] if offered.code is not None or has_code else []
    return [*own, *request.direct]


def _choice(request: TurnRequest, entries: Sequence[ConversationEntry]) -> dict[str, Json]:
    choice = request.tool_choice
    if choice == "required" and any(_has_calls(entry) for entry in turn_of(entries)):
        choice = "auto"
    fields: dict[str, Json] = {} if choice is None else {"tool_choice": choice}
    if not request.parallel:
        fields["parallel_tool_calls"] = False
    if not request.tools and not request.direct and not request.offer_code_without_tools:
        fields["tool_choice"] = "none"
    return fields


def _has_calls(entry: ConversationEntry) -> bool:
    return isinstance(entry, CodeBlock) or bool(entry.message.get("tool_calls"))


def _tool_name(language: str) -> str:
    try:
        return code_tool(language).name
    except UnknownLanguage:
        return "run_code"
