"""A property that the declaration of a tool does not have is refused with the nearest name."""

from typing import Any

import pytest

from coderelay.core import Call, Raised, Tool
from coderelay.declare import ToolHost, UndeclaredArguments, names

PERSON = {"type": "object", "properties": {"name": {"type": "string"}, "city": {}}}


def refusal(
    schema: Any,
    arguments: Any,
    language: str = "typescript",
    undeclared: UndeclaredArguments = "refuse",
) -> str:
    """What is wrong with arguments; empty where nothing is."""
    tools = [Tool("find", "", schema)]
    host = ToolHost(tools, names(tools, language), language, undeclared_arguments=undeclared)
    answer = host.answer(Call(0, "find", arguments))
    assert answer is None or isinstance(answer, Raised)
    return "" if answer is None else answer.error.message.partition("\n")[0]


def test_an_undeclared_argument_is_refused_with_the_nearest_declared_name() -> None:
    assert refusal(PERSON, {"name": "a", "citty": 1}) == (
        'find: unexpected property "citty" (did you mean "city"?)'
    )
    assert refusal(PERSON, {"name": "a", "citty": 1}, "python") == (
        'find: unexpected argument "citty" (did you mean "city"?)'
    )
    assert refusal(PERSON, {"zzz": 1}) == 'find: unexpected property "zzz"'


@pytest.mark.parametrize(
    ("schema", "arguments", "typescript", "python"),
    [
        (
            {"properties": {"who": PERSON}},
            {"who": {"nmae": 1}},
            'who: unexpected property "nmae" (did you mean "name"?)',
            'who: unexpected key "nmae" (did you mean "name"?)',
        ),
        (
            {"properties": {"all": {"type": "array", "items": PERSON}}},
            {"all": [{"name": "a"}, {"nmae": 1}]},
            'all[1]: unexpected property "nmae" (did you mean "name"?)',
            'all[1]: unexpected key "nmae" (did you mean "name"?)',
        ),
        (
            {
                "properties": {"a": {"properties": {"b": {"$ref": "#/$defs/p"}}}},
                "$defs": {"p": PERSON},
            },
            {"a": {"b": {"nmae": 1}}},
            'a.b: unexpected property "nmae" (did you mean "name"?)',
            'a["b"]: unexpected key "nmae" (did you mean "name"?)',
        ),
        (
            {"properties": {"who": {"anyOf": [PERSON, {"type": "null"}]}}},
            {"who": {"nmae": 1}},
            'who: unexpected property "nmae" (did you mean "name"?)',
            'who: unexpected key "nmae" (did you mean "name"?)',
        ),
        (
            {"properties": {"map": {"additionalProperties": PERSON}}},
            {"map": {"x": {"nmae": 1}}},
            'map.x: unexpected property "nmae" (did you mean "name"?)',
            'map["x"]: unexpected key "nmae" (did you mean "name"?)',
        ),
    ],
)
def test_an_undeclared_property_of_any_nested_object_is_refused(
    schema: Any, arguments: Any, typescript: str, python: str
) -> None:
    assert refusal(schema, arguments) == f"find: {typescript}"
    assert refusal(schema, arguments, "python") == f"find: {python}"


@pytest.mark.parametrize(
    "schema",
    [
        {**PERSON, "additionalProperties": True},
        {**PERSON, "additionalProperties": {"type": "integer"}},
        {**PERSON, "unevaluatedProperties": True},
        {**PERSON, "unevaluatedProperties": {"type": "integer"}},
        {**PERSON, "patternProperties": {"^a": {}}},
        {**PERSON, "propertyNames": {"maxLength": 9}},
        {**PERSON, "required": ["xyz"]},
        {**PERSON, "dependentRequired": {"city": ["xyz"]}},
        {"type": "object"},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "properties": {}, "allOf": [{"properties": {"xyz": {}}}]},
        {},
        True,
        {"type": "object", "required": ["xyz"]},
        {"patternProperties": {"^a": {}}},
        {"anyOf": [PERSON, {"type": "object"}]},
        {"anyOf": [PERSON, {}]},
        {"oneOf": [{**PERSON, "required": ["name"]}, {"properties": {"xyz": {}}}]},
        {"allOf": [PERSON, {"properties": {"xyz": {}}}]},
        {
            "allOf": [PERSON, {"$ref": "#/$defs/more"}],
            "$defs": {"more": {"properties": {"xyz": {}}}},
        },
        {**PERSON, "if": {"required": ["city"]}, "then": {"properties": {"xyz": {}}}},
        {**PERSON, "dependentSchemas": {"name": {"properties": {"xyz": {}}}}},
    ],
)
def test_what_the_schema_lets_pass_or_some_part_of_it_declares_is_left_alone(schema: Any) -> None:
    assert refusal(schema, {"xyz": 1}) == ""


KEY = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"anyOf": [{"const": {"kind": "all"}}, KEY]}, {"kind": "all"}),
        ({"anyOf": [{"enum": [{"kind": {"a": 1}}, 1]}, KEY]}, {"kind": {"a": 1}}),
        ({"anyOf": [{"$ref": "#/$defs/object"}, {"$ref": "#/$defs/key"}]}, {"x": 1}),
        ({"anyOf": [{"$ref": "#/$defs/any"}, {"$ref": "#/$defs/key"}]}, {"x": 1}),
        ({"anyOf": [{"allOf": [{"type": "object"}]}, KEY]}, {"x": 1}),
        ({"anyOf": [{"type": "object", "properties": {}}, KEY]}, {"x": 1}),
        ({"anyOf": [{"type": "object", "not": {"required": ["id"]}}, KEY]}, {"x": 1}),
        ({"anyOf": [{"type": "object", "required": ["x"]}, KEY]}, {"x": 1, "y": 1}),
        ({"anyOf": [{"nullable": True}, KEY]}, {"x": 1}),
        ({"anyOf": [{"x-kind": "free"}, KEY]}, {"x": {"y": 1}}),
        ({"type": "array", "contains": {"properties": {"a": {}}}}, [{"b": 1}, {"a": 1}]),
        (
            {"type": "array", "items": {"type": "object"}, "contains": {"properties": {"a": {}}}},
            [{"b": 1}, {"a": 1}],
        ),
        (
            {"type": "object", "not": {"properties": {"k": {"const": 1}}, "required": ["k"]}},
            {"c": 1},
        ),
        ({**KEY, "if": {"properties": {"k": {"const": 1}}}}, {"id": "1", "k": 2}),
        (
            {**KEY, "allOf": [{"then": {"properties": {"k": {"properties": {"l": {}}}}}}]},
            {"id": "1", "k": {"l": 1}},
        ),
        ({**KEY, "$ref": "#/$defs/tested"}, {"id": "1", "k": 1}),
    ],
)
def test_what_the_declared_type_has_is_left_alone(schema: Any, value: Any) -> None:
    definitions = {
        "object": {"type": "object"},
        "any": {},
        "key": KEY,
        "tested": {"type": "object", "then": {"type": "object"}},
    }
    assert refusal({"properties": {"f": schema}, "$defs": definitions}, {"f": value}) == ""


@pytest.mark.parametrize(
    "schema",
    [
        {**PERSON, "if": {"additionalProperties": True}, "then": {"required": ["name"]}},
        {**PERSON, "not": {"additionalProperties": {"type": "null"}, "required": ["zz"]}},
        {**PERSON, "allOf": [{"type": "object", "if": {"required": ["name"]}, "then": {}}]},
        {"allOf": [{"$ref": "#/$defs/base"}, {"required": ["name"]}], "$defs": {"base": PERSON}},
        {**PERSON, "anyOf": [{"required": ["name"]}, {"required": ["city"]}, {"minProperties": 0}]},
        {"allOf": [PERSON, {"minProperties": 1}]},
        {"anyOf": [PERSON, {"type": "null"}, {"enum": ["all"]}]},
    ],
)
def test_a_part_that_only_asks_for_more_opens_nothing(schema: Any) -> None:
    assert "unexpected property" in refusal(schema, {"xyz": 1})


def test_what_options_declare_of_one_property_is_taken_together() -> None:
    branches: Any = [{"properties": {"p": {"properties": {each: {}}}}} for each in ("x", "y")]
    assert refusal({"allOf": branches}, {"p": {"x": 1, "y": 2}}) == ""
    assert "p: unexpected" in refusal({"allOf": branches}, {"p": {"z": 1}})


def test_a_setting_lets_all_pass_that_the_schema_does() -> None:
    assert refusal(PERSON, {"xyz": 1}, undeclared="allow") == ""
    closed = {**PERSON, "additionalProperties": False}
    assert "unexpected" in refusal(closed, {"xyz": 1}, undeclared="allow")


def test_an_unknown_choice_is_the_callers_error() -> None:
    with pytest.raises(ValueError, match="choose refuse or allow"):
        refusal(PERSON, {}, undeclared="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("closed", [{}, {"additionalProperties": False}])
def test_a_misspelt_required_name_is_reported_once(closed: dict[str, Any]) -> None:
    schema = {**PERSON, **closed, "required": ["name"]}
    assert refusal(schema, {"nmae": "a"}) == (
        'find: missing required property "name" (you passed "nmae")'
    )


def test_a_schema_that_is_in_itself_is_followed_as_far_as_the_value_goes() -> None:
    schema = {"properties": {"name": {}, "inner": {"$ref": "#"}}}
    fine: dict[str, Any] = {"name": 1}
    for _ in range(100):
        fine = {"inner": fine}
    assert refusal(schema, fine) == ""
    assert "inner.inner: unexpected" in refusal(schema, {"inner": {"inner": {"nmae": 1}}})


@pytest.mark.parametrize("rows", [10, 130_000])
def test_outer_objects_are_looked_at_first_however_much_is_in_inner_ones(rows: int) -> None:
    schema = {
        "properties": {
            "rows": {"type": "array", "items": {"properties": {"id": {}, "next": {}}}},
            "opts": {"properties": {"dry_run": {}}},
        }
    }
    arguments = {"rows": [{"idd": 1}] * rows, "opts": {"dryrun": True}}
    assert refusal(schema, arguments).startswith(
        'find: opts: unexpected property "dryrun" (did you mean "dry_run"?)'
    )


def test_arguments_that_cannot_be_checked_completely_are_refused() -> None:
    options = [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/y"}]
    big: dict[str, Any] = {"properties": {f"x{number}": {} for number in range(8_000)}}
    schema = {
        "properties": {
            f"p{number}": {"anyOf": [*options, {"properties": {f"z{number}": {}}}]}
            for number in range(100)
        },
        "$defs": {"x": big, "y": dict(big)},
    }
    assert refusal(schema, {f"p{number}": {} for number in range(100)}) == (
        "find: it would take too long to check these arguments: pass less at once"
    )


def test_a_tool_whose_properties_are_empty_takes_no_arguments() -> None:
    nothing: dict[str, Any] = {"type": "object", "properties": {}}
    assert refusal(nothing, {}) == ""
    said = 'find takes no arguments, got "xyz": call find'
    assert refusal(nothing, {"xyz": 1}) == f"{said}({{}})"
    assert refusal(nothing, {"xyz": 1}, "python") == f"{said}()"
    assert refusal(nothing, {"xyz": 1}, undeclared="allow") == ""
    assert refusal({"properties": {"inner": nothing}}, {"inner": {"xyz": 1}}) == ""
