"""The same tool, call and output in three APIs, as dicts and as objects of the SDKs."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import anthropic
import pytest
from anthropic.types import ToolUseBlock
from openai.types.chat import ChatCompletionMessageToolCall
from openai.types.responses import FunctionTool, ResponseFunctionToolCall

from coderelay.core import InvalidTool, Tool
from coderelay.session import api_shapes

CITY: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
ABOUT: dict[str, Any] = {"name": "get_weather", "description": "The weather."}
WEATHER = Tool("get_weather", "The weather.", CITY)


@dataclass
class Plain:
    """An object that has only attributes."""

    name: str = "get_weather"
    description: str = "The weather."
    input_schema: Any = field(default_factory=lambda: CITY)


FUNCTIONS = {
    "responses": {"type": "function", **ABOUT, "parameters": CITY, "strict": True},
    "chat": {"type": "function", "function": {**ABOUT, "parameters": CITY}},
    "anthropic": {**ABOUT, "input_schema": CITY, "cache_control": {"type": "ephemeral"}},
    "anthropic, typed": {"type": "custom", **ABOUT, "input_schema": CITY},
    "mcp": {**ABOUT, "inputSchema": CITY},
    "an openai object": FunctionTool(type="function", **ABOUT, parameters=CITY, strict=False),
    "an object in a dict": {
        "type": "function",
        "function": SimpleNamespace(**ABOUT, parameters=CITY),
    },
    "any object": Plain(),
    "ours": WEATHER,
    "ours, of a function": SimpleNamespace(declaration=WEATHER),
}

OTHERS: tuple[Any, ...] = (
    {"type": "web_search"},
    {"type": "web_search_20250305", "name": "web_search"},
    {"type": "mcp", "server_label": "x", "server_url": "http://127.0.0.1"},
    {"type": "custom", "name": "grammar", "format": {"type": "text"}},
    {"type": "custom", "custom": {"name": "grammar"}},
    {"type": "namespace", "name": "crm", "tools": [FUNCTIONS["responses"]]},
    {"google_search": {}},
    SimpleNamespace(type="file_search"),
)


@pytest.mark.parametrize("form", FUNCTIONS)
def test_a_function_is_read_in_any_form(form: str) -> None:
    assert api_shapes.split_tools([FUNCTIONS[form]]).functions == (WEATHER,)


def test_a_function_as_the_anthropic_sdk_makes_it_is_one() -> None:
    @anthropic.beta_tool
    def get_weather(city: str) -> str:
        """The weather."""
        return city

    (found,) = api_shapes.split_tools([get_weather]).functions
    assert (found.name, found.description) == ("get_weather", "The weather.")
    assert isinstance(found.parameters, dict)
    assert found.parameters["required"] == ["city"]


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_a_tool_that_is_not_a_function_is_passed_on_unchanged(other: Any) -> None:
    found = api_shapes.split_tools([other])
    assert found.functions == ()
    assert found.others[0] is other


def test_the_code_tool_takes_the_place_of_the_first_function() -> None:
    first, last = OTHERS[0], OTHERS[1]
    found = api_shapes.split_tools([first, FUNCTIONS["chat"], last])
    assert (found.before, found.after) == ((first,), (last,))


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "function"},
        {"type": "function", "name": 3},
        {"type": "function", "name": "x", "parameters": "y"},
        {"type": "function", "function": {"name": "x", "parameters": [1]}},
        {"name": "x", "input_schema": "y"},
        {},
        "get_weather",
        print,
        None,
    ],
    ids=repr,
)
def test_a_function_that_is_not_declared_correctly_is_refused(broken: Any) -> None:
    with pytest.raises(InvalidTool):
        api_shapes.split_tools([broken])


CODE = '{"code": "1"}'
FUNCTION: dict[str, Any] = {"name": "python", "arguments": CODE}
USE = {"type": "tool_use", "id": "c1", "name": "python", "input": {"code": "1"}}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "two"}
MESSAGE = {"role": "tool", "tool_call_id": "c1", "content": "two"}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "two"}
CALLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "responses": ({"type": "function_call", "call_id": "c1", **FUNCTION}, OUTPUT),
    "responses, an object": (
        ResponseFunctionToolCall(type="function_call", call_id="c1", id="fc_1", **FUNCTION),
        OUTPUT,
    ),
    "chat": ({"id": "c1", "type": "function", "function": FUNCTION}, MESSAGE),
    "chat without a type": ({"id": "c1", "function": FUNCTION}, MESSAGE),
    "chat, an object": (
        ChatCompletionMessageToolCall.model_validate(
            {"id": "c1", "type": "function", "function": FUNCTION}
        ),
        MESSAGE,
    ),
    "anthropic": (USE, RESULT),
    "anthropic, an object": (ToolUseBlock.model_validate(USE), RESULT),
}


@pytest.mark.parametrize("form", CALLS)
def test_a_call_is_answered_in_its_own_form(form: str) -> None:
    item, output = CALLS[form]
    tool_use = api_shapes.read_tool_use(item)
    assert tool_use is not None
    assert tool_use.name == "python"
    assert tool_use.arguments in (CODE, {"code": "1"})
    assert tool_use.reply("two", False) == output


@pytest.mark.parametrize("form", CALLS)
def test_only_anthropic_has_a_field_for_errors(form: str) -> None:
    item, output = CALLS[form]
    tool_use = api_shapes.read_tool_use(item)
    assert tool_use is not None
    failed = {**output, "is_error": True} if "anthropic" in form else output
    assert tool_use.reply("two", True) == failed


@pytest.mark.parametrize(
    "item",
    [
        {"type": "message", "role": "assistant", "content": []},
        {"type": "reasoning", "id": "rs_1"},
        {"type": "text", "text": "python"},
        {"type": "function_call", "call_id": "c1"},
        {"type": "function_call", "call_id": "c", "name": "python", "namespace": "crm"},
        {**USE, "toolset_name": "crm"},
        {"type": "custom", "id": "c1", "custom": {"name": "python", "input": "1"}},
        {"role": "assistant", "content": "x"},
        "python",
        None,
        7,
        [],
    ],
    ids=repr,
)
def test_an_item_that_is_not_a_call_returns_none(item: Any) -> None:
    assert api_shapes.read_tool_use(item) is None


@pytest.mark.parametrize("api", api_shapes.APIS)
def test_our_tool_is_a_function_of_its_api(api: str) -> None:
    tool = api_shapes.declaration_for(api, WEATHER)
    assert api_shapes.name_of(tool) == "get_weather"
    assert api_shapes.split_tools([tool]).functions == (WEATHER,)
