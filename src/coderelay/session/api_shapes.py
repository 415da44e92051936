"""Reads tools and calls, and writes the code tool and its output, in the formats of three APIs.

| API | a function tool | a call | its output |
|---|---|---|---|
| Responses | `type: function`, `parameters` | `function_call` | `function_call_output` |
| Chat Completions | `function: {parameters}` | `function: {arguments}` | a `tool` message |
| Anthropic Messages | `input_schema` | `tool_use` | `tool_result` |

Tools and calls may be dicts or objects of an SDK. They are only read, and never changed.
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

_OutputForm: TypeAlias = Callable[[str, str, bool], dict[str, Json]]
_FIELDS = ("type", "function", "name", "description", *PARAMETERS, *RETURNS)


@dataclass(frozen=True, slots=True)
class SplitTools:
    """A list of tools, split into functions and others, such as web search."""

    functions: tuple[Tool, ...]
    before: tuple[Any, ...]
    """The other tools that come before the first function, as the user passed them."""
    after: tuple[Any, ...]
    """The other tools that come after the first function."""

    @property
    def others(self) -> tuple[Any, ...]:
        """All tools that are not functions, as the user passed them."""
        return (*self.before, *self.after)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call of the model, with its arguments as the API has them (JSON text or a value).

    `reply(text, failed)` returns the output of the call in the format of the same API.
    """

    name: str
    arguments: Json
    reply: Callable[[str, bool], dict[str, Json]]


def split_tools(tools: Iterable[Any]) -> SplitTools:
    """Split a list of tools into functions and others.

    Raises `InvalidTool` for a function that is not declared correctly.
    """
    functions: list[Tool] = []
    before: list[Any] = []
    after: list[Any] = []
    for item in tools:
        declared = getattr(item, "declaration", item)  # `@tool` adds it to a function
        if isinstance(declared, Tool):
            functions.append(declared)
            continue
        fields = _mapping(item)
        if not fields:
            raise InvalidTool(f"{item!r:.100} is not a tool: pass its declaration")
        if _is_function(fields):
            functions.extend(tools_from_json([_plain(fields)]))
        else:
            (after if functions else before).append(item)
    return SplitTools(tuple(functions), tuple(before), tuple(after))


def declaration_for(api: str, tool: Tool) -> dict[str, Json]:
    """Return the declaration of a tool in the format of an API."""
    about = {"name": tool.name, "description": tool.description}
    match api:
        case "responses":
            return {"type": "function", **about, "parameters": tool.parameters, "strict": True}
        case "chat":
            return function_tool(tool)
        case _:
            return {**about, "input_schema": tool.parameters}


def name_of(tool: Any) -> Json:
    """Return the name by which the model calls a tool, or None if the tool has none."""
    fields = _mapping(tool)
    inner = _mapping(fields.get("function") or fields.get("custom") or {})
    return inner.get("name", fields.get("name"))


def read_tool_use(item: Any) -> ToolUse | None:
    """Return the tool call that an item of any of the three APIs is, or None if it is not one."""
    match _field(item, "type"):
        case "function_call" if not _field(item, "namespace"):
            return _tool_use(item, "arguments", _field(item, "call_id"), _function_call_output)
        case "tool_use" if not _field(item, "toolset_name"):
            return _tool_use(item, "input", _field(item, "id"), _tool_result)
        case "function" | None:
            function = _field(item, "function")
            return _tool_use(function, "arguments", _field(item, "id"), _tool_message)
        case _:
            return None


def _tool_use(call: Any, arguments: str, id: Json, form: _OutputForm) -> ToolUse | None:
    name = _field(call, "name")
    if not isinstance(name, str):
        return None
    call_id = id if isinstance(id, str) else ""
    return ToolUse(name, _field(call, arguments), partial(form, call_id))


def _function_call_output(id: str, text: str, failed: bool) -> dict[str, Json]:
    return {"type": "function_call_output", "call_id": id, "output": text}


def _tool_message(id: str, text: str, failed: bool) -> dict[str, Json]:
    return {"role": "tool", "tool_call_id": id, "content": text}


def _tool_result(id: str, text: str, failed: bool) -> dict[str, Json]:
    result = {"type": "tool_result", "tool_use_id": id, "content": text}
    return {**result, "is_error": True} if failed else result


def _is_function(fields: Mapping[str, Json]) -> bool:
    """Return whether a tool takes JSON that a schema describes and is run by the user.

    Anthropic's functions have the type `custom` or no type. OpenAI's `custom` tools take plain
    text and have no schema.
    """
    kind = fields.get("type")
    if kind == "function":
        return True
    if kind not in (None, "custom"):
        return False
    known = any(fields.get(field) is not None for field in PARAMETERS)
    return known or (kind is None and isinstance(fields.get("name"), str))


def _mapping(item: Any) -> Mapping[str, Json]:
    """Return the fields of a dict, of a Pydantic model, or of any object with such attributes."""
    if isinstance(item, Mapping):
        return item
    dump = getattr(item, "model_dump", None)
    if callable(dump):
        dumped = dump(mode="json", by_alias=True, exclude_unset=True)
        return dumped if isinstance(dumped, Mapping) else {}
    found = {name: _field(item, name) for name in _FIELDS}
    return {name: value for name, value in found.items() if value is not None}


def _plain(fields: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the fields with the value of `function` as a mapping, which may be an object."""
    function = fields.get("function")
    return fields if function is None else {**fields, "function": _mapping(function)}


def _field(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
