"""A tool is checked before it is offered: its name, and that its schemas are schemas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import jsonschema_rs

from coderelay.core import InvalidTool, Json, Schema, Tool
from coderelay.core.jsonvalue import NotJson, check_depth
from coderelay.declare.weight import MAX_WEIGHT, StrayReferenceError, Weight, weigh

MAX_NAME = 256

_DRAFTS: dict[str, type[jsonschema_rs.Validator]] = {
    "json-schema.org/draft-04/schema": jsonschema_rs.Draft4Validator,
    "json-schema.org/draft-06/schema": jsonschema_rs.Draft6Validator,
    "json-schema.org/draft-07/schema": jsonschema_rs.Draft7Validator,
    "json-schema.org/draft/2019-09/schema": jsonschema_rs.Draft201909Validator,
    "json-schema.org/draft/2020-12/schema": jsonschema_rs.Draft202012Validator,
}
# Schemas that do not say their draft are mostly of the newest, and else use words that it
# has given up: tuples as a list in `items` (7), `exclusiveMinimum: true` (4).
_UNSAID = (
    jsonschema_rs.Draft202012Validator,
    jsonschema_rs.Draft7Validator,
    jsonschema_rs.Draft4Validator,
)
# The first engine takes linear time whatever the pattern. It knows no lookaround: patterns that
# need one get the second, which gives up after a number of steps.
_PATTERNS = (
    jsonschema_rs.RegexOptions(),
    jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000),
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A schema that can be checked against, and what that may cost."""

    validator: jsonschema_rs.Validator
    weight: Weight


class SchemaError(ValueError):
    """The path in the schema where it is none, and why."""

    def __init__(self, path: Sequence[str | int], reason: str) -> None:
        super().__init__(reason)
        self.path = path


def check_tools(tools: Sequence[Tool]) -> None:
    """Raise `InvalidTool` for the first tool that cannot be one."""
    seen: set[str] = set()
    for tool in tools:
        _check_name(tool.name)
        if tool.name in seen:
            raise InvalidTool(f"there are two tools named {tool.name!r}: rename one")
        seen.add(tool.name)
        compiled(tool)
        if tool.returns is not None:
            _compile(tool, "returns", tool.returns)


def compiled(tool: Tool) -> Checked:
    """The check for a tool's arguments. Raises `InvalidTool` where its schema is none."""
    return _compile(tool, "parameters", tool.parameters)


def _compile(tool: Tool, part: str, schema: Schema) -> Checked:
    try:
        return _check(schema)
    except SchemaError as error:
        path = "".join(f"/{step}" for step in (part, *error.path))
        raise InvalidTool(f"tool {tool.name!r}: {path} is no JSON Schema: {error}") from error


def _check_name(name: Json) -> None:
    if not isinstance(name, str) or not name:
        raise InvalidTool(f"a tool's name is a text that is not empty, not {name!r:.100}")
    if len(name) > MAX_NAME:
        raise InvalidTool(f"the name {name[:40]!r}… is longer than {MAX_NAME} characters")


def _check(schema: Json) -> Checked:
    if isinstance(schema, Mapping):
        schema = dict(schema)
    elif not isinstance(schema, bool):
        raise SchemaError([], "it is neither an object nor a boolean")
    try:
        check_depth(schema)
        weight = weigh(schema)
    except NotJson as error:
        raise SchemaError([], str(error)) from error
    except StrayReferenceError as error:
        raise SchemaError(
            [], f"{str(error)[:200]!r} refers to nothing in it, and nothing is fetched"
        ) from error
    if weight.once > MAX_WEIGHT:
        raise SchemaError([], f"checking it would take more than {MAX_WEIGHT} ways to one value")
    return Checked(_validator(schema), weight)


def _validator(schema: dict[str, Any] | bool) -> jsonschema_rs.Validator:
    """The schema compiled by the first draft and pattern engine that take it."""
    refused: SchemaError | None = None
    for draft in _drafts(schema):
        for patterns in _PATTERNS:
            try:
                return draft(
                    schema,
                    retriever=_refuse,
                    validate_formats=False,
                    pattern_options=patterns,
                )
            except jsonschema_rs.ValidationError as error:
                refused = refused or SchemaError(error.instance_path, error.message[:300])
            except (TypeError, ValueError) as error:
                raise SchemaError([], str(error)[:300]) from error
    assert refused is not None
    raise refused


def _drafts(schema: dict[str, Any] | bool) -> Sequence[type[jsonschema_rs.Validator]]:
    said = schema.get("$schema") if isinstance(schema, dict) else None
    if isinstance(said, str):
        known = _DRAFTS.get(said.partition("://")[2].rstrip("#"))
        if known is not None:
            return (known,)
    return _UNSAID


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is not fetched")
