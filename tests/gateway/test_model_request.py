"""Unusual declarations and options of clients reach the model, or are ignored."""

from typing import Any

import pytest

from coderelay.gateway.model_request import matches_format
from tests.gateway.driving import SEARCH, ask, request, script


@pytest.mark.parametrize("odd", [5, {}, None, {"name": 5}])
def test_a_tool_that_is_no_function_may_hold_anything(odd: Any) -> None:
    tools = [SEARCH, {"type": "custom", "function": odd}]
    ask(request(tools=tools), model := script("Hi."))
    assert model.seen[-1]["tools"][1] == tools[1]


def test_a_flat_declaration_is_offered_to_the_model() -> None:
    flat = {"type": "function", "name": "flat", "parameters": {"type": "object"}}
    tools = [{**flat, "allowed_callers": ["direct", "programmatic"]}]
    answer = ask(request(tools=tools), model := script("Hi."))
    function = {"name": "flat", "parameters": {"type": "object"}}
    assert model.seen[-1]["tools"][1] == {"type": "function", "function": function}
    assert answer["choices"][0]["message"]["content"] == "Hi."


@pytest.mark.parametrize("stream", [False, True])
def test_a_flat_declaration_can_be_the_choice(stream: bool) -> None:
    choice = {"type": "function", "function": {"name": "flat"}}
    body = request(tools=[{"type": "function", "name": "flat"}], tool_choice=choice, stream=stream)
    ask(body, model := script("Hi."))
    assert model.seen[-1]["tools"][1] == choice


@pytest.mark.parametrize("said", [None, {}, {"schema": {"type": "object"}}])
def test_a_format_without_a_schema_is_any_object(said: Any) -> None:
    assert matches_format("{}", {"type": "json_object", "json_schema": said})
    assert not matches_format("1", {"type": "json_object", "json_schema": said})


@pytest.mark.parametrize("schema", [5, None, "x", {"type": "odd"}])
def test_no_text_matches_an_invalid_schema(schema: Any) -> None:
    assert not matches_format("{}", {"type": "json_schema", "json_schema": {"schema": schema}})
