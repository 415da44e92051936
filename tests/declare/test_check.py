"""A tool is checked before it is offered: its name, and that its schemas are schemas."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coderelay.core import InvalidTool, Tool
from coderelay.declare import check_tools
from tests.declare.schemas import chain, doubling, nested


def refused(schema: Any) -> str:
    with pytest.raises(InvalidTool) as caught:
        check_tools([Tool("t", "", schema)])
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("", "not empty"), (5, "not 5"), (None, "not None"), ("x" * 257, "longer than 256")],
)
def test_a_name_is_a_text_of_bounded_length(name: Any, reason: str) -> None:
    with pytest.raises(InvalidTool, match=reason):
        check_tools([Tool(name)])


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidTool, match="two tools named 'search'"):
        check_tools([Tool("search"), Tool("other"), Tool("search")])


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"type": "objekt"}, "/parameters/type"),
        ({"properties": {"a": {"type": 5}}}, "/parameters/properties/a/type"),
        ({"properties": {"a": {"pattern": "("}}}, "/parameters/properties/a/pattern"),
        ({"required": "a"}, "/parameters/required"),
        ([], "/parameters"),
        ("{}", "/parameters"),
        (None, "/parameters"),
    ],
)
def test_an_invalid_schema_is_refused_with_its_path(schema: Any, path: str) -> None:
    assert f"tool 't': {path} is not a valid JSON Schema: " in refused(schema)


def test_the_schema_of_what_is_returned_is_checked_too() -> None:
    with pytest.raises(InvalidTool, match="/returns/type"):
        check_tools([Tool("t", returns={"type": "objekt"})])


@pytest.mark.parametrize(
    "schema", [nested(200), chain(10_000), doubling("allOf"), doubling("anyOf")]
)
def test_a_schema_that_would_take_for_ever_to_check_is_refused(schema: Any) -> None:
    assert "/parameters is not a valid JSON Schema" in refused(schema)


@pytest.mark.parametrize("said", ["x", None, {}])
@pytest.mark.parametrize("word", ["multipleOf", "minimum", "maxLength", "enum"])
def test_a_keyword_with_a_value_of_the_wrong_type_is_refused(word: str, said: Any) -> None:
    assert f"/parameters/{word}" in refused({word: said})


def overlapping(depth: int, count: int) -> dict[str, Any]:
    """References to schemas that are each in the one before."""
    inner: dict[str, Any] = {"properties": {f"p{number}": {} for number in range(count)}}
    for _ in range(depth):
        inner = {"not": inner}
    references = {f"q{at}": {"$ref": f"#/properties/x{'/not' * at}"} for at in range(depth)}
    return {"properties": {"x": inner, **references}}


def test_references_to_parts_that_are_in_each_other_are_bounded_by_their_sizes_together() -> None:
    check_tools([Tool("t", "", overlapping(10, 5_000))])
    assert "its references point to more than 200000 values" in refused(overlapping(100, 10_000))


@pytest.mark.parametrize(
    "word",
    [
        lambda reference: reference,
        lambda reference: {"allOf": [reference]},
        lambda reference: {"if": reference},
        lambda reference: {"dependentSchemas": {"a": reference}},
    ],
)
def test_a_chain_of_references_that_would_exhaust_the_stack_is_refused(
    word: Callable[[Any], Any],
) -> None:
    links = {f"d{at}": word({"$ref": f"#/$defs/d{at + 1}"}) for at in range(5_000)}
    schema = {
        "unevaluatedProperties": False,
        "$ref": "#/$defs/d0",
        "$defs": {**links, "d5000": {"type": "object"}},
    }
    assert "more than 200 schemas in it lead one to the next" in refused(schema)


def test_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "string"}')
    server = socket.create_server(("127.0.0.1", 0))
    server.setblocking(False)
    port = server.getsockname()[1]
    for uri in (schema.as_uri(), f"http://127.0.0.1:{port}/schema.json", "other.json"):
        for where in ({"$ref": uri}, {"properties": {"a": {"$ref": uri + "#/x"}}}):
            assert "points to nothing in it, and none is fetched" in refused(where)
        check_tools([Tool("t", "", {"$schema": uri, "type": "object"})])
    with server, pytest.raises(BlockingIOError):
        server.accept()


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"items": [{"type": "string"}]},
        {"minimum": 1, "exclusiveMinimum": True},
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]},
        {"$schema": "https://example.org/my-own", "type": "object"},
        {"properties": {"a": {"pattern": "^(?!x)[a-z]+$"}}},
        {"properties": {"a": {"format": "no-such-format"}}},
        {"properties": {"n": {"$ref": "#"}}},
        {"default": {"$ref": "http://example.org"}},
    ],
)
def test_schemas_as_they_are_found_are_accepted(schema: Any) -> None:
    check_tools([Tool("t", "", schema)])
