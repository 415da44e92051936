"""What the schemas of tools cost, and the arguments that programs pass."""

from collections.abc import Callable
from functools import partial
from typing import Any

from coderelay.core import Tool, Work
from coderelay.core.nearest_names import Nearest, nearest
from coderelay.declare import Search, check_tools, declarations
from coderelay.declare.argument_check import ArgumentCheck
from coderelay.languages.language_registry import find_language
from coderelay.schemas.schema_notes import brief
from coderelay.schemas.validation.regex_size import measure
from tests.attacks.costs import Case
from tests.declare.costly import CASES as COSTLY
from tests.declare.costly import Made

FIND_ERROR = "declare.argument_check.ArgumentCheck.find_error"
CHECK, DECLARE = "schemas.schema_check.check_tools", "declare.prompt.declarations"
PARTS = 4_000


def check(make: Callable[[float], Made]) -> Callable[[int], tuple[ArgumentCheck, Any]]:
    """A check and arguments for it, of so many hundredths of their full size."""

    def made(size: int) -> tuple[ArgumentCheck, Any]:
        schema, arguments = make(size / 100)
        return ArgumentCheck(Tool("t", "", schema), "t", find_language("typescript")), arguments

    return made


def tool(schema: Callable[[int], Any]) -> Callable[[int], list[Tool]]:
    return lambda size: [Tool("t", "", schema(size))]


def named(size: int, schema: Any) -> dict[str, Any]:
    return {f"p{number}": schema for number in range(size)}


def nots(depth: int, schema: Any) -> Any:
    for _ in range(depth):
        schema = {"not": schema}
    return schema


def inner_references(depth: int) -> dict[str, Any]:
    """References to `x`, to what is in it, and so on."""
    return {f"q{at}": {"$ref": f"#/properties/x{'/not' * at}"} for at in range(depth)}


SCHEMAS: dict[str, Callable[[int], Any]] = {
    "properties": lambda size: {"properties": named(size, {"type": "string"})},
    "objects in allOf": lambda size: {
        "allOf": [{"properties": {f"p{number}": {"type": "string"}}} for number in range(size)]
    },
    "one property in each of allOf": lambda size: {
        "allOf": [{"properties": {"p": {"minimum": number}}} for number in range(size)]
    },
    "objects in anyOf": lambda size: {
        "anyOf": [{"properties": {f"p{number}": {"const": number}}} for number in range(size)]
    },
    "definitions that refer to the next": lambda size: {
        "$ref": "#/$defs/d0",
        "$defs": {
            f"d{number}": {"properties": {"n": {"$ref": f"#/$defs/d{(number + 1) % size}"}}}
            for number in range(size)
        },
    },
    "anchors": lambda size: {
        "properties": {f"p{number}": {"$ref": f"#a{number}"} for number in range(size)},
        "$defs": {
            f"d{number}": {"$anchor": f"a{number}", "type": "string"} for number in range(size)
        },
    },
    "references to schemas that are in each other": lambda size: {
        "properties": {"x": nots(50, {"properties": named(size // 2, {})}), **inner_references(50)}
    },
    "values of an enum": lambda size: {"enum": [f"v{number}" for number in range(size)]},
    "required names": lambda size: {"required": [f"p{number}" for number in range(size)]},
    "patterns": lambda size: {"properties": named(size // 4, {"pattern": "^[a-z]{1,60}$"})},
}

BRIEF = "schemas.schema_notes.brief"

CASES = (
    *(
        Case(FIND_ERROR, name, 100, check(make), lambda made: made[0].find_error(made[1], Work()))
        for name, make in COSTLY.items()
    ),
    *(Case(CHECK, name, PARTS, tool(make), check_tools) for name, make in SCHEMAS.items()),
    *(
        Case(
            DECLARE,
            f"{name}, in {language}",
            PARTS,
            tool(make),
            partial(declarations, language=language),
        )
        for name, make in SCHEMAS.items()
        for language in ("typescript", "python")
    ),
    Case(
        DECLARE,
        "a type named again and again",
        20_000,
        tool(lambda size: {"type": ["object"] * size, "properties": named(50, {})}),
        lambda tools: declarations(tools, "typescript"),
    ),
    Case(
        "core.nearest_names.nearest",
        "names of equal letters",
        PARTS,
        lambda size: [f"{'a' * 60}{number}" for number in range(size)],
        lambda known: nearest("a" * 64, known),
    ),
    Case(
        "core.nearest_names.Nearest.to",
        "names that share all pairs of letters",
        PARTS,
        lambda size: Nearest(f"{'ab' * 25}{number:010}" for number in range(size)),
        lambda known: known.to("ba" * 32),
    ),
    Case(
        "core.nearest_names.Nearest.to",
        "a long name",
        200_000,
        lambda size: "a" * size,
        lambda name: Nearest(("a" * 64, "b" * 64)).to(name),
    ),
    Case("schemas.validation.regex_size.measure", "groups", 20_000, lambda n: "(" * n, measure),
    Case(
        "schemas.validation.regex_size.measure",
        "counts",
        20_000,
        lambda n: "a{9}" * (n // 4),
        measure,
    ),
    Case("schemas.validation.regex_size.measure", "classes", 20_000, lambda n: "[" * n, measure),
    Case(BRIEF, "a long list", 200_000, lambda n: [1] * n, lambda v: brief(v, 60)),
    Case(BRIEF, "a long text", 200_000, lambda n: "é" * n, lambda v: brief(v, 60)),
    Case(
        "declare.tool_search.Search",
        "tools with long descriptions",
        400,
        lambda size: [Tool(f"t{number}", "word " * 400) for number in range(size)],
        Search,
    ),
    Case(
        "declare.tool_search.Search.search",
        "words that all tools have",
        PARTS,
        lambda size: Search([Tool(f"get_{number}", "get the item") for number in range(size)]),
        lambda search: search.search("get the item " * 10),
    ),
)
