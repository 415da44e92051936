"""A tool's declaration is read in any of the forms that clients already have it in.

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

_PARAMETERS = ("parameters", "input_schema", "inputSchema")
_RETURNS = ("returns", "output_schema", "outputSchema", "output")
_TYPES = (None, "function", "custom")


def tools_from_json(value: Json) -> tuple[Tool, ...]:
    """The tools of a list of declarations, or of an object that holds one as `tools`.

    Raises `InvalidTool`, naming the tool and the field.
    """
    if isinstance(value, Mapping) and "tools" in value:
        value = value["tools"]
    if not isinstance(value, list):
        raise InvalidTool("tools are declared as a list, or as an object with a list 'tools'")
    return tuple(_tool(index, item) for index, item in enumerate(value))


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
    returns = _schema(fields, _RETURNS, where)
    parameters = _schema(fields, _PARAMETERS, where)
    if parameters is None:
        return Tool(name, description, returns=returns)
    return Tool(name, description, parameters, returns)


def _function(item: Mapping[str, Json], where: str) -> Mapping[str, Json]:
    """What Chat Completions wraps into `function`."""
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
