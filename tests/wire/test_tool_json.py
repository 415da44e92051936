"""A tool can be declared in any form that clients already have."""

import pytest

from coderelay.core import InvalidTool, Json, Tool
from coderelay.wire import tools_from_json

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
ANSWER = {"type": "string"}
EXPECTED = Tool("search", "Searches.", SCHEMA, ANSWER)
NAMED = {"name": "search", "description": "Searches."}


@pytest.mark.parametrize(
    "declared",
    [
        {**NAMED, "parameters": SCHEMA, "returns": ANSWER},
        {
            "type": "function",
            "function": {**NAMED, "parameters": SCHEMA, "strict": True},
            "output_schema": ANSWER,
        },
        {"type": "function", "function": {**NAMED, "parameters": SCHEMA, "output": ANSWER}},
        {"type": "function", **NAMED, "parameters": SCHEMA, "output_schema": ANSWER},
        {**NAMED, "input_schema": SCHEMA, "output_schema": ANSWER},
        {"type": "custom", **NAMED, "input_schema": SCHEMA, "output_schema": ANSWER},
        {**NAMED, "inputSchema": SCHEMA, "outputSchema": ANSWER, "annotations": {}},
    ],
    ids=["ours", "chat", "chat inside", "responses", "anthropic", "anthropic typed", "mcp"],
)
def test_every_form_declares_the_same_tool(declared: Json) -> None:
    assert tools_from_json([declared]) == (EXPECTED,)


def test_an_mcp_listing_is_taken_as_it_is() -> None:
    assert tools_from_json({"tools": [{**NAMED, "inputSchema": SCHEMA}]})[0].parameters == SCHEMA


def test_a_declaration_needs_only_a_name() -> None:
    assert tools_from_json([{"name": "now", "description": None}]) == (Tool("now"),)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (3, "declared as a list"),
        ([3], "tool 0 is not an object"),
        ([{"name": ""}], "tool 0 has no 'name'"),
        ([{"type": "web_search"}], "only function tools can be called by a program"),
        ([{"type": "function", "function": 3}], "'function' of tool 0"),
        ([{"name": "f", "description": 3}], "'description' of tool 'f'"),
        ([{"name": "f", "parameters": 3}], "'parameters' of tool 'f' is not a JSON Schema"),
        ([{"name": "f", "outputSchema": []}], "'outputSchema' of tool 'f' is not a JSON Schema"),
    ],
)
def test_an_invalid_declaration_is_refused_with_tool_and_field(
    declared: Json, message: str
) -> None:
    with pytest.raises(InvalidTool) as raised:
        tools_from_json(declared)
    assert message in str(raised.value)
