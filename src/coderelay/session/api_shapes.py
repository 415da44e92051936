"""Three APIs, one meaning: tools come in, our tool goes out, a call comes in, its output goes out.

| API | a function tool | a call | its output |
|---|---|---|---|
| Responses | `type: function`, `parameters` | `function_call` | `function_call_output` |
| Chat Completions | `function: {parameters}` | `function: {arguments}` | a `tool` message |
| Anthropic Messages | `input_schema` | `tool_use` | `tool_result` |

Each may be a dict or an object of an SDK. What is given is looked at, and never changed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from coderelay.core import InvalidTool, Json, Tool
from coderelay.wire import tools_from_json

Api: TypeAlias = Literal["responses", "chat", "anthropic"]
APIS: tuple[str, ...] = get_args(Api)

_SCHEMAS = ("parameters", "input_schema", "inputSchema")
_RETURNS = ("returns", "output_schema", "outputSchema", "output")
_Form: TypeAlias = Callable[[str, str, bool], dict[str, Json]]
_FIELDS = ("type", "function", "name", "description", *_SCHEMAS, *_RETURNS)


@dataclass(frozen=True, slots=True)
class GivenTools:
    """What a list of tools is made of: the functions, and the others at their places."""

    functions: tuple[Tool, ...]
    before: tuple[Any, ...]
    """The others that stand before the first function."""
    after: tuple[Any, ...]

    @property
    def others(self) -> tuple[Any, ...]:
        """All that is no function, untouched."""
        return (*self.before, *self.after)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call as a model made it: whose it is, its arguments as they came, and the output item
    that a text makes."""

    name: str
    arguments: Json
    reply: Callable[[str, bool], dict[str, Json]]


def given(tools: Iterable[Any]) -> GivenTools:
    """Part the functions from all else. Raises `InvalidTool` where a function is none."""
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
            raise InvalidTool(f"{item!r:.100} is no tool: give its declaration")
        if _is_function(fields):
            found.extend(tools_from_json([_plain(fields)]))
        else:
            (after if found else before).append(item)
    return GivenTools(tuple(found), tuple(before), tuple(after))


def offered(tool: Tool, api: str) -> dict[str, Json]:
    """Our tool as an API takes it."""
    about = {"name": tool.name, "description": tool.description}
    match api:
        case "responses":
            return {"type": "function", **about, "parameters": tool.parameters, "strict": True}
        case "chat":
            return {"type": "function", "function": {**about, "parameters": tool.parameters}}
        case _:
            return {**about, "input_schema": tool.parameters}


def name_of(tool: Any) -> Json:
    """The name that a model calls a tool by, if it has one."""
    fields = _mapping(tool)
    inner = _mapping(fields.get("function") or fields.get("custom") or {})
    return inner.get("name", fields.get("name"))


def asked(item: Any) -> ToolUse | None:
    """The call that an item is, in any of the three APIs; None for all that is no call."""
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
    """Whether a tool is called with JSON that a schema describes, by whoever gave it.

    Anthropic's functions have the type `custom` or none; OpenAI's tools of that type take text.
    """
    kind = fields.get("type")
    if kind == "function":
        return True
    if kind not in (None, "custom"):
        return False
    known = any(fields.get(word) is not None for word in _SCHEMAS)
    return known or (kind is None and isinstance(fields.get("name"), str))


def _mapping(item: Any) -> Mapping[str, Json]:
    """An item's fields, whatever it is."""
    if isinstance(item, Mapping):
        return item
    dump = getattr(item, "model_dump", None)
    if callable(dump):
        dumped = dump(mode="json", by_alias=True, exclude_unset=True)
        return dumped if isinstance(dumped, Mapping) else {}
    found = {name: _field(item, name) for name in _FIELDS}
    return {name: value for name, value in found.items() if value is not None}


def _plain(fields: Mapping[str, Json]) -> Mapping[str, Json]:
    """The fields with a function that may still be an object."""
    function = fields.get("function")
    return fields if function is None else {**fields, "function": _mapping(function)}


def _field(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
