"""The tools of a request in the flat shape of Responses, and which of them the model must take."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from coderelay.conversation import Message, Unsupported
from coderelay.core import Json
from coderelay.dialects.kit.declared_tools import (
    DeclaredTools,
    FunctionTool,
    kept,
    read_callers,
    read_choice,
    read_name,
    sort_tools,
)
from coderelay.dialects.kit.fields import Fields

VENDOR = "programmatic_tool_calling"
"""The tool by which a client asks for OpenAI's own shapes."""

_PLAIN = ("name", "description", "parameters", "strict")
_ECHOED = (*_PLAIN, "allowed_callers", "output_schema", "defer_loading")


class ToolReading(NamedTuple):
    """All that the reading of tools depends on besides them."""

    vendor: bool
    allowed: frozenset[str] | None = None


class ToolChoice(NamedTuple):
    """`tool_choice` in the upstream's words. `program`: it must be a program."""

    chosen: Json
    direct: tuple[Message, ...]
    program: bool = False


def declares_vendor(declared: list[Json]) -> bool:
    """Whether a client asks for OpenAI's own shapes."""
    return any(isinstance(item, Mapping) and item.get("type") == VENDOR for item in declared)


@kept
def declared_tools(declared: list[Json], told: ToolReading) -> DeclaredTools:
    """The tools, by who may call them. Raises for those that no Chat Completions endpoint has."""
    return sort_tools(declared, partial(_read, vendor=told.vendor), allowed=told.allowed)


def _read(fields: Fields, *, vendor: bool) -> FunctionTool | None:
    type, item = fields.text("type"), fields.value
    if type == VENDOR:
        return None
    if type != "function":
        raise Unsupported(
            fields.path("type"),
            f"is {type!r:.60}: only function tools can be served, and the client runs them",
        )
    name = read_name(fields)
    _check_types(fields)
    default = "direct" if vendor else "programmatic"
    callers = read_callers(fields, item.get("allowed_callers"), default)
    function = {key: item[key] for key in _PLAIN if item.get(key) is not None}
    return FunctionTool(name, callers, {"type": "function", "function": function}, item)


def echoed(declared: list[Json]) -> list[Json]:
    """The tools as a response repeats them: in the API's own fields."""
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
    """The choice, with the tools that the model is offered because of it."""
    named = read_choice(fields)
    if not isinstance(named, Fields):
        return ToolChoice(named, tools.direct)
    match named.text("type"):
        case "function":
            name = named.text("name")
            chosen = {"type": "function", "function": {"name": name}}
            return ToolChoice(chosen, tools.made_direct(name))
        case "allowed_tools":
            return ToolChoice(named.text("mode", "auto"), tools.direct)
        case other if other == VENDOR:
            if not vendor:
                raise Unsupported("tool_choice", f"names {VENDOR!r}, which is none of the tools")
            return ToolChoice("required", tools.direct, program=True)
        case other:
            reason = f"is {other!r:.40}: choose 'function', 'allowed_tools' or '{VENDOR}'"
            raise Unsupported(named.path("type"), reason)


def read_allowed(fields: Fields) -> frozenset[str] | None:
    """The names of the only tools that may be called, where the choice says so. `VENDOR` stands
    for programs."""
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
