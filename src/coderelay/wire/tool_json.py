"""Declarations of tools are read in all forms that clients have them in, and written in one.

| form | schema of the arguments | schema of the answer |
|---|---|---|
| ours | `parameters` | `returns` |
| Chat Completions | `function.parameters` | `output_schema` or `output` |
| Responses | `parameters` | `output_schema` or `output` |
| Anthropic Messages | `input_schema` | `output_schema` |
| MCP | `inputSchema` | `outputSchema` |
"""

from collections.abc import Mapping

from coderelay.core import InvalidTool, Json, Schema, Tool
from coderelay.core.json_values import NotJson, check_depth

PARAMETERS = ("parameters", "input_schema", "inputSchema")
"""The fields that may hold the schema of the arguments."""
RETURNS = ("returns", "output_schema", "outputSchema", "output")
"""The fields that may hold the schema of the answer."""
_TYPES = (None, "function", "custom")


def tools_from_json(value: Json) -> tuple[Tool, ...]:
    """The tools in a list of declarations, or in an object with such a list as `tools`.

    Raises `InvalidTool`, whose message names the tool and the field.
    """
    if isinstance(value, Mapping) and "tools" in value:
        value = value["tools"]
    if not isinstance(value, list):
        raise InvalidTool("tools are declared as a list, or as an object with a list 'tools'")
    return tuple(_tool(index, item) for index, item in enumerate(value))


def function_tool(tool: Tool) -> dict[str, Json]:
    """A tool as Chat Completions declares it, without the schema of its answer."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def _tool(index: int, item: Json) -> Tool:
    where = f"tool {index}"
    if not isinstance(item, Mapping):
        raise InvalidTool(f"{where} is not an object")
    if item.get("type") not in _TYPES:
        raise InvalidTool(
            f"{where} has the type {item['type']!r}: only function tools can be called by a program"
        )
    fields = {**item, **_function(item, where)}
    name = fields.get("name")
    if not isinstance(name, str) or not name:
        raise InvalidTool(f"{where} has no 'name'")
    where = f"tool {name!r}"
    description = fields.get("description") or ""
    if not isinstance(description, str):
        raise InvalidTool(f"'description' of {where} is not a string")
    returns = _schema(fields, RETURNS, where)
    parameters = _schema(fields, PARAMETERS, where)
    if parameters is None:
        return Tool(name, description, returns=returns)
    return Tool(name, description, parameters, returns)


def _function(item: Mapping[str, Json], where: str) -> Mapping[str, Json]:
    """The fields that Chat Completions has inside `function`."""
    function = item.get("function", {})
    if not isinstance(function, Mapping):
        raise InvalidTool(f"'function' of {where} is not an object")
    return function


def _schema(fields: Mapping[str, Json], spellings: tuple[str, ...], where: str) -> Schema | None:
    for spelling in spellings:
        schema = fields.get(spelling)
        if schema is None:
            continue
        if not isinstance(schema, (Mapping, bool)):
            raise InvalidTool(f"{spelling!r} of {where} is not a JSON Schema")
        try:
            check_depth(schema)
        except NotJson as error:
            raise InvalidTool(f"{spelling!r} of {where} is {error}") from error
        return schema
    return None
