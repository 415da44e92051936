"""Checks tools before they are offered: their names, and that their schemas are valid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import jsonschema_rs

from coderelay.core import InvalidTool, Json, Schema, Tool
from coderelay.core.json_values import NotJson, check_depth
from coderelay.schemas.schema_cost import (
    MAX_WAYS,
    SchemaCost,
    StrayReferenceError,
    weigh,
)
from coderelay.schemas.schema_size import SchemaTooLarge, check_size
from coderelay.schemas.validation.measure import measure
from coderelay.schemas.validation.patterns import BACKTRACKING, LINEAR

MAX_NAME = 256


@dataclass(frozen=True, slots=True)
class _Draft:
    """A version of JSON Schema."""

    number: int
    uri: str
    validator: type[jsonschema_rs.Validator]


_DRAFTS = {
    uri: _Draft(number, f"{scheme}://{uri}", validator)
    for number, scheme, uri, validator in (
        (4, "http", "json-schema.org/draft-04/schema", jsonschema_rs.Draft4Validator),
        (6, "http", "json-schema.org/draft-06/schema", jsonschema_rs.Draft6Validator),
        (7, "http", "json-schema.org/draft-07/schema", jsonschema_rs.Draft7Validator),
        (2019, "https", "json-schema.org/draft/2019-09/schema", jsonschema_rs.Draft201909Validator),
        (2020, "https", "json-schema.org/draft/2020-12/schema", jsonschema_rs.Draft202012Validator),
    )
}
# Schemas that do not name their draft mostly follow the newest. The others use forms that it no
# longer has: tuples as a list in `items` (7), `exclusiveMinimum: true` (4).
_DEFAULT_DRAFTS = tuple(each for each in reversed(_DRAFTS.values()) if each.number in (2020, 7, 4))
_EXPLAINED = 2_000
"""How many values a schema may have if the message is to say what is wrong with it. The library
finds all errors before it returns the first, and holds the interpreter's lock meanwhile."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A compiled schema, and what it may cost to check a value against it."""

    schema: Schema
    draft: int
    validator: jsonschema_rs.Validator
    backtracks: bool
    """Whether one of its patterns needs a regular expression engine that backtracks."""
    cost: SchemaCost


class SchemaError(ValueError):
    """Where a schema is invalid, and why."""

    def __init__(self, path: Sequence[str | int], reason: str) -> None:
        super().__init__(reason)
        self.path = path


def check_tools(tools: Sequence[Tool]) -> None:
    """Raise `InvalidTool` for the first tool that cannot be offered."""
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
    """The compiled schema of a tool's arguments. Raises `InvalidTool` if it is invalid."""
    return _compile(tool, "parameters", tool.parameters)


def _compile(tool: Tool, part: str, schema: Schema) -> Checked:
    try:
        return _check(schema)
    except SchemaError as error:
        path = "".join(f"/{step}" for step in (part, *error.path))
        raise InvalidTool(
            f"tool {tool.name!r}: {path} is not a valid JSON Schema: {error}"
        ) from error


def _check_name(name: Json) -> None:
    if not isinstance(name, str) or not name:
        raise InvalidTool(f"a tool's name must be a string that is not empty, not {name!r:.100}")
    if len(name) > MAX_NAME:
        raise InvalidTool(
            f"the name {name[:40]!r}… is longer than {MAX_NAME} characters: shorten it"
        )


def _check(schema: Json) -> Checked:
    if isinstance(schema, Mapping):
        schema = dict(schema)
    elif not isinstance(schema, bool):
        raise SchemaError([], "it is neither an object nor a boolean")
    try:
        check_size(schema)
        check_depth(schema)
        cost = weigh(schema)
    except (NotJson, SchemaTooLarge) as error:
        raise SchemaError([], str(error)) from error
    except StrayReferenceError as error:
        raise SchemaError(
            [], f"the reference {str(error)[:200]!r} points to nothing in it, and none is fetched"
        ) from error
    if cost.ways > MAX_WAYS:
        raise SchemaError(
            [],
            f"it would check one value more than {MAX_WAYS} times, by its references: simplify it",
        )
    draft, validator, backtracks = _compiled(schema)
    return Checked(schema, draft.number, validator, backtracks, cost)


def _compiled(schema: dict[str, Any] | bool) -> tuple[_Draft, jsonschema_rs.Validator, bool]:
    """The schema compiled by the first draft that accepts it, and whether it needs to backtrack."""
    drafts = _drafts(schema)
    possible = [draft for draft in drafts if _is_of(draft, schema)]
    if not possible and not _is_small(schema):
        raise SchemaError(
            [],
            "it breaks the rules of JSON Schema, and is too large to find out where: simplify it",
        )
    refused: SchemaError | None = None
    for draft in possible or drafts[:1]:
        for patterns in (LINEAR, BACKTRACKING):
            try:
                validator = draft.validator(
                    schema,
                    retriever=_refuse,
                    validate_formats=False,
                    pattern_options=patterns,
                )
            except jsonschema_rs.ValidationError as error:
                refused = refused or SchemaError(error.instance_path, error.message[:300])
            except (TypeError, ValueError) as error:
                raise SchemaError([], str(error)[:300]) from error
            else:
                return draft, validator, patterns is BACKTRACKING
    assert refused is not None
    raise refused


def _is_of(draft: _Draft, schema: dict[str, Any] | bool) -> bool:
    """Whether a schema is valid in a draft. Its patterns are checked only by compiling it."""
    if isinstance(schema, bool):
        return True
    try:
        return jsonschema_rs.meta.is_valid({**schema, "$schema": draft.uri})
    except (TypeError, ValueError) as error:
        raise SchemaError([], str(error)[:300]) from error


def _is_small(schema: Json) -> bool:
    return measure(schema).nodes <= _EXPLAINED


def _drafts(schema: dict[str, Any] | bool) -> Sequence[_Draft]:
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    if isinstance(uri, str):
        known = _DRAFTS.get(uri.partition("://")[2].rstrip("#"))
        if known is not None:
            return (known,)
    return _DEFAULT_DRAFTS


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is not fetched")
