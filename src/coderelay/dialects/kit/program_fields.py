"""Programs, languages and tools that came from outside; what is wrong is named by its path."""

from collections.abc import Mapping

from coderelay.conversation import Unsupported
from coderelay.core import InvalidTool, Json, Program, Tool
from coderelay.core.program import FIXED_DATE, LATEST
from coderelay.dialects.kit.fields import Fields
from coderelay.languages.language_registry import LANGUAGES
from coderelay.wire import tools_from_json


def read_program(fields: Fields, source: str, *, language: str, id: str | None = None) -> Program:
    """A program whose text stands in the field `source`; without an `id` it must have its own."""
    text = fields.text(source)
    said = fields.text("id") if id is None else fields.text("id", id)
    if not said:
        raise Unsupported(fields.path("id"), "is empty: a program has an id")
    created = fields.number("created", FIXED_DATE)
    if not 0 <= created <= LATEST:
        reason = f"must be an integer from 0 to {LATEST}: seconds since 1970"
        raise Unsupported(fields.path("created"), reason)
    return Program(fields.text("language", language), text, said, created)


def read_language(fields: Fields, default: str) -> str:
    """The field `language`, which must be one of those there are."""
    language = fields.text("language", default)
    problem = unknown_language(language, fields)
    if problem is not None:
        raise problem
    return language


def unknown_language(language: str, fields: Fields) -> Unsupported | None:
    """What is wrong with a language, if anything."""
    if language in LANGUAGES:
        return None
    known = ", ".join(LANGUAGES)
    return Unsupported(fields.path("language"), f"is {language!r:.40}: choose one of {known}")


def read_tools(items: Mapping[int, Json]) -> tuple[Tool, ...]:
    """The tools, given by their places in the request's `tools`."""
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
