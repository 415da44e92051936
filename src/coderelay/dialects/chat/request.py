"""Reads a Chat Completions request into a conversation; unknown fields go upstream unchanged."""

from collections.abc import Mapping

from coderelay.conversation import (
    Message,
    TurnRequest,
    Unsupported,
    call_ids,
    is_open,
)
from coderelay.conversation.history_reader import History
from coderelay.core import Json
from coderelay.dialects.chat.history import read_messages
from coderelay.dialects.kit.code_mode import Defaults, read_mode
from coderelay.dialects.kit.declared_tools import (
    OWN_FIELDS,
    DeclaredTools,
    FunctionTool,
    cached_reader,
    read_callers,
    read_choice,
    read_name,
    sort_tools,
)
from coderelay.dialects.kit.fields import Fields

_OWN = frozenset(
    "model messages tools tool_choice parallel_tool_calls response_format stream stream_options "
    "n code_mode".split()
)
_FLAT = {
    "name": "name",
    "description": "description",
    "input_schema": "parameters",
    "inputSchema": "parameters",
    "parameters": "parameters",
    "strict": "strict",
}
"""Fields of a declaration without `function`, and their names inside `function`."""
_CODE_ROLES = ("code", "code_result")


def decode(body: Json, defaults: Defaults) -> TurnRequest:
    """Read a request. Raises a `RequestError` that names the field or the id."""
    fields = Fields(body)
    model, messages = fields.text("model"), fields.items("messages")
    if fields.number("n", 1) != 1:
        raise Unsupported("n", "must be 1: a program can continue in one conversation only")
    has_programs = any(
        isinstance(each, dict) and each.get("role") in _CODE_ROLES for each in messages
    )
    mode = read_mode(fields, defaults, has_programs=has_programs)
    declared = fields.items("tools", [])
    tools = _tools(declared, None)
    history = History(tools.programmatic, defaults.limits)
    read_messages(messages, history, language=mode.language)
    entries = history.entries()
    allowed = _allowed(fields)
    if allowed is not None and not is_open(entries):
        tools = _tools(declared, allowed)
    choice, direct = _choice(fields, tools)
    stream = fields.flag("stream", False)
    usage = fields.inner("stream_options", {}).flag("include_usage", False)
    return TurnRequest(
        model=model,
        entries=entries,
        tools=tools.programmatic,
        direct=direct,
        language=mode.language,
        max_programs=mode.max_programs,
        tool_choice=choice,
        parallel=fields.flag("parallel_tool_calls", True),
        response_format=_response_format(fields),
        options={key: value for key, value in fields.value.items() if key not in _OWN},
        stream=stream,
        include_usage=usage,
        receipt=mode.receipt,
        protocol=mode.protocol,
    )


def needs_no_translation(body: Json) -> bool:
    """Return whether a request has nothing to do with programs, so that its bytes can be sent
    upstream as they are.

    Raises `FieldError` for a request that no upstream could read either.
    """
    fields = Fields(body)
    fields.text("model")
    messages, tools = fields.items("messages"), fields.items("tools", [])
    if "code_mode" in fields.value or tools:
        programmatic = any(
            not isinstance(tool, Mapping)
            or tool.get("type", "function") == "function"
            or any(name in tool for name in OWN_FIELDS)
            for tool in tools
        )
        if programmatic or "code_mode" in fields.value:
            return False
    return not any(
        _is_code(Fields(message, f"messages[{place}]")) for place, message in enumerate(messages)
    )


def _is_code(message: Fields) -> bool:
    role = message.text("role")
    if role in _CODE_ROLES:
        return True
    if role == "assistant":
        calls = message.value.get("tool_calls") or message.value.get("toolCalls")
        if isinstance(calls, list):
            return any(
                isinstance(call, Mapping) and call_ids.is_ours(call.get("id")) for call in calls
            )
    return role == "tool" and (
        call_ids.is_ours(message.value.get("tool_call_id")) or "toolCallId" in message.value
    )


@cached_reader
def _tools(declared: list[Json], allowed: frozenset[str] | None) -> DeclaredTools:
    return sort_tools(declared, _read_tool, allowed=allowed)


def _read_tool(fields: Fields) -> FunctionTool | Message:
    """Return a function tool, whose fields are inside `function` or, in the flat form, in the tool
    itself. A tool of another type is returned as it is, for the upstream."""
    item = fields.value
    if fields.text("type", "function") != "function":
        return item
    inner = fields.inner("function", {})
    is_flat = "name" in item and "name" not in inner.value
    name = read_name(fields if is_flat else inner)
    declared = item.get("allowed_callers", inner.value.get("allowed_callers"))
    callers = read_callers(fields, declared, "programmatic")
    return FunctionTool(name, callers, _cleaned(item, inner.value), item)


def _cleaned(item: Mapping[str, Json], function: Mapping[str, Json]) -> Message:
    """Return the declaration for the upstream, without the fields that Coderelay adds."""
    rest = {key: value for key, value in item.items() if key not in OWN_FIELDS}
    flat = {_FLAT[key]: rest.pop(key) for key in _FLAT if key in rest}
    nested = {key: value for key, value in function.items() if key not in OWN_FIELDS}
    plain = {**flat, **nested}
    return {**rest, "type": "function", "function": plain}


def _choice(fields: Fields, tools: DeclaredTools) -> tuple[Json, tuple[Message, ...]]:
    """Return `tool_choice` for the upstream, and the direct tools, including the chosen one."""
    named = read_choice(fields)
    if not isinstance(named, Fields):
        return named, tools.direct
    match named.text("type"):
        case "function":
            name = named.inner("function").text("name")
            return {"type": "function", "function": {"name": name}}, tools.direct_with(name)
        case "allowed_tools":
            return _mode(named.inner("allowed_tools")), tools.direct
        case other if any(tool["type"] == other for tool in tools.direct):
            return named.value, tools.direct
        case other:
            reason = f"is {other!r:.40}: choose 'function' or 'allowed_tools'"
            raise Unsupported(named.path("type"), reason)


def _mode(allowed: Fields) -> str:
    mode = allowed.text("mode", "auto")
    if mode not in ("auto", "required"):
        raise Unsupported(allowed.path("mode"), f"is {mode!r:.40}: choose 'auto' or 'required'")
    return mode


def _allowed(fields: Fields) -> frozenset[str] | None:
    """Return the names of the tools that `tool_choice` allows, or None if it allows all."""
    choice = fields.value.get("tool_choice")
    if not isinstance(choice, Mapping) or choice.get("type") != "allowed_tools":
        return None
    allowed = fields.inner("tool_choice").inner("allowed_tools")
    items = [
        Fields(item, allowed.path(f"tools[{place}]"))
        for place, item in enumerate(allowed.items("tools"))
    ]
    return frozenset(item.inner("function").text("name") for item in items)


def _response_format(fields: Fields) -> Json:
    response_format = fields.inner("response_format", {})
    type = response_format.text("type", "text")
    if type == "text":
        return None
    if type == "json_schema" and "json_schema" in response_format.value:
        response_format.inner("json_schema")
    else:
        response_format.inner("json_schema", {})
    return response_format.value
