"""The model's code runs in a live session, and the model gets an answer to whatever it wrote."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import coderelay
from coderelay.core import InvalidTool
from coderelay.session import LiveLimits, ToolIsCode
from tests.session.sessions import ADD, TOOLS, WEATHER, Answers, call, function, run, session


@pytest.fixture(scope="module")
def shared() -> Iterator[ToolIsCode]:
    """One session for the tests that leave nothing behind which another would see."""
    with session() as tic:
        run(tic, "import sdk")
        yield tic


def test_variables_functions_and_imports_stay(shared: ToolIsCode) -> None:
    assert run(shared, "import math\ndef double(n):\n    return 2 * n\nkept = 21") == "(no output)"
    assert run(shared, "double(kept), math.floor(2.5)") == "(42, 2)"


def test_a_fence_around_the_code_is_removed(shared: ToolIsCode) -> None:
    assert run(shared, "```python\nprint(1)\n2\n```") == "1\n2"
    assert "line 2, in <module>" in run(shared, "```py\n1 / 0\n```\n")


def test_the_output_has_what_is_printed_and_the_last_value(shared: ToolIsCode) -> None:
    assert run(shared, "print('one')\n'two'") == "one\n'two'"


def test_a_tool_is_called_and_its_answer_stays_in_a_variable() -> None:
    answers = Answers()
    with session(answers) as tic:
        assert run(tic, "import sdk\nreport = sdk.get_weather(city='Rome')") == "(no output)"
        assert run(tic, "report['temperature']") == "4"
        assert run(tic, "sdk.add_numbers(1, b=2.5)") == "3.5"
    assert [(name, given) for _, name, given in answers.calls] == [
        ("get_weather", {"city": "Rome"}),
        ("add_numbers", {"a": 1, "b": 2.5}),
    ]


@pytest.mark.parametrize("value", ["'3'", "'{\"a\": 1}'", "3", "None", "[1, {'a': [None]}]", "''"])
def test_a_string_arrives_as_that_string_and_all_else_as_its_value(
    shared: ToolIsCode, value: str
) -> None:
    assert run(shared, f"sdk.echo(value={value}) == {value}") == "True"
    assert run(shared, f"type(sdk.echo({value})) is type({value})") == "True"


@pytest.mark.parametrize(
    "code",
    [
        "await sdk.echo(value={})",
        "await asyncio.gather(sdk.echo(value=1), sdk.echo(value=2))",
        "asyncio.run(sdk.echo(value=None))",
        "asyncio.create_task(sdk.echo(value='x'))",
    ],
)
def test_code_that_awaits_a_tool_learns_that_the_call_was_made(
    shared: ToolIsCode, code: str
) -> None:
    said = run(shared, f"import sdk\n{code}")
    assert "TypeError" in said and "it was carried out" in said and "`await`" in said


def test_a_tool_that_fails_raises_in_the_program(shared: ToolIsCode) -> None:
    code = (
        "try:\n    sdk.get_weather(city='Atlantis')\nexcept sdk.ToolError as error:\n    "
        "print(error.message, error.tool, isinstance(error, ToolError))"
    )
    assert run(shared, code) == "no such city get_weather True"
    text = run(shared, "x = 1\nsdk.get_weather(city='Atlantis')")
    assert text.endswith("sdk.ToolError (LookupError): no such city")
    assert "line 2" in text
    assert "sdk.py" not in text


def test_arguments_that_do_not_fit_never_reach_the_callback() -> None:
    answers = Answers()
    with session(answers) as tic:
        text = run(tic, "import sdk\nsdk.get_weather(cty='Rome')")
        assert 'missing required argument "city"' in text
        assert "expected: get_weather(*, city: str, place: GetWeatherPlace = ...)" in text
        text = run(tic, "sdk.get_weather(city='Rome', place={'lat': 'north'})")
        assert 'place["lat"]' in text
        code = "try:\n    sdk.add_numbers(a=1)\nexcept sdk.ArgumentsError as e:\n    print(e.tool)"
        assert run(tic, code) == "add_numbers"
        assert "two values" in run(tic, "sdk.add_numbers(1, 2, a=3)")
        assert "takes 2 arguments (a, b), not 3" in run(tic, "sdk.add_numbers(1, 2, 3)")
        assert "TypeError" in run(tic, "sdk.echo(value=object())")
    assert not answers.calls


def test_a_default_of_dots_is_left_out() -> None:
    answers = Answers()
    with session(answers) as tic:
        run(tic, "import sdk\nsdk.get_weather(city='Rome', place=...)")
    assert answers.calls[0][2] == {"city": "Rome"}


BROKEN: list[tuple[Any, str]] = [
    ("{", "are not valid JSON"),
    ("print(1)", "are not valid JSON"),
    ("", "are not valid JSON"),
    ('"print(1)"', "are a string"),
    ("[1]", "are a list"),
    ("null", "are null"),
    ("{}", "have no text 'code'"),
    ('{"code": 3}', "have no text 'code'"),
    ('{"source": "print(1)"}', "have no text 'code'"),
    ("[" * 5_000, "are not valid JSON"),
    (None, "are null"),
    (7, "are a number"),
    ({"code": ["x"]}, "have no text 'code'"),
]


@pytest.mark.parametrize(("arguments", "said"), BROKEN, ids=[repr(each[0])[:30] for each in BROKEN])
def test_wrong_arguments_are_reported_to_the_model(
    shared: ToolIsCode, arguments: Any, said: str
) -> None:
    output = shared.tool_call({**call(""), "arguments": arguments})
    assert output is not None
    assert f"The arguments of `python` {said}" in output["output"]
    assert '{"code": "print(1 + 1)"}' in output["output"]


CODE = [
    ("x ===", "SyntaxError"),
    ("raise ValueError('no')", "ValueError: no"),
    ("1 / 0", "ZeroDivisionError"),
    ("import nothing_of_that_name", "ModuleNotFoundError"),
    ("raise SystemExit", ""),
    ("raise SystemExit(3)", ""),
    ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("raise BaseException('x')", "BaseException: x"),
    ("\ud800", ""),
    ("'\\ud800'", "\\ud800"),
    ("print('\\ud800')", ""),
    ("\0", ""),
    ("", "(no output)"),
    ("# nothing", "(no output)"),
    ("import sdk\nsdk._invoke([('nope', {})])", "UnknownToolError"),
    ("import sdk\nsdk._invoke([('echo', [1])])", "ArgumentsError"),
    ("import sdk\nsdk._invoke([('sdk.search', {'query': 5})])", "ArgumentsError"),
    ("import sdk\nsdk._invoke([('sdk.search', {'query': 'x', 'limit': True})])", "ArgumentsError"),
    ("import sdk\nsdk._invoke([('sdk.source', {'names': 'x'})])", "ArgumentsError"),
    ("import sdk\nsdk._invoke([('sdk.source', {'names': [[]]})])", "UnknownToolError"),
    ("import sdk\nsdk._invoke([('sdk.nothing', {})])", "UnknownToolError"),
    ("import sdk\nsdk._invoke([('', None)])", "UnknownToolError"),
    ("import sdk\nsdk._invoke(3)", "Error"),
]


@pytest.mark.parametrize(("code", "said"), CODE, ids=[each[0][:40] for each in CODE])
def test_whatever_a_model_writes_is_answered(shared: ToolIsCode, code: str, said: str) -> None:
    text = run(shared, code)
    assert said in text
    text.encode()
    assert run(shared, "1 + 1") == "2"


def test_a_failure_is_marked_as_an_error_for_anthropic() -> None:
    with session(api="anthropic") as tic:
        use = {"type": "tool_use", "id": "t1", "name": "python", "input": {"code": "1 / 0"}}
        failed = tic.tool_call(use)
        assert failed is not None
        assert failed["is_error"] is True
        assert "ZeroDivisionError" in failed["content"]
        assert tic.tool_call({**use, "input": {"code": "7"}}) == {
            "type": "tool_result",
            "tool_use_id": "t1",
            "content": "7",
        }


@pytest.mark.parametrize(
    "item",
    [
        call("1", name="get_weather"),
        call("1", name="Python"),
        {"type": "message", "role": "assistant", "content": []},
        {"type": "web_search_call", "id": "ws_1"},
    ],
    ids=["a tool by its own name", "another name", "a message", "a call of another kind"],
)
def test_an_item_that_is_not_a_call_of_the_code_tool_returns_none(
    shared: ToolIsCode, item: Any
) -> None:
    assert shared.tool_call(item) is None


def test_the_tools_are_ours_and_the_others_untouched() -> None:
    search, files = {"type": "web_search"}, {"type": "file_search", "vector_store_ids": ["x"]}
    with session(tools=[search, WEATHER, ADD, files]) as tic:
        before, ours, after = tic.tools
        assert before is search
        assert after is files
        assert (ours["type"], ours["name"], ours["strict"]) == ("function", "python", True)
        tic.tools.clear()
        assert len(tic.tools) == 3
    with session(api="chat") as tic:
        assert tic.tools[0]["function"]["name"] == "python"
    with session(api="anthropic") as tic:
        assert tic.tools[0]["input_schema"]["required"] == ["code"]


def test_a_function_named_like_ours_is_a_function_like_any_other() -> None:
    with session(lambda *arguments: "snake", tools=[function("python")]) as tic:
        assert [tool["name"] for tool in tic.tools] == ["python"]
        assert run(tic, "import sdk\nsdk.python()") == "'snake'"


def test_another_tool_named_like_ours_is_refused_until_ours_is_renamed() -> None:
    other = {"type": "custom", "name": "python"}
    with pytest.raises(InvalidTool, match="name the code tool with name="):
        session(tools=[*TOOLS, other])
    with session(tools=[*TOOLS, other], name="session") as tic:
        assert [tool["name"] for tool in tic.tools] == ["session", "python"]
        assert "`session` runs Python" in tic.instructions
        assert tic.tool_call(call("1")) is None
        output = tic.tool_call(call("1", name="session"))
        assert output is not None
        assert output["output"] == "1"


@pytest.mark.parametrize(
    "options",
    [
        {"api": "messages"},
        {"name": "my tool"},
        {"name": ""},
        {"output": 0},
        {"timeout": 0},
        {"callback": "weather"},
        {"tools": [{"type": "function", "name": "x", "parameters": {"type": "strnig"}}]},
        {"tools": [ADD, ADD]},
    ],
    ids=repr,
)
def test_invalid_settings_of_a_session_are_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError, InvalidTool)):
        session(**options)


def test_the_public_name_is_there() -> None:
    assert coderelay.ToolIsCode is ToolIsCode


def test_output_within_its_budget_is_shown_and_the_rest_can_be_read(tmp_path: Path) -> None:
    with session(output=1_000, directory=tmp_path) as tic:
        text = run(tic, "print('a' * 1000 + 'm' * 1000 + 'z' * 1000)")
        assert text.startswith("a" * 500 + "\n[… 2,000 of 3,000 characters are left out")
        assert text.endswith("z" * 500)
        assert "output-1.txt" in text
        assert run(tic, "len(open('output-1.txt').read())") == "3000"
        assert run(tic, "open('output-1.txt').read()[1200:1203]") == "'mmm'"
        run(tic, "import os; os.mkdir('below'); os.chdir('below')")
        assert 'open("/output-1.txt")' in text, "it is there wherever the code has gone"
        assert run(tic, "open('/output-1.txt').read()[1200:1203]") == "'mmm'"
        assert len(run(tic, "'b' * 5000")) < 1_300
        assert (tmp_path / "output-2.txt").read_text() == repr("b" * 5000)


def test_code_that_is_refused_loses_nothing() -> None:
    with session(limits=LiveLimits(source=10)) as tic:
        for _ in range(2):
            said = run(tic, "x = 1 + 1 + 1")
            assert "write a shorter one" in said and "restarted" not in said


def test_a_fatal_limit_loses_variables_and_keeps_files() -> None:
    with session(limits=LiveLimits(fuel=2_000_000_000)) as tic:
        assert run(tic, "import sdk\nkept = 1\nopen('notes.txt', 'w').write('still here')") == "10"
        text = run(tic, "print('begun')\nwhile True: pass")
        assert text.startswith("begun\n\nThe code was stopped by a limit (fuel)")
        assert "its files remain" in text
        assert "NameError" in run(tic, "kept")
        assert run(tic, "open('notes.txt').read()") == "'still here'"
        assert run(tic, "import sdk\nsdk.add_numbers(a=1, b=1)") == "2"


def test_files_over_their_quota_end_the_call_with_a_clear_message(tmp_path: Path) -> None:
    with session(limits=LiveLimits(files=200_000), directory=tmp_path) as tic:
        text = run(tic, "kept = 1\nopen('big', 'w').write('x' * 300_000)")
        assert "The code was stopped by a limit (files)" in text
        assert "remove some, or write less" in text
        assert run(tic, "kept") == "1"
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 200_000


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=40) | st.sampled_from([each[0] for each in CODE]))
def test_no_code_raises_here(shared: ToolIsCode, code: str) -> None:
    output = shared.tool_call({**call(""), "arguments": json.dumps({"code": code})})
    assert output is not None
    output["output"].encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = ("type", "name", "id", "call_id", "arguments", "input", "function", "namespace")
VALUES = JSON | st.sampled_from(["function_call", "tool_use", "function", "python", "{}"])


@given(JSON | st.dictionaries(st.sampled_from(FIELDS), VALUES))
def test_no_item_raises_here(shared: ToolIsCode, item: Any) -> None:
    output = shared.tool_call(item)
    assert output is None or "The arguments of `python`" in json.dumps(output)


def test_a_session_without_tools_is_a_notebook() -> None:
    with session(tools=[]) as tic:
        assert "sdk" not in tic.instructions.replace("`sdk`", "")
        assert run(tic, "sum(range(10))") == "45"
        assert run(tic, "import sdk\nsdk.search('x')") == "[]"


def test_json_in_and_out_is_not_limited_to_ascii(shared: ToolIsCode) -> None:
    text = json.dumps("Zürich 日本 🙂", ensure_ascii=False)
    assert run(shared, f"sdk.echo(value={text}) == {text}") == "True"


@pytest.mark.parametrize("end", ["1 / 0", "while True: pass"])
def test_a_cell_that_failed_says_which_calls_it_made(end: str) -> None:
    answers = Answers()
    code = f"import sdk\nsdk.echo(value=1)\ntry: sdk.echo(valeu=2)\nexcept Exception: 1\n{end}"
    with session(answers, limits=LiveLimits(fuel=300_000_000)) as tic:
        told = run(tic, code)
        assert 'do not repeat those that change something: echo({"value":1}).' in told
        assert len(answers.calls) == 1, "what was refused was not made"
        assert "do not repeat" not in run(tic, "1 / 0"), "it made no call"
