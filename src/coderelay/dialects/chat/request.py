"""A Chat Completions request is read into a conversation; what is not ours goes on untouched."""

from collections.abc import Mapping

from coderelay.conversation import (
    FieldError,
    Message,
    TurnRequest,
    Unsupported,
    call_ids,
    is_open,
)
from coderelay.conversation.history_reader import History
from coderelay.core import Json
from coderelay.core.json_values import kind
from coderelay.dialects.chat.history import read_messages
from coderelay.dialects.kit.code_mode import Defaults, read_mode
from coderelay.dialects.kit.declared_tools import OWN_FIELDS, DeclaredTools, kept, read_callers
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.program_fields import read_tools

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
"""What the flat forms of a declaration write beside `function`, and its name inside."""
_CALLERS = ("direct", "programmatic")
_CODE_ROLES = ("code", "code_result")


def decode(body: Json, defaults: Defaults) -> TurnRequest:
    """The request. Raises `RequestError`s that name the field or the id."""
    fields = Fields(body)
    model, messages = fields.text("model"), fields.items("messages")
    if fields.number("n", 1) != 1:
        raise Unsupported("n", "must be 1: a program has one conversation to go on in")
    holds_code = any(
        isinstance(each, dict) and each.get("role") in _CODE_ROLES for each in messages
    )
    mode = read_mode(fields, defaults, holds_code=holds_code)
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


def untouched(body: Json) -> bool:
    """Whether a request has nothing to do with code, so that its bytes can be passed on.

    Raises `FieldError` for what no upstream could understand either.
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


@kept
def _tools(declared: list[Json], allowed: frozenset[str] | None) -> DeclaredTools:
    programmatic: dict[int, Json] = {}
    direct: list[Message] = []
    named: dict[str, Message] = {}
    for place, item in enumerate(declared):
        fields = Fields(item, f"tools[{place}]")
        if fields.text("type", "function") != "function":
            direct.append(item)
            continue
        function = fields.inner("function", {}).value
        name = _name(fields)
        given = item.get("allowed_callers", function.get("allowed_callers"))
        callers = read_callers(fields, given, known=_CALLERS, default=["programmatic"])
        if allowed is not None and name not in allowed:
            continue
        named[name] = cleaned = _cleaned(item, function)
        if "programmatic" in callers:
            programmatic[place] = item
        if "direct" in callers:
            direct.append(cleaned)
    return DeclaredTools(read_tools(programmatic), tuple(direct), named)


def _name(fields: Fields) -> str:
    """A tool's name, which stands inside `function` or, in the flat form, beside it."""
    function = fields.inner("function", {})
    holder = fields if "name" in fields.value and "name" not in function.value else function
    name = holder.text("name")
    if not name:
        raise FieldError(holder.path("name"), "is empty: a tool has a name")
    return name


def _cleaned(item: Mapping[str, Json], function: Mapping[str, Json]) -> Message:
    """The declaration as an upstream takes it, without the fields that none knows."""
    rest = {key: value for key, value in item.items() if key not in OWN_FIELDS}
    flat = {_FLAT[key]: rest.pop(key) for key in _FLAT if key in rest}
    nested = {key: value for key, value in function.items() if key not in OWN_FIELDS}
    plain = {**flat, **nested}
    return {**rest, "type": "function", "function": plain}


def _choice(fields: Fields, tools: DeclaredTools) -> tuple[Json, tuple[Message, ...]]:
    """The choice in the upstream's words, and the tools that are direct because of it."""
    choice = fields.value.get("tool_choice")
    if choice is None or isinstance(choice, str):
        if choice not in (None, "none", "auto", "required"):
            raise Unsupported("tool_choice", "must be 'none', 'auto', 'required' or name a tool")
        return choice, tools.direct
    if not isinstance(choice, Mapping):
        raise FieldError("tool_choice", f"is {kind(choice)}, not a string or an object")
    named = fields.inner("tool_choice")
    match named.text("type"):
        case "function":
            name = named.inner("function").text("name")
            return {"type": "function", "function": {"name": name}}, tools.made_direct(name)
        case "allowed_tools":
            return _mode(named.inner("allowed_tools")), tools.direct
        case other if any(tool["type"] == other for tool in tools.direct):
            return choice, tools.direct
        case other:
            reason = f"is {other!r:.40}: choose 'function' or 'allowed_tools'"
            raise Unsupported(named.path("type"), reason)


def _mode(allowed: Fields) -> str:
    mode = allowed.text("mode", "auto")
    if mode not in ("auto", "required"):
        raise Unsupported(allowed.path("mode"), f"is {mode!r:.40}: choose 'auto' or 'required'")
    return mode


def _allowed(fields: Fields) -> frozenset[str] | None:
    """The names of the only tools that may be called, where the choice says so."""
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
    given = fields.inner("response_format", {})
    said = given.text("type", "text")
    if said == "text":
        return None
    if said == "json_schema" and "json_schema" in given.value:
        given.inner("json_schema")
    else:
        given.inner("json_schema", {})
    return given.value
