"""A model looks its tools up as code: help, dir, search, a file."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderelay.core import InvalidTool, Tool
from coderelay.session import ToolIsCode
from tests.declare.schemas import objects, plausible
from tests.session.sessions import ADD, NUMBER, TEXT, TOOLS, function, run, session

MANY = [
    function(f"{verb}_{noun}", f"{verb.title()} a {noun}. It takes a while.", id=TEXT)
    for noun in ("invoice", "forecast", "ticket", "customer", "contract", "parcel")
    for verb in ("create", "read", "update", "delete", "list")
] + [ADD]


@pytest.fixture(scope="module")
def tic() -> Iterator[ToolIsCode]:
    with session() as tic:
        run(tic, "import sdk, inspect")
        yield tic


def test_help_shows_the_signature_the_description_and_the_types(tic: ToolIsCode) -> None:
    text = run(tic, "help(sdk.get_weather)")
    assert "Help on function get_weather in module sdk:" in text
    assert "get_weather(*, city: str, place: " in text
    assert "The weather of a city. Metric." in text
    assert "class GetWeatherPlace(TypedDict):" in text


def test_help_of_the_module_explains_how_to_use_it(tic: ToolIsCode) -> None:
    text = run(tic, "help(sdk)")
    assert 'sdk.search("weather forecast")' in text
    assert "add_numbers(*, a: float, b: float)" in text


def test_dir_lists_the_tools(tic: ToolIsCode) -> None:
    assert run(tic, "[name for name in dir(sdk) if name.islower() and name[0] != '_']") == (
        "['add_numbers', 'echo', 'gather', 'get_weather', 'search']"
    )


def test_search_finds_tools_and_shows_how_to_call_them(tic: ToolIsCode) -> None:
    assert run(tic, "sdk.search('weather')") == (
        "get_weather(*, city: str, place: GetWeatherPlace = ...)\n    The weather of a city."
    )
    assert run(tic, "sdk.search('weather')[0]['name']") == "'get_weather'"
    assert run(tic, "sdk.search('zzz')") == "[]"
    assert "sdk.search takes words" in run(tic, "sdk.search(3)")


def test_the_declarations_can_be_read_as_a_file(tic: ToolIsCode) -> None:
    assert run(tic, "'def get_weather(*, city: str' in open('sdk.py').read()") == "True"
    assert run(tic, "compile(open('sdk.py').read(), 'sdk.py', 'exec') is None") == "False"


def test_functions_are_functions(tic: ToolIsCode) -> None:
    assert run(tic, "inspect.isfunction(sdk.echo), sdk.echo.__name__") == "(True, 'echo')"
    assert run(tic, "list(inspect.signature(sdk.get_weather).parameters)") == "['city', 'place']"
    assert run(tic, "'def echo' in inspect.getsource(sdk.echo)") == "True"
    assert run(tic, "sdk.echo is sdk.echo") == "True"
    assert run(tic, "__import__('typing').get_type_hints(sdk.add_numbers)['a']") == (
        "<class 'float'>"
    )


def test_tools_can_be_imported_by_name_and_all_together(tic: ToolIsCode) -> None:
    assert run(tic, "from sdk import add_numbers\nadd_numbers(a=1, b=2)") == "3"
    assert run(tic, "from sdk import *\necho(value=get_weather(city='X')['city'])") == "'X'"
    assert "ImportError" in run(tic, "from sdk import nothing")


def test_an_unknown_tool_is_reported_with_the_nearest_names(tic: ToolIsCode) -> None:
    text = run(tic, "sdk.get_wether")
    assert "AttributeError: there is no tool 'get_wether'; nearest: get_weather" in text
    assert run(tic, "hasattr(sdk, 'nothing'), hasattr(sdk, '__path__')") == "(False, False)"


def test_a_tool_may_be_called_anything() -> None:
    names = ["search", "gather", "web-search", "getWeather", "class", "3d", "", "ToolError", "_x"]
    odd = {"from": TEXT, "self": NUMBER, "args": NUMBER, "name": TEXT, "x-y": NUMBER}
    tools = [function(name, **odd) for name in names if name]
    seen: list[str] = []

    def callback(req_id: str, name: str, arguments: Any) -> Any:
        seen.append(name)
        return arguments

    given = "**{'from': 'a', 'self': 1, 'args': 2, 'name': 'n', 'x-y': 3}"
    with session(callback, tools=tools) as tic:
        for name in ("search_2", "gather_2", "web_search", "get_weather", "getWeather"):
            assert run(tic, f"import sdk\nsdk.{name}({given})['x-y']") == "3"
        assert run(tic, f"sdk.class_2({given})['self'], sdk.tool_3d({given})['args']") == "(1, 2)"
        assert run(tic, f"sdk.getWeather.later({given}).name") == "'get_weather'"
    assert seen[:5] == ["search", "gather", "web-search", "getWeather", "getWeather"]


def test_a_tool_may_be_called_like_a_part_of_the_module() -> None:
    names = ["linecache", "_names", "_tools", "_invoke", "_load", "iterable", "Found", "__dir__"]
    with session(lambda *arguments: arguments[1], tools=[function(name) for name in names]) as tic:
        run(tic, "import sdk")
        for identifier, name in zip(
            ("linecache", "names", "tools_2", "invoke", "load", "iterable", "found", "dir_2"),
            names,
            strict=True,
        ):
            assert run(tic, f"sdk.{identifier}()") == repr(name)
        assert run(tic, "len(sdk.__all__), sdk.names() == sdk.gather(sdk.names.later())[0]") == (
            f"({len(names) + 2}, True)"
        )


def test_the_types_of_a_tool_can_be_had_once_it_was_used(tic: ToolIsCode) -> None:
    assert run(tic, "sdk.get_weather\nsdk.GetWeatherPlace.__annotations__['lat']") == (
        "<class 'float'>"
    )


def test_gather_makes_its_calls_in_one_batch_and_keeps_their_order(tic: ToolIsCode) -> None:
    code = "sdk.gather(*(sdk.add_numbers.later(a=n, b=1) for n in range(100))) == [*range(1, 101)]"
    assert run(tic, code) == "True"
    assert run(tic, "sdk.gather([sdk.echo.later(value=n) for n in 'ab'])") == "['a', 'b']"
    assert run(tic, "a, b = sdk.gather(sdk.echo.later('x'), sdk.add_numbers.later(1, 2)); b") == "3"
    assert run(tic, "sdk.gather()") == "[]"


def test_gather_raises_the_first_error_or_returns_them_all(tic: ToolIsCode) -> None:
    calls = "sdk.echo.later(value=1), sdk.get_weather.later(city='Atlantis'), sdk.echo.later()"
    told = run(tic, f"sdk.gather({calls})")
    assert "\nsdk.ToolError (LookupError): no such city\n" in told
    assert told.endswith('do not repeat those that change something: echo({"value":1}).')
    code = f"one, two, three = sdk.gather({calls}, return_errors=True)\n"
    assert run(tic, f"{code}one, two.message, isinstance(three, sdk.ArgumentsError)") == (
        "(1, 'no such city', True)"
    )


def test_gather_explains_which_arguments_it_takes(tic: ToolIsCode) -> None:
    text = run(tic, "sdk.gather(sdk.echo(value=1), sdk.echo(value=2))")
    assert "TypeError: gather takes calls that are not made yet, and not int" in text
    assert "sdk.NAME.later(" in text
    assert "give it to sdk.gather" in run(tic, "sdk.echo.later(value=1)")


def test_few_tools_are_declared_and_many_are_listed() -> None:
    with session() as few:
        assert "def get_weather(\n" in few.instructions or "def get_weather(*" in few.instructions
        assert 'answer = sdk.get_weather(city="...")' in few.instructions
    with session(tools=MANY, declarations=500) as many:
        assert "def create_invoice" not in many.instructions
        assert "create_invoice" in many.instructions
        assert len(many.instructions) < len(few.instructions) + 500 * 4


def test_the_instructions_say_how_to_keep_and_what_is_limited() -> None:
    with session(output=5_000) as tic:
        text = tic.instructions
    for said in ("5,000 characters", "256 MB", "1,000 tool calls", "variables or files", "gather("):
        assert said in text


def test_every_tool_can_be_called_though_it_was_only_listed() -> None:
    with session(lambda *arguments: arguments[1], tools=MANY, declarations=100) as tic:
        code = "import sdk\nfound = sdk.search('update a parcel')[0]['name']\n"
        assert run(tic, f"{code}getattr(sdk, found)(id='7')") == "'update_parcel'"
        assert run(tic, "len(sdk.search('delete', limit=3))") == "3"


def test_equal_tools_give_equal_instructions() -> None:
    with session(tools=TOOLS) as one, session(tools=[dict(each) for each in TOOLS]) as two:
        assert one.instructions == two.instructions


TREE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/node"}, "x-y": {"$ref": "#/$defs/leaf"}},
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "inner": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                "a-b": {"$ref": "#/$defs/leaf"},
            },
        },
        "leaf": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/leaf"}}, NUMBER]},
    },
}


def test_types_that_name_each_other_do_not_keep_a_tool_from_being_called() -> None:
    tool = {"type": "function", "name": "plant", "parameters": TREE}
    with session(lambda *arguments: arguments[2], tools=[tool]) as tic:
        code = "import sdk\nsdk.plant(root={'inner': [{'a-b': [[1]]}]})"
        assert run(tic, code) == "{'root': {'inner': [{'a-b': [[1]]}]}}"
        assert "PlantNode" in run(tic, "help(sdk.plant)")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(parameters=objects, returns=plausible, description=st.text(max_size=20))
def test_any_schema_makes_a_function_that_can_be_looked_at(
    parameters: Any, returns: Any, description: str
) -> None:
    try:
        tic = session(tools=[Tool("odd", description, parameters, returns)])
    except InvalidTool:
        return
    with tic:
        assert "Help on function odd in module sdk:" in run(tic, "import sdk\nhelp(sdk.odd)")
        assert run(tic, "sdk.odd is sdk.odd") == "True"
        tic.instructions.encode()
