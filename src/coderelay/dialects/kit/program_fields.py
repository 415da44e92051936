"""Reads programs, languages and tools from a request; errors name the field with its path."""

from collections.abc import Mapping

from coderelay.conversation import Unsupported
from coderelay.core import InvalidTool, Json, Program, Tool
from coderelay.core.program import FIXED_DATE, LATEST
from coderelay.dialects.kit.fields import Fields
from coderelay.languages.language_registry import LANGUAGES
from coderelay.wire import tools_from_json


def read_program(fields: Fields, source: str, *, language: str, id: str | None = None) -> Program:
    """Return a program. `source` is the name of the field with its source, `language` the default
    for its language, and `id` that for its id; without it, the program must have one."""
    text = fields.text(source)
    program_id = fields.text("id") if id is None else fields.text("id", id)
    if not program_id:
        raise Unsupported(fields.path("id"), "must not be empty")
    created = fields.number("created", FIXED_DATE)
    if not 0 <= created <= LATEST:
        reason = f"must be an integer from 0 to {LATEST}: seconds since 1970"
        raise Unsupported(fields.path("created"), reason)
    return Program(fields.text("language", language), text, program_id, created)


def read_language(fields: Fields, default: str) -> str:
    """Return the field `language`. Raises `Unsupported` if there is no such language."""
    language = fields.text("language", default)
    problem = unknown_language(language, fields)
    if problem is not None:
        raise problem
    return language


def unknown_language(language: str, fields: Fields) -> Unsupported | None:
    """Return the error for an unknown language, or None for a known one."""
    if language in LANGUAGES:
        return None
    known = ", ".join(LANGUAGES)
    return Unsupported(fields.path("language"), f"is {language!r:.40}: choose one of {known}")


def read_tools(items: Mapping[int, Json]) -> tuple[Tool, ...]:
    """Return the tools, given by their indexes in the request's `tools`."""
    try:
        return tools_from_json(list(items.values()))
    except InvalidTool as error:
        place = next(place for place, item in items.items() if not _is_tool(item))
        raise Unsupported(f"tools[{place}]", f"cannot be declared: {error}") from error


def _is_tool(item: Json) -> bool:
    try:
        return bool(tools_from_json([item]))
    except InvalidTool:
        return False
