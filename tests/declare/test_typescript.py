"""Tools as TypeScript functions: one object in, a promise out."""

from typing import Any

import pytest

from coderelay.core import Tool
from coderelay.declare import declarations

STRING = {"type": "string"}
NODE = {"$ref": "#/$defs/Node"}


def declared(parameters: Any, returns: Any = None, description: str = "") -> str:
    return declarations([Tool("web_search", description, parameters, returns)], "typescript")


def typed(schema: Any) -> str:
    """The type that a required property of this schema gets."""
    text = declared({"type": "object", "properties": {"x": schema}, "required": ["x"]})
    start = text.index("declare function webSearch(args: { x: ")
    return (
        text[start:]
        .removeprefix("declare function webSearch(args: { x: ")
        .removesuffix(" }): Promise<unknown>;")
    )


def test_a_tool_is_declared_with_its_documentation() -> None:
    parameters = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 50},
        },
        "required": ["query"],
    }
    returns = {
        "type": "array",
        "items": {"type": "object", "properties": {"title": STRING}, "required": ["title"]},
    }
    assert declared(parameters, returns, "Search the web.") == (
        "/** Search the web. */\n"
        "declare function webSearch(args: {\n"
        "  /** What to look for. */\n"
        "  query: string;\n"
        "  /** @default 10 @minimum 1 @maximum 50 */\n"
        "  limit?: number;\n"
        "}): Promise<{ title: string }[]>;"
    )


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({}, "unknown"),
        (True, "unknown"),
        (False, "never"),
        ({"type": "integer"}, "number"),
        ({"type": "null"}, "null"),
        ({"type": "nonsense"}, "unknown"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"type": "string", "nullable": True}, "string | null"),
        ({"enum": ["a", 1, None, True]}, '"a" | 1 | null | true'),
        ({"type": "string", "enum": ["a"]}, '"a"'),
        ({"const": {"k": [1, "x"]}}, '{ k: [1, "x"] }'),
        ({"type": "array"}, "unknown[]"),
        ({"type": "array", "items": {"type": ["string", "integer"]}}, "(string | number)[]"),
        ({"type": "array", "prefixItems": [STRING, {"type": "number"}]}, "[string, number]"),
        ({"prefixItems": [STRING], "items": {"type": "number"}}, "[string, ...number[]]"),
        ({"items": [STRING], "additionalItems": STRING}, "[string, ...string[]]"),
        ({"anyOf": [STRING, {"type": "number"}, STRING]}, "string | number"),
        ({"anyOf": [STRING, {}]}, "unknown"),
        ({"type": "string", "anyOf": [{"format": "a"}, {"format": "b"}]}, "string"),
        ({"type": "object"}, "Record<string, unknown>"),
        ({"type": "object", "additionalProperties": False}, "Record<string, never>"),
        ({"type": "object", "additionalProperties": STRING}, "Record<string, string>"),
        ({"properties": {"a": STRING}}, "{ a?: string }"),
        ({"properties": {"a": STRING}, "additionalProperties": False}, "{ a?: string }"),
        (
            {"properties": {"a": STRING}, "additionalProperties": {"type": "number"}},
            "{ a?: string } & Record<string, number>",
        ),
        ({"patternProperties": {"^x": STRING}}, "Record<string, string>"),
        ({"properties": {"a-b": STRING}, "required": ["a-b"]}, '{ "a-b": string }'),
        ({"required": ["ghost"], "type": "object"}, "{ ghost: unknown }"),
        (
            {"allOf": [{"properties": {"a": STRING}}, {"properties": {"b": STRING}}]},
            "{ a?: string; b?: string }",
        ),
        (
            {"properties": {"a": STRING}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            "{ a?: string } & ({ a: unknown } | { b: unknown })",
        ),
        ({"$ref": "#/nowhere"}, "unknown"),
        ({"$ref": "http://example.org/x"}, "unknown"),
    ],
)
def test_a_schema_becomes_a_type(schema: Any, text: str) -> None:
    assert typed(schema) == text


@pytest.mark.parametrize(
    ("parameters", "head"),
    [
        ({"type": "object", "properties": {}}, "webSearch(): "),
        ({"type": "object"}, "webSearch(): "),
        ({}, "webSearch(): "),
        ({"properties": {"a": STRING}}, "webSearch(args?: { a?: string }): "),
        ({"properties": {"a": STRING}, "required": ["a"]}, "webSearch(args: { a: string }): "),
        ({"additionalProperties": STRING}, "webSearch(args?: Record<string, string>): "),
    ],
)
def test_the_object_may_be_left_out_where_nothing_is_required(parameters: Any, head: str) -> None:
    assert declared(parameters) == f"declare function {head}Promise<unknown>;"


def test_definitions_become_named_types_that_may_recur() -> None:
    definition = {
        "type": "object",
        "description": "A node.",
        "properties": {"kids": {"type": "array", "items": NODE}},
    }
    text = declared({"properties": {"root": NODE}, "$defs": {"Node": definition}}, STRING)
    assert text == (
        "/** A node. */\n"
        "type WebSearchNode = { kids?: WebSearchNode[] };\n\n"
        "declare function webSearch(args?: { root?: WebSearchNode }): Promise<string>;"
    )


@pytest.mark.parametrize(
    ("reference", "definitions"),
    [
        ("#/$defs/a~1b%20c", {"a/b c": STRING}),
        ("#marked", {"any": {"$anchor": "marked", "type": "string"}}),
        ("inner", {"any": {"$id": "inner", "type": "string"}}),
    ],
)
def test_references_are_found_however_they_are_written(reference: str, definitions: Any) -> None:
    text = declared({"properties": {"x": {"$ref": reference}}, "$defs": definitions})
    assert text.startswith("type WebSearch")
    assert "= string;" in text


def test_a_root_that_refers_to_itself_gets_a_name() -> None:
    text = declared({"type": "object", "properties": {"child": {"$ref": "#"}}})
    assert text == (
        "type WebSearchArgs = { child?: WebSearchArgs };\n\n"
        "declare function webSearch(args?: WebSearchArgs): Promise<unknown>;"
    )


@pytest.mark.parametrize(
    "definition",
    [NODE, {"anyOf": [NODE, STRING]}, {"allOf": [NODE, {"properties": {"a": STRING}}]}],
)
def test_a_type_that_would_be_nothing_but_itself_is_unknown_there(definition: Any) -> None:
    text = declared({"properties": {"x": NODE}, "$defs": {"Node": definition}})
    assert "WebSearchNode" not in text.partition(" = ")[2].partition(";\n\n")[0]


def test_types_of_two_tools_never_share_a_name() -> None:
    schema = {"properties": {"x": NODE}, "$defs": {"Node": STRING}}
    text = declarations([Tool("get", "", schema, schema), Tool("ge-t", "", schema)], "typescript")
    names = [line.split()[1] for line in text.splitlines() if line.startswith("type ")]
    assert names == ["GetNode", "GetNode2", "GeTNode"]


def test_a_description_cannot_end_its_comment() -> None:
    text = declared({}, None, "ends */ here\nand goes on")
    assert text.startswith("/**\n * ends *\\/ here\n * and goes on\n */\n")


def test_an_enumeration_of_many_values_is_declared_by_their_type() -> None:
    schema = {"enum": [f"v{each}" for each in range(500)]}
    text = declared({"properties": {"x": schema}})
    assert 'One of 500 values: "v0", "v1"' in text
    assert "x?: string;" in text


def test_declarations_are_in_tool_order() -> None:
    text = declarations([Tool("zulu"), Tool("alpha")], "typescript")
    assert text.index("zulu") < text.index("alpha")
