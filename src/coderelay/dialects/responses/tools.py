"""Reads the tools and `tool_choice` of a Responses request."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from coderelay.conversation import Message, Unsupported
from coderelay.core import Json
from coderelay.dialects.kit.declared_tools import (
    DeclaredTools,
    FunctionTool,
    cached_reader,
    read_callers,
    read_choice,
    read_name,
    sort_tools,
)
from coderelay.dialects.kit.fields import Fields

VENDOR = "programmatic_tool_calling"
"""The type of the tool with which a client asks for programs in OpenAI's own format."""

_PLAIN = ("name", "description", "parameters", "strict")
_ECHOED = (*_PLAIN, "allowed_callers", "output_schema", "defer_loading")


class ToolOptions(NamedTuple):
    """What the reading of tools depends on besides the declarations."""

    vendor: bool
    allowed: frozenset[str] | None = None


class ToolChoice(NamedTuple):
    """`tool_choice` for the upstream. `program` means that the model has to write a program."""

    chosen: Json
    direct: tuple[Message, ...]
    program: bool = False


def declares_vendor(declared: list[Json]) -> bool:
    """Return whether a client asks for programs in OpenAI's own format."""
    return any(isinstance(item, Mapping) and item.get("type") == VENDOR for item in declared)


@cached_reader
def declared_tools(declared: list[Json], options: ToolOptions) -> DeclaredTools:
    """Return the tools by who may call them. Raises `Unsupported` for other than function tools."""
    return sort_tools(declared, partial(_read, vendor=options.vendor), allowed=options.allowed)


def _read(fields: Fields, *, vendor: bool) -> FunctionTool | None:
    type, item = fields.text("type"), fields.value
    if type == VENDOR:
        return None
    if type != "function":
        raise Unsupported(
            fields.path("type"),
            f"is {type!r:.60}: only function tools, which the client runs, are supported",
        )
    name = read_name(fields)
    _check_types(fields)
    default = "direct" if vendor else "programmatic"
    callers = read_callers(fields, item.get("allowed_callers"), default)
    function = {key: item[key] for key in _PLAIN if item.get(key) is not None}
    return FunctionTool(name, callers, {"type": "function", "function": function}, item)


def echoed(declared: list[Json]) -> list[Json]:
    """Return the tools as the response repeats them, with the API's fields only."""
    return [
        {"type": VENDOR}
        if item["type"] == VENDOR
        else {
            "parameters": None,
            "strict": None,
            **{key: item[key] for key in _ECHOED if key in item},
            "type": "function",
        }
        for item in declared
    ]


def choose_tools(fields: Fields, tools: DeclaredTools, *, vendor: bool) -> ToolChoice:
    """Return `tool_choice`, and the direct tools, including the chosen one."""
    named = read_choice(fields)
    if not isinstance(named, Fields):
        return ToolChoice(named, tools.direct)
    match named.text("type"):
        case "function":
            name = named.text("name")
            chosen = {"type": "function", "function": {"name": name}}
            return ToolChoice(chosen, tools.direct_with(name))
        case "allowed_tools":
            return ToolChoice(named.text("mode", "auto"), tools.direct)
        case other if other == VENDOR:
            if not vendor:
                reason = f"names {VENDOR!r}, which is not among the tools: declare it in 'tools'"
                raise Unsupported("tool_choice", reason)
            return ToolChoice("required", tools.direct, program=True)
        case other:
            reason = f"is {other!r:.40}: choose 'function', 'allowed_tools' or '{VENDOR}'"
            raise Unsupported(named.path("type"), reason)


def read_allowed(fields: Fields) -> frozenset[str] | None:
    """Return the names of the tools that `tool_choice` allows, or None if it allows all. `VENDOR`
    stands for programs."""
    choice = fields.value.get("tool_choice")
    if not isinstance(choice, Mapping) or choice.get("type") != "allowed_tools":
        return None
    allowed = fields.inner("tool_choice")
    if allowed.text("mode", "auto") not in ("auto", "required"):
        raise Unsupported(allowed.path("mode"), "must be 'auto' or 'required'")
    items = [
        Fields(item, allowed.path(f"tools[{place}]"))
        for place, item in enumerate(allowed.items("tools"))
    ]
    return frozenset(VENDOR if item.text("type") == VENDOR else item.text("name") for item in items)


def _check_types(fields: Fields) -> None:
    """Raise `FieldError` for a field of a declaration that has the wrong type."""
    fields.text("description", "")
    for flag in ("strict", "defer_loading"):
        fields.flag(flag, False)
    for schema in ("parameters", "output_schema"):
        fields.inner(schema, {})
