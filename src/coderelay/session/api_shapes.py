"""Tools, calls and outputs in the forms of three APIs.

| API | a function tool | a call | its output |
|---|---|---|---|
| Responses | `type: function`, `parameters` | `function_call` | `function_call_output` |
| Chat Completions | `function: {parameters}` | `function: {arguments}` | a `tool` message |
| Anthropic Messages | `input_schema` | `tool_use` | `tool_result` |

Tools and calls may be dicts or objects of an SDK. They are read, and never changed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from coderelay.core import InvalidTool, Json, Tool
from coderelay.wire import function_tool, tools_from_json
from coderelay.wire.tool_json import PARAMETERS, RETURNS

Api: TypeAlias = Literal["responses", "chat", "anthropic"]
APIS: tuple[str, ...] = get_args(Api)

_Form: TypeAlias = Callable[[str, str, bool], dict[str, Json]]
_FIELDS = ("type", "function", "name", "description", *PARAMETERS, *RETURNS)


@dataclass(frozen=True, slots=True)
class GivenTools:
    """A list of tools, sorted: the functions, and the others before and after the first of them."""

    functions: tuple[Tool, ...]
    before: tuple[Any, ...]
    """The other tools that stand before the first function."""
    after: tuple[Any, ...]

    @property
    def others(self) -> tuple[Any, ...]:
        """All tools that are not functions, unchanged."""
        return (*self.before, *self.after)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call as the model made it. `reply` makes the output item from a text, and whether the call
    failed."""

    name: str
    arguments: Json
    reply: Callable[[str, bool], dict[str, Json]]


def given(tools: Iterable[Any]) -> GivenTools:
    """Sort tools into functions and others. Raises `InvalidTool` for a declaration that cannot be
    used."""
    found: list[Tool] = []
    before: list[Any] = []
    after: list[Any] = []
    for item in tools:
        declared = getattr(item, "declaration", item)  # of a function that `@tool` decorates
        if isinstance(declared, Tool):
            found.append(declared)
            continue
        fields = _mapping(item)
        if not fields:
            raise InvalidTool(f"{item!r:.100} is not a tool: give its declaration")
        if _is_function(fields):
            found.extend(tools_from_json([_plain(fields)]))
        else:
            (after if found else before).append(item)
    return GivenTools(tuple(found), tuple(before), tuple(after))


def offered(tool: Tool, api: str) -> dict[str, Json]:
    """Our tool as an API declares it."""
    about = {"name": tool.name, "description": tool.description}
    match api:
        case "responses":
            return {"type": "function", **about, "parameters": tool.parameters, "strict": True}
        case "chat":
            return function_tool(tool)
        case _:
            return {**about, "input_schema": tool.parameters}


def name_of(tool: Any) -> Json:
    """The name by which a model calls a tool, or None."""
    fields = _mapping(tool)
    inner = _mapping(fields.get("function") or fields.get("custom") or {})
    return inner.get("name", fields.get("name"))


def asked(item: Any) -> ToolUse | None:
    """The call in an item of any of the three APIs, or None if the item is not a call."""
    match _field(item, "type"):
        case "function_call" if not _field(item, "namespace"):
            return _asked(item, "arguments", _field(item, "call_id"), _function_call_output)
        case "tool_use" if not _field(item, "toolset_name"):
            return _asked(item, "input", _field(item, "id"), _tool_result)
        case "function" | None:
            return _asked(_field(item, "function"), "arguments", _field(item, "id"), _tool_message)
        case _:
            return None


def _asked(call: Any, arguments: str, id: Json, form: _Form) -> ToolUse | None:
    name = _field(call, "name")
    if not isinstance(name, str):
        return None
    answered = id if isinstance(id, str) else ""
    return ToolUse(name, _field(call, arguments), partial(form, answered))


def _function_call_output(id: str, text: str, failed: bool) -> dict[str, Json]:
    return {"type": "function_call_output", "call_id": id, "output": text}


def _tool_message(id: str, text: str, failed: bool) -> dict[str, Json]:
    return {"role": "tool", "tool_call_id": id, "content": text}


def _tool_result(id: str, text: str, failed: bool) -> dict[str, Json]:
    result = {"type": "tool_result", "tool_use_id": id, "content": text}
    return {**result, "is_error": True} if failed else result


def _is_function(fields: Mapping[str, Json]) -> bool:
    """Whether a tool is a function of the client's own, called with JSON that a schema describes.

    Anthropic's functions have the type `custom` or none; OpenAI's tools of that type take text.
    """
    kind = fields.get("type")
    if kind == "function":
        return True
    if kind not in (None, "custom"):
        return False
    known = any(fields.get(field) is not None for field in PARAMETERS)
    return known or (kind is None and isinstance(fields.get("name"), str))


def _mapping(item: Any) -> Mapping[str, Json]:
    """The fields of a dict or of an object."""
    if isinstance(item, Mapping):
        return item
    dump = getattr(item, "model_dump", None)
    if callable(dump):
        dumped = dump(mode="json", by_alias=True, exclude_unset=True)
        return dumped if isinstance(dumped, Mapping) else {}
    found = {name: _field(item, name) for name in _FIELDS}
    return {name: value for name, value in found.items() if value is not None}


def _plain(fields: Mapping[str, Json]) -> Mapping[str, Json]:
    """The fields, with `function` as a mapping where it is an object."""
    function = fields.get("function")
    return fields if function is None else {**fields, "function": _mapping(function)}


def _field(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
