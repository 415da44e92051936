"""A call with arguments that do not match its tool's schema is answered by the host, not the
client."""

from typing import Any

import pytest
from hypothesis import given, settings

from coderelay.core import Call, CallError, CallHost, InvalidTool, Raised, Tool, Work
from coderelay.declare import ToolHost, check_tools, names
from coderelay.schemas.validation import SchemaCompiler, TooCostly, Walk
from tests.declare.processes import printed
from tests.declare.schemas import arbitrary, deep_list, objects

SEARCH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1},
        "unit": {"enum": ["day", "week"]},
        "filters": {
            "type": "object",
            "properties": {"tags": {"type": "array", "items": {"type": "string"}}},
            "additionalProperties": False,
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}
SHAPES = {
    "properties": {
        "shape": {
            "oneOf": [
                {
                    "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
                    "required": ["r"],
                },
                {
                    "properties": {"kind": {"const": "box"}, "w": {"type": "number"}},
                    "required": ["w"],
                },
            ]
        }
    }
}
TOOLS = [Tool("web_search", "", SEARCH), Tool("ping"), Tool("draw", "", SHAPES)]


def host(language: str = "typescript", tools: list[Tool] = TOOLS) -> ToolHost:
    return ToolHost(tools, names(tools, language), language)


def error(name: str, arguments: Any, language: str = "typescript") -> CallError:
    answer = host(language).answer(Call(0, name, arguments))
    assert isinstance(answer, Raised)
    return answer.error


def find_error(schema: Any, arguments: Any) -> str | None:
    tools = [Tool("t", "", schema)]
    answer = host(tools=tools).answer(Call(0, "t", arguments))
    assert answer is None or isinstance(answer, Raised)
    return None if answer is None else answer.error.message


def test_a_call_that_fits_is_left_to_the_client() -> None:
    answering: CallHost = host()
    for arguments in ({"query": "x"}, {"query": "x", "limit": 5.0}):
        assert answering.answer(Call(0, "web_search", arguments), Work()) is None


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"query": "x", "limit": "ten"}, 'limit must be integer, got string "ten"'),
        ({"query": "x", "limit": 0}, "limit must be at least 1, got integer 0"),
        ({"query": None}, "query must be string, got null"),
        ({}, 'missing required property "query"'),
        ({"querry": "x"}, 'missing required property "query" (you passed "querry")'),
        ({"query": "x", "limt": 1}, 'unexpected property "limt" (did you mean "limit"?)'),
        ({"query": "x", "zzz": 1}, 'unexpected property "zzz"'),
        ({"query": "x", "unit": "year"}, 'unit must be one of "day", "week", got string "year"'),
        ({"query": "x", "filters": {"tags": ["a", 5]}}, "filters.tags[1] must be string"),
        (
            {"query": "x", "filters": {"tag": []}},
            'filters: unexpected property "tag" (did you mean',
        ),
    ],
)
def test_an_argument_error_says_what_and_where(arguments: Any, reason: str) -> None:
    message = error("web_search", arguments)
    assert message.kind == "arguments"
    assert message.name == "ArgumentsError"
    assert message.message.startswith("webSearch: ")
    assert reason in message.message
    assert "\nexpected: webSearch(args: { query: string; limit?: number; " in message.message


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ({"kind": "box", "w": "1"}, 'shape.w must be number, got string "1"'),
        ({"kind": "circle"}, 'shape: missing required property "r"'),
        ({"kind": "star"}, "shape must fit one of its alternatives"),
    ],
)
def test_the_most_likely_option_of_a_choice_is_reported(shape: Any, reason: str) -> None:
    assert reason in error("draw", {"shape": shape}).message


def test_an_argument_error_in_python_uses_pythons_words() -> None:
    message = error("web_search", {"query": "x", "limit": "ten"}, "python").message
    assert message.startswith('web_search: limit must be integer, got string "ten"\n')
    assert "expected: web_search(*, query: str, limit: int = ..., " in message


@pytest.mark.parametrize(
    ("arguments", "got"), [(["x", 1], 'array ["x", 1]'), ("x", 'string "x"'), (None, "null")]
)
def test_arguments_that_are_not_an_object_are_answered_with_an_example(
    arguments: Any, got: str
) -> None:
    message = error("web_search", arguments).message
    assert message == f'webSearch takes one object, got {got}: call webSearch({{ query: "..." }})'


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("web_serch", "there is no tool 'web_serch'; nearest: webSearch"),
        ("webSearch", "there is no tool 'webSearch'; nearest: webSearch"),
        ("zzz", "there is no tool 'zzz'; the tools are: webSearch, ping, draw"),
    ],
)
def test_an_unknown_tool_is_answered_with_the_nearest(name: str, message: str) -> None:
    assert error(name, {}) == CallError(message, name="UnknownToolError")


def test_a_message_is_bounded() -> None:
    many = {f"p{each}": {"type": "integer"} for each in range(500)}
    message = find_error({"properties": many}, dict.fromkeys(many, "x" * 10_000))
    assert message is not None
    assert message.count("must be integer") == 3
    assert len(message) <= 1_500
    assert len(error("x" * 100_000, {}).message) < 1_000


@pytest.mark.parametrize(
    ("draft", "fits"),
    [("http://json-schema.org/draft-07/schema#", False), ("https://example.org/mine", True)],
)
def test_the_draft_that_a_schema_names_is_the_one_it_is_read_by(draft: str, fits: bool) -> None:
    schema = {"$schema": draft, "properties": {"x": {"prefixItems": [{"type": "string"}]}}}
    assert (find_error(schema, {"x": [1]}) is None) is not fits


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(?=a)(a|a|aa)+(?=c)b"])
def test_a_hostile_pattern_does_not_hang(pattern: str) -> None:
    find_error({"properties": {"x": {"pattern": pattern}}}, {"x": "a" * 50_000 + "b"})


def test_a_pattern_that_cannot_be_decided_holds_no_call_back() -> None:
    schema = {"properties": {"x": {"pattern": "^(?=a)(a|a|aa)+(?=c)b"}}}
    assert find_error(schema, {"x": "a" * 3_000 + "b"}) is None


def test_formats_are_not_checked() -> None:
    assert find_error({"properties": {"x": {"format": "email"}}}, {"x": "no"}) is None


@pytest.mark.parametrize(("text", "pattern"), [("bx", "^a"), ("ax", "b$"), ("a", "b$")])
def test_of_two_patterns_the_one_that_does_not_match_is_reported(text: str, pattern: str) -> None:
    schema = {"allOf": [{"pattern": "^a"}, {"pattern": "b$"}, {"pattern": "."}]}
    message = find_error({"properties": {"x": schema}}, {"x": text})
    assert message is not None
    assert f'x must match the pattern "{pattern}"' in message


def test_a_recurring_schema_and_a_deep_value_do_not_hang() -> None:
    inner = {"properties": {"n": {"$ref": "#"}}, "required": ["x"]}
    value: dict[str, Any] = {}
    for _ in range(200):
        value = {"n": value, "x": 1}
    message = find_error({"anyOf": [inner, {**inner, "minProperties": 2}]}, value)
    assert message is not None
    assert message.startswith("t: the arguments do not fit\n")


def test_a_value_nested_too_deep_is_refused() -> None:
    message = find_error(
        {"properties": {"x": {"items": {"$ref": "#/properties/x"}}}}, {"x": deep_list(5_000)}
    )
    assert message == "t: the arguments are nested more than 256 levels deep"


@pytest.mark.parametrize(
    "definitions",
    [
        {"a": {"$ref": "#"}},
        {"a": {"title": "a", "$ref": "#/$defs/b"}, "b": {"title": "b", "$ref": "#/$defs/a"}},
    ],
)
def test_schemas_that_are_each_other_end_the_search_for_what_none_looked_at(
    definitions: dict[str, Any],
) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "$ref": "#/$defs/a",
        "unevaluatedProperties": False,
        "$defs": definitions,
    }
    message = find_error(schema, {"b": 1})
    assert message is not None
    assert message.startswith('t: unexpected property "b"\n')
    assert find_error(schema, {"a": 1}) is None


def test_a_search_for_what_no_schema_looked_at_has_a_depth_at_which_it_ends() -> None:
    definitions: dict[str, Any] = {
        f"d{number}": {
            "anyOf": [True, {"$ref": f"#/$defs/d{number + 1}"}],
            "unevaluatedProperties": False,
        }
        for number in range(300)
    }
    schema = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d300": {"properties": {"a": {}}}}}
    walk = Walk(500_000)
    with pytest.raises(TooCostly):
        walk.fits(SchemaCompiler(schema, 2020).root, {"a": 1})


def test_half_a_surrogate_pair_is_reported() -> None:
    message = find_error({"properties": {"x": {"maxLength": 1}}}, {"x": "\ud800\ud800"})
    assert message is not None
    assert "surrogate" in message


@given(schema=objects, arguments=arbitrary)
@settings(max_examples=50, deadline=None)
def test_any_call_of_any_tool_is_answered_and_answered_the_same(
    schema: Any, arguments: Any
) -> None:
    tools = [Tool("t", "", schema)]
    try:
        check_tools(tools)
    except InvalidTool:
        return
    for language in ("typescript", "python"):
        call = Call(0, "t", arguments)
        first = host(language, tools).answer(call)
        assert first == host(language, tools).answer(call)
        if first is not None:
            assert isinstance(first, Raised)
            first.error.message.encode()


def test_the_answer_is_the_same_in_every_process() -> None:
    script = (
        "from tests.declare.test_argument_check import *\n"
        "many = {f'p{each}': each for each in range(20)}\n"
        "print(error('web_search', {**many, 'limit': 'x', 'unit': 1}).message)"
    )
    assert len(printed(script)) == 1
