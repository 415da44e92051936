"""A Chat Completions request is read into a conversation; what is not ours goes on untouched."""

import marshal
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from coderelay.conversation import (
    CodeBlock,
    ConversationEntry,
    FieldError,
    Message,
    Protocol,
    Request,
    Unsupported,
    token,
)
from coderelay.conversation.history import History
from coderelay.core import DEFAULT_LIMITS, Json, Limits, Tool
from coderelay.core.jsonvalue import kind
from coderelay.dialects.chat_history import read_messages
from coderelay.dialects.fields import Fields
from coderelay.dialects.programs import read_language, read_tools

_OWN = frozenset(
    "model messages tools tool_choice parallel_tool_calls response_format stream stream_options "
    "n code_mode".split()
)
_NO_REFERENCES = 2  # the last version whose bytes depend on the values alone
_TOOL_FIELDS = ("allowed_callers", "output_schema", "output")
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


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds where a request does not say."""

    language: str = "typescript"
    max_programs: int = 8
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class _Tools:
    """The declared tools: those for programs, those for the model itself, and all names."""

    programmatic: tuple[Tool, ...] = ()
    direct: tuple[Message, ...] = ()
    named: Mapping[str, Message] | None = None


def decode(body: Json, defaults: Defaults) -> Request:
    """The request. Raises `RequestError`s that name the field or the id."""
    fields = Fields(body)
    model, messages = fields.text("model"), fields.items("messages")
    if fields.number("n", 1) != 1:
        raise Unsupported("n", "must be 1: a program has one conversation to go on in")
    mode = fields.inner("code_mode", {})
    language = read_language(mode, defaults.language)
    tools = _tools(fields)
    history = History(tools.programmatic, defaults.limits)
    read_messages(messages, history, language=language)
    entries = history.entries()
    allowed = _allowed(fields)
    if allowed is not None and not _is_open(entries):  # an open program keeps what it began with
        tools = _tools(fields, allowed)
    choice, direct = _choice(fields, tools)
    stream = fields.flag("stream", False)
    usage = fields.inner("stream_options", {}).flag("include_usage", False)
    return Request(
        model=model,
        entries=entries,
        tools=tools.programmatic,
        direct=direct,
        language=language,
        max_programs=_max_programs(mode, defaults),
        tool_choice=choice,
        parallel=fields.flag("parallel_tool_calls", True),
        response_format=_response_format(fields),
        options={key: value for key, value in fields.value.items() if key not in _OWN},
        stream=stream,
        include_usage=usage,
        receipt=mode.flag("receipt", False),
        protocol=_protocol(mode, messages),
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
            or any(name in tool for name in _TOOL_FIELDS)
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
                isinstance(call, Mapping) and token.is_ours(call.get("id")) for call in calls
            )
    return role == "tool" and (
        token.is_ours(message.value.get("tool_call_id")) or "toolCallId" in message.value
    )


def _is_open(entries: tuple[ConversationEntry, ...]) -> bool:
    return bool(entries) and isinstance(entries[-1], CodeBlock) and entries[-1].open


def _tools(fields: Fields, allowed: frozenset[str] | None = None) -> _Tools:
    declared = fields.items("tools", [])
    if not declared:
        return _Tools()
    try:
        packed = marshal.dumps(declared, _NO_REFERENCES)
    except ValueError as error:
        raise Unsupported("tools", "are nested too deeply") from error
    return _read_tools(packed, allowed)


@lru_cache(maxsize=128)
def _read_tools(packed: bytes, allowed: frozenset[str] | None) -> _Tools:
    """Kept, because a client sends the same tools with every request. Their bytes are the key;
    `marshal` is the fastest way to them, and nothing from outside is ever unpacked by it."""
    programmatic: dict[int, Json] = {}
    direct: list[Message] = []
    named: dict[str, Message] = {}
    for place, item in enumerate(marshal.loads(packed)):
        fields = Fields(item, f"tools[{place}]")
        if fields.text("type", "function") != "function":
            direct.append(item)
            continue
        function = fields.inner("function", {}).value
        name, callers = _name(fields), _callers(fields, function)
        if allowed is not None and name not in allowed:
            continue
        named[name] = cleaned = _cleaned(item, function)
        if "programmatic" in callers:
            programmatic[place] = item
        if "direct" in callers:
            direct.append(cleaned)
    return _Tools(read_tools(programmatic), tuple(direct), named)


def _name(fields: Fields) -> str:
    """A tool's name, which stands inside `function` or, in the flat form, beside it."""
    function = fields.inner("function", {})
    holder = fields if "name" in fields.value and "name" not in function.value else function
    name = holder.text("name")
    if not name:
        raise FieldError(holder.path("name"), "is empty: a tool has a name")
    return name


def _callers(fields: Fields, function: Mapping[str, Json]) -> list[str]:
    given = fields.value.get("allowed_callers", function.get("allowed_callers"))
    if given is None:
        return ["programmatic"]
    if not isinstance(given, list) or not given or any(each not in _CALLERS for each in given):
        raise FieldError(
            fields.path("allowed_callers"), "must be a list of 'direct' and 'programmatic'"
        )
    return given


def _cleaned(item: Mapping[str, Json], function: Mapping[str, Json]) -> Message:
    """The declaration as an upstream takes it, without the fields that none knows."""
    rest = {key: value for key, value in item.items() if key not in _TOOL_FIELDS}
    flat = {_FLAT[key]: rest.pop(key) for key in _FLAT if key in rest}
    nested = {key: value for key, value in function.items() if key not in _TOOL_FIELDS}
    plain = {**flat, **nested}
    return {**rest, "type": "function", "function": plain}


def _choice(fields: Fields, tools: _Tools) -> tuple[Json, tuple[Message, ...]]:
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
            return {"type": "function", "function": {"name": name}}, _made_direct(name, tools)
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


def _made_direct(name: str, tools: _Tools) -> tuple[Message, ...]:
    named = tools.named or {}
    if name not in named:
        raise Unsupported("tool_choice", f"names {name!r:.80}, which is none of the tools")
    if named[name] in tools.direct:
        return tools.direct
    return (*tools.direct, named[name])


def _max_programs(mode: Fields, defaults: Defaults) -> int:
    number = mode.number("max_programs", defaults.max_programs)
    if number < 1:
        raise Unsupported(mode.path("max_programs"), "must be at least 1")
    return min(number, 100)


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


def _protocol(mode: Fields, messages: list[Json]) -> Protocol:
    holds_code = any(message["role"] in _CODE_ROLES for message in messages)
    said = mode.text("protocol", "messages" if holds_code else "ids")
    if said not in ("ids", "messages"):
        raise Unsupported(mode.path("protocol"), "must be 'ids' or 'messages'")
    return cast(Protocol, said)
