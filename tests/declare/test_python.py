"""Tools as Python stubs: keyword arguments in, an awaitable out."""

import ast
from pathlib import Path
from typing import Any

import pytest
from mypy import api

from coderelay.core import Tool
from coderelay.declare import declarations
from tests.declare.schemas import HOSTILE

STRING = {"type": "string"}
NODE = {"$ref": "#/$defs/Node"}


def declared(parameters: Any, returns: Any = None, description: str = "") -> str:
    return declarations([Tool("web_search", description, parameters, returns)], "python")


def typed(schema: Any) -> str:
    """The type that a required property of this schema gets."""
    text = declared({"type": "object", "properties": {"x": schema}, "required": ["x"]})
    return text[text.index("(*, x: ") + 7 : text.rindex(") -> ")]


def test_a_tool_is_declared_with_its_documentation() -> None:
    parameters = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "default": 10, "minimum": 1},
        },
        "required": ["query"],
    }
    returns = {
        "type": "array",
        "items": {"type": "object", "properties": {"title": STRING, "url": STRING}},
    }
    assert declared(parameters, returns, "Search the web.") == (
        "from typing import NotRequired, TypedDict\n\n"
        "class WebSearchResult(TypedDict):\n"
        "    title: NotRequired[str]\n"
        "    url: NotRequired[str]\n\n"
        "async def web_search(*, query: str, limit: int = 10) -> list[WebSearchResult]:\n"
        '    """Search the web.\n\n'
        "    query: What to look for.\n"
        "    limit: minimum 1\n"
        '    """'
    )


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({}, "Any"),
        (False, "Never"),
        ({"type": "number"}, "float"),
        ({"type": "null"}, "None"),
        ({"type": ["null", "string"]}, "str | None"),
        ({"type": "string", "nullable": True}, "str | None"),
        ({"enum": ["a", 1, None, True]}, 'Literal["a", 1, True] | None'),
        ({"enum": [1.5, "a"]}, 'Literal["a"] | float'),
        ({"const": {"k": 1}}, "dict[str, Any]"),
        ({"type": "array"}, "list[Any]"),
        ({"type": "array", "prefixItems": [STRING, {"type": "number"}]}, "tuple[str, float]"),
        ({"prefixItems": [STRING], "items": {"type": "number"}}, "list[str | float]"),
        ({"type": "object"}, "dict[str, Any]"),
        ({"type": "object", "additionalProperties": STRING}, "dict[str, str]"),
        ({"properties": {"a": STRING}}, "WebSearchX"),
        (
            {"anyOf": [{"properties": {"a": STRING}}, {"properties": {"b": STRING}}]},
            "WebSearchX | WebSearchX2",
        ),
        ({"$ref": "#/nowhere"}, "Any"),
    ],
)
def test_a_schema_becomes_a_type(schema: Any, text: str) -> None:
    assert typed(schema) == text


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "integer", "default": 10}, "int = 10"),
        ({"type": "integer", "default": "10"}, "int = ..."),
        ({"type": "integer", "default": True}, "int = ..."),
        ({"type": "boolean", "default": False}, "bool = False"),
        ({"type": "number", "default": 1}, "float = 1"),
        ({"type": "number", "default": float("nan")}, "float = ..."),
        ({"enum": ["a", "b"], "default": "b"}, 'Literal["a", "b"] = "b"'),
        ({"type": ["string", "null"], "default": None}, "str | None = None"),
        ({"type": "array", "items": STRING, "default": []}, "list[str] = ..."),
        (STRING, "str = ..."),
    ],
)
def test_a_default_is_shown_where_it_fits(schema: Any, text: str) -> None:
    assert f"(*, x: {text}) -> Any" in declared({"properties": {"x": schema}})


def test_names_that_are_not_identifiers_are_passed_as_a_mapping() -> None:
    text = declared({"properties": {"to": STRING, "from": STRING}, "required": ["from"]})
    assert 'WebSearchOthers = TypedDict("WebSearchOthers", {\n    "from": str,\n})' in text
    assert "(*, to: str = ..., **others: Unpack[WebSearchOthers]) -> Any" in text


def test_keys_that_are_not_identifiers_use_the_functional_form() -> None:
    text = declared({}, {"properties": {"user-id": STRING, "str": {"type": "integer"}, "b": {}}})
    assert 'WebSearchResult = TypedDict("WebSearchResult", {' in text
    assert '    "user-id": NotRequired[str],\n' in text


def test_parts_that_hold_at_once_become_one_object() -> None:
    text = declared(
        {
            "allOf": [NODE, {"properties": {"b": {"type": "integer"}}, "required": ["b"]}],
            "$defs": {"Node": {"properties": {"a": STRING}}},
        }
    )
    assert "web_search(*, a: str = ..., b: int) -> Any" in text


def test_definitions_may_recur() -> None:
    kids = {"type": "array", "items": NODE}
    text = declared({}, {**NODE, "$defs": {"Node": {"properties": {"kids": kids}}}})
    assert "class WebSearchNode(TypedDict):\n    kids: NotRequired[list[WebSearchNode]]" in text


@pytest.mark.parametrize(
    "description", ['"""', 'ends "', "\\", "a\x00b", "a\r\nb", "\ud800", "\x0c"]
)
def test_a_description_cannot_end_its_docstring(description: str) -> None:
    tree = ast.parse(declared({"properties": {"x": {"description": description}}}, {}, description))
    assert len(tree.body) == 2


def test_a_type_checker_accepts_what_is_declared(tmp_path: Path) -> None:
    """One run over all the schemas that have broken things before: mypy takes a second to start."""
    json = {
        "anyOf": [
            {"type": ["string", "number", "boolean", "null"]},
            {"type": "array", "items": {"$ref": "#/$defs/Json"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
        ]
    }
    odd = {"str": STRING, "user-id": STRING, "others": {}, "list": {"items": STRING}, "__x": {}}
    schemas = {
        **HOSTILE,
        "json": {"properties": {"value": {"$ref": "#/$defs/Json"}}, "$defs": {"Json": json}},
        "odd": {"properties": {**odd, "inner": {"properties": odd}}, "required": ["list"]},
        "root": {"properties": {"child": {"$ref": "#"}}},
    }
    tools = [Tool(name, name, schema, schema) for name, schema in schemas.items()]
    stub = tmp_path / "tools.pyi"
    stub.write_text(declarations(tools, "python"), encoding="utf-8")
    said, _, status = api.run(["--strict", "--no-incremental", "--cache-dir=/dev/null", str(stub)])
    assert status == 0, said
