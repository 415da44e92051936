"""Reads a Messages request into a conversation, and its fields into those of Chat Completions.

Fields that only concern Anthropic's own servers are left out, unsupported fields are refused by
name, and fields that are in none of the lists below go upstream unchanged.
"""

from collections.abc import Sequence

from coderelay.conversation import FieldError, Message, TurnRequest, Unsupported, has_run
from coderelay.conversation.history_reader import History
from coderelay.core import Json
from coderelay.core.json_values import kind
from coderelay.dialects.anthropic.code_execution import LANGUAGE
from coderelay.dialects.anthropic.error_shape import ThreadUnsupported
from coderelay.dialects.anthropic.history import read_messages, read_system
from coderelay.dialects.anthropic.request_state import AnthropicState
from coderelay.dialects.anthropic.tools import (
    CODE_EXECUTION,
    caller_type,
    code_execution,
    read_declared,
)
from coderelay.dialects.kit.code_mode import Defaults, Mode, read_mode
from coderelay.dialects.kit.declared_tools import DeclaredTools
from coderelay.dialects.kit.fields import Fields

_OWN = frozenset(
    "model messages system max_tokens stop_sequences metadata tools tool_choice stream thinking "
    "output_config output_format container context_management code_mode thread".split()
)
_LEFT_OUT = frozenset(
    "betas cache_control diagnostics fallback_credit_token fallbacks inference_geo service_tier "
    "speed user_profile_id workspace_id".split()
)
_REFUSED = {
    "mcp_servers": "is not supported: declare the tools of these servers as your own",
    "compaction": "is not supported: send a shorter history",
    "n": "is not a field of this API: remove it",
    "parallel_tool_calls": (
        "is not a field of this API: use tool_choice.disable_parallel_tool_use"
    ),
    "response_format": "is not a field of this API: use output_config.format",
    "stream_options": "is not a field of this API: remove it",
}


def decode(body: Json, defaults: Defaults) -> TurnRequest:
    """Read a request. Raises a `RequestError` that names the field or the id."""
    fields = Fields(body)
    model, messages = fields.text("model"), fields.items("messages")
    _refuse(fields)
    options = _options(fields)
    declared = fields.items("tools", [])
    version = code_execution(declared)
    speaks_code = version is not None or _has_programs(messages)
    mode = read_mode(fields, defaults, has_programs=speaks_code)
    vendor = mode.protocol == "messages"
    tools = read_declared(declared, speaks_code)
    history = History(tools.programmatic, defaults.limits)
    read_system(fields, history)
    read_messages(messages, history)
    entries = history.entries()
    choice, direct = _choice(fields, tools, version, ran=has_run(entries))
    parallel = not fields.inner("tool_choice", {}).flag("disable_parallel_tool_use", False)
    return TurnRequest(
        model=model,
        entries=entries,
        tools=tools.programmatic,
        direct=direct,
        language=_language(fields, mode, vendor=vendor),
        max_programs=mode.max_programs,
        tool_choice=choice,
        parallel=parallel,
        response_format=_response_format(fields),
        options=options,
        stream=fields.flag("stream", False),
        receipt=mode.receipt,
        protocol=mode.protocol,
        outcome_form="texts" if vendor else "values",
        offer_code_without_tools=version is not None,
        dialect_state=AnthropicState(
            caller=caller_type(version) if vendor else None,
            container=_container(fields),
            wants_reasoning=_wants_reasoning(fields),
        ),
    )


def decode_count(body: Json, defaults: Defaults) -> TurnRequest:
    """Read a request whose tokens are to be counted, which has no `max_tokens`."""
    return decode({"max_tokens": 1, **Fields(body).value}, defaults)


def _refuse(fields: Fields) -> None:
    if fields.value.get("thread"):
        raise ThreadUnsupported
    for name, reason in _REFUSED.items():
        if fields.value.get(name):
            raise Unsupported(name, reason)
    for place, item in enumerate(fields.inner("context_management", {}).items("edits", [])):
        edit = Fields(item, f"context_management.edits[{place}]")
        if not edit.text("type").startswith("clear_"):  # ignoring these only costs tokens
            reason = f"is {edit.text('type')!r:.60}: {_REFUSED['compaction']}"
            raise Unsupported(edit.path("type"), reason)


def _has_programs(messages: Sequence[Json]) -> bool:
    """Return whether the history contains a program."""
    contents = [each.get("content") for each in messages if isinstance(each, dict)]
    return any(
        isinstance(block, dict) and block.get("type") == "server_tool_use"
        for content in contents
        if isinstance(content, list)
        for block in content
    )


def _language(fields: Fields, mode: Mode, *, vendor: bool) -> str:
    if not vendor:
        return mode.language
    if fields.inner("code_mode", {}).text("language", LANGUAGE) != LANGUAGE:
        raise Unsupported("code_mode.language", f"must be {LANGUAGE!r} with code execution")
    return LANGUAGE


def _options(fields: Fields) -> dict[str, Json]:
    known = _OWN | _LEFT_OUT | _REFUSED.keys()
    options = {
        key: value for key, value in fields.value.items() if key not in known and value is not None
    }
    most = fields.number("max_tokens")
    if most < 1:
        raise Unsupported("max_tokens", "must be at least 1")
    options["max_tokens"] = most
    stop = fields.items("stop_sequences", [])
    if any(not isinstance(each, str) for each in stop):
        raise FieldError("stop_sequences", "must be a list of strings")
    if stop:
        options["stop"] = stop
    user = fields.inner("metadata", {}).text("user_id", "")
    if user:
        options["user"] = user
    effort = fields.inner("output_config", {}).text("effort", "")
    if effort:
        options["reasoning_effort"] = effort
    return options


def _choice(
    fields: Fields, tools: DeclaredTools, version: str | None, *, ran: bool
) -> tuple[Json, tuple[Message, ...]]:
    """Return `tool_choice` for the upstream, and the direct tools, including the chosen one. `ran`
    means that a program has already run in this turn."""
    value = fields.value.get("tool_choice")
    if value is None:
        return None, tools.direct
    if not isinstance(value, dict):
        raise FieldError("tool_choice", f"is {kind(value)}, not an object")
    choice = fields.inner("tool_choice")
    match choice.text("type"):
        case "auto" | "none" as type:
            return type, tools.direct
        case "any":
            return "required", tools.direct
        case "tool" if version is not None and choice.text("name") == CODE_EXECUTION:
            return "required", tools.direct if ran else ()
        case "tool":
            name = choice.text("name")
            return {"type": "function", "function": {"name": name}}, tools.direct_with(name)
        case other:
            reason = f"is {other!r:.40}: choose 'auto', 'any', 'tool' or 'none'"
            raise Unsupported(choice.path("type"), reason)


def _response_format(fields: Fields) -> Json:
    """Return the format of the last text for the upstream: `output_config.format`, or its older
    form `output_format`."""
    holder = fields.inner("output_config", {})
    output_format = holder.inner("format", fields.inner("output_format", {}).value)
    if not output_format.value:
        return None
    if output_format.text("type") != "json_schema":
        reason = f"must be 'json_schema', not {output_format.text('type')!r:.40}"
        raise Unsupported(output_format.path("type"), reason)
    schema = output_format.inner("schema").value
    return {"type": "json_schema", "json_schema": {"name": "output", "schema": schema}}


def _wants_reasoning(fields: Fields) -> bool:
    """Return whether the client wants the model's reasoning."""
    thinking = fields.inner("thinking", {"type": "disabled"})
    hidden = thinking.text("display", "summarized") == "omitted"
    return thinking.text("type") in ("enabled", "adaptive") and not hidden


def _container(fields: Fields) -> str | None:
    """Return the id of the container that the client sent. This server has no containers; it only
    sends the id back."""
    value = fields.value.get("container")
    if value is None or isinstance(value, str):
        return value
    container = fields.inner("container")
    if container.value.get("skills"):
        raise Unsupported("container.skills", "are not supported: remove them")
    return container.text("id", "") or None
