"""Reads a Responses request into a conversation."""

from coderelay.conversation import FieldError, TurnRequest, has_run, is_open
from coderelay.conversation.history_reader import History
from coderelay.core import Json
from coderelay.core.json_values import kind
from coderelay.dialects.kit.code_mode import Defaults, read_mode
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.responses.history import InputItems
from coderelay.dialects.responses.other_fields import (
    read_echo,
    read_format,
    read_options,
    refuse,
    wants_reasoning,
)
from coderelay.dialects.responses.program_items import TYPES
from coderelay.dialects.responses.request_state import ResponsesState
from coderelay.dialects.responses.tools import (
    VENDOR,
    ToolOptions,
    choose_tools,
    declared_tools,
    declares_vendor,
    echoed,
    read_allowed,
)


def decode(body: Json, defaults: Defaults) -> TurnRequest:
    """Read a request. Raises a `RequestError` that names the field or the id."""
    fields = Fields(body)
    model, items = fields.text("model"), _input(fields)
    refuse(fields)
    declared = fields.items("tools", [])
    vendor = declares_vendor(declared)
    mode = read_mode(fields, defaults, has_programs=vendor or _has_programs(items))
    tools = declared_tools(declared, ToolOptions(vendor))
    history = History(tools.programmatic, defaults.limits)
    instructions = fields.text("instructions", "")
    if instructions:
        history.add_message({"role": "system", "content": instructions})
    InputItems(history, mode.language).read(items)
    entries = history.entries()
    allowed = read_allowed(fields)
    if allowed is not None and not is_open(entries):
        tools = declared_tools(declared, ToolOptions(vendor, allowed))
    choice = choose_tools(fields, tools, vendor=vendor)
    return TurnRequest(
        model=model,
        entries=entries,
        tools=tools.programmatic,
        direct=() if choice.program and not has_run(entries) else choice.direct,
        language=mode.language,
        max_programs=mode.max_programs,
        tool_choice=choice.chosen,
        parallel=fields.flag("parallel_tool_calls", True),
        response_format=read_format(fields),
        options=read_options(fields),
        stream=fields.flag("stream", False),
        receipt=mode.receipt,
        protocol=mode.protocol,
        outcome_form="values" if mode.protocol == "ids" else "texts",
        offer_code_without_tools=vendor and (allowed is None or VENDOR in allowed),
        dialect_state=ResponsesState(
            echo=read_echo(fields, echoed(declared)), wants_reasoning=wants_reasoning(fields)
        ),
    )


def _input(fields: Fields) -> list[Json]:
    value = fields.value.get("input")
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    if not isinstance(value, list):
        what = "is missing" if value is None else f"is {kind(value)}, not a string or a list"
        raise FieldError("input", what)
    return value


def _has_programs(items: list[Json]) -> bool:
    return any(isinstance(item, dict) and item.get("type") in TYPES for item in items)
