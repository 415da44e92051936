"""A failure tells the model what, where and what to do, in its own lines."""

import pytest

from coderelay.core import CallError, Raised
from tests.python.driving import run

MISUSES = [
    "get(key='a')['items']",
    "get(key='a').items()",
    "len(get(key='a'))",
    "[x for x in get(key='a')]",
    "f\"{get(key='a')}\"",
    "str(get(key='a'))",
    "print(get(key='a'))",
    "get(key='a') + '!'",
    "'!' + get(key='a')",
    "1 + get(key='a')",
    "if get(key='a'): pass",
    "not get(key='a')",
    "get(key='a') == 'a!'",
    "'a' in get(key='a')",
    "get(key='a') > 1",
    "int(get(key='a'))",
    "float(get(key='a'))",
    "a, b = get(key='a')",
    "get(key='a')[0] = 1",
    "with get(key='a') as x: pass",
    "x = get(key='a')\nx.name",
    "list(get(key='a'))",
    "dict(**get(key='a'))",
    "'%s' % get(key='a')",
    "import json\njson.dumps(get(key='a'))",
    "get(key='a')()",
    "sorted([get(key='a'), get(key='b')])",
    "sum([get(key='a')])",
    "get(key='a') or 'default'",
]


@pytest.mark.parametrize("source", MISUSES)
def test_a_forgotten_await_says_which_call_and_where(source: str) -> None:
    error = run(f"import asyncio\n{source}").error
    line = 3 if source.startswith("import") else 2
    if "json" in source or "**" in source:  # they only know the type
        assert "UnawaitedToolCall" in error.message
        return
    assert f"the call get(…) on line {line}, which was not awaited" in error.message
    assert "write `await get(…)`" in error.message
    assert error.line is not None


def test_a_forgotten_await_of_an_own_coroutine_is_hinted_at() -> None:
    error = run("async def f():\n    return {}\nf()['a']").error
    assert error.message.endswith(
        "'coroutine' object is not subscriptable: was an `await` forgotten?"
    )


def test_a_failure_has_name_message_line_column_stack_and_frame() -> None:
    source = """import json

def inner(row):
    return row["missing"] + 1

async def main():
    rows = [{"a": 1}]
    return [inner(row) for row in rows]
"""
    error = run(source).error
    assert (error.kind, error.name, error.message) == ("exception", "KeyError", "'missing'")
    assert (error.line, error.column) == (4, 12)
    assert (
        error.stack
        == """Traceback (most recent call last):
  File "program.py", line 8, in main
    return [inner(row) for row in rows]
            ~~~~~^^^^^
  File "program.py", line 4, in inner
    return row["missing"] + 1
           ~~~^^^^^^^^^^^
KeyError: 'missing'
"""
    )
    assert (
        error.frame
        == """  2 |
  3 | def inner(row):
> 4 |     return row["missing"] + 1
    |            ^
  5 |
  6 | async def main():"""
    )


def test_frames_of_the_library_and_ours_are_not_shown() -> None:
    error = run("import json\nx = 1\njson.loads('{')").error
    assert error.name == "JSONDecodeError"
    assert (error.line, error.column) == (3, 1)
    assert error.stack.count("File ") == 1


def test_chained_errors_are_shown() -> None:
    source = """
    try:
        int("x")
    except ValueError as error:
        raise RuntimeError("outer") from error
    """
    error = run(source).error
    assert (error.name, error.line) == ("RuntimeError", 5)
    assert "ValueError: invalid literal" in error.stack
    assert "direct cause" in error.stack


def test_columns_count_characters_not_bytes() -> None:
    error = run("x = 'é漢', 1 / 0").error
    assert (error.line, error.column) == (1, 11)


@pytest.mark.parametrize(
    ("source", "message", "line", "column"),
    [
        ("x = 1\ndef f(:\n    pass", "invalid syntax", 2, 7),
        ("x = (1,\n", "'(' was never closed", 1, 5),
        ("if True:\nx = 1", "expected an indented block after 'if' statement on line 1", 2, 1),
        ("x = 'abc", "unterminated string literal (detected at line 1)", 1, 5),
        ("return 1", "'return' outside function", 1, 1),
        ("x = 1\n  y = 2", "unexpected indent", 2, 2),
        ("const x = 1;", "invalid syntax", 1, 7),
        ("print 'x'", "Missing parentheses in call to 'print'. Did you mean print(...)?", 1, 1),
        ("def f():\n    await get(key='a')", "'await' outside async function", 2, 5),
    ],
)
def test_a_syntax_error_tells_its_place(source: str, message: str, line: int, column: int) -> None:
    error = run(source).error
    assert error.kind == "syntax"
    assert error.message == message
    assert (error.line, error.column) == (line, column)
    assert error.frame.count("^") == 1


@pytest.mark.parametrize("source", ["a\x00b", "x = '\ud800'", "\ufeff1 +"])
def test_text_that_is_no_program_is_a_syntax_error(source: str) -> None:
    assert run(source).error.kind == "syntax"


def test_a_failing_tool_points_at_the_call() -> None:
    source = """
    import asyncio
    async def search(key):
        return await get(key=key)
    async def main():
        return await asyncio.gather(search("a"), search("fail"))
    """
    error = run(source).error
    assert (error.kind, error.name, error.message) == ("exception", "ToolError", "no such key")
    assert (error.line, error.column) == (4, 18)
    assert "ToolError: no such key" in error.stack


def test_an_error_keeps_the_name_that_the_client_gave_it() -> None:
    source = """
    try:
        await get(key="a")
    except ToolError as error:
        found = [type(error).__name__, error.tool]
    found
    """
    answer = Raised(CallError("gone", name="NotFound"))
    assert run(source, lambda call: answer).value == ["NotFound", "get"]
    assert run("await get(key='a')", lambda call: answer).error.name == "NotFound"


def test_misfit_arguments_fail_with_their_own_kind_at_the_call() -> None:
    answer = Raised(CallError("'limit' is a required property", kind="arguments"))
    error = run("x = 1\n\nawait get(key='a')", lambda call: answer).error
    assert (error.kind, error.line, error.column) == ("arguments", 3, 7)


def test_misfit_arguments_in_a_group_keep_their_kind() -> None:
    source = """
    import asyncio
    async with asyncio.TaskGroup() as group:
        group.create_task(get(key="a"))
    """
    answer = Raised(CallError("bad", kind="arguments"))
    error = run(source, lambda call: answer).error
    assert (error.kind, error.line) == ("arguments", 4)


def test_a_misspelt_tool_is_met_with_those_of_similar_names() -> None:
    error = run("await web_serch(query='x')").error
    assert error.name == "NameError"
    assert error.message == (
        "name 'web_serch' is not defined. Tools with a similar name: web_search"
    )


def test_a_name_like_no_tool_gets_no_suggestion() -> None:
    assert run("zzz").error.message == "name 'zzz' is not defined"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("raise SystemExit('bye')", "SystemExit"),
        ("import sys\nsys.exit(3)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise BaseException('x')", "BaseException"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("import os\nos._exit(0)", "SystemExit"),
        ("import os\nget(key='a')\nos._exit(1)", "SystemExit"),
    ],
)
def test_every_way_out_is_a_failure_with_its_name(source: str, name: str) -> None:
    assert run(source).error.name == name


@pytest.mark.parametrize(
    "source",
    [
        "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E",
        "class E(Exception):\n    def __str__(self):\n        return 5\nraise E",
        "class E(Exception):\n    __module__ = 5\nraise E('x' * 10**6)",
        "class M(type):\n    __name__ = property(lambda c: 1/0)\n"
        "class E(Exception, metaclass=M):\n    pass\nraise E('x')",
        "e = ValueError('x')\ne.__cause__ = e\nraise e",
        "class E(Exception):\n    def __getattribute__(self, n):\n        raise OSError\nraise E",
        "e = ToolError('mine')\ne._relay = 5\nraise e",
        "e = ToolError('mine')\ne._relay = ('limit', (10**30, -5))\nraise e",
    ],
)
def test_hostile_errors_are_told_all_the_same(source: str) -> None:
    error = run(source).error
    assert error.kind == "exception"
    assert len(error.message) < 20_000


def test_a_tool_error_of_ones_own_can_be_raised() -> None:
    error = run("raise ToolError('mine')").error
    assert (error.name, error.message, error.line) == ("ToolError", "mine", 1)


def test_a_program_can_print_a_traceback_with_its_lines() -> None:
    source = (
        "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()"
    )
    logs = [log.text for log in run(source).outcome.logs]
    assert "    1 / 0" in logs


def test_a_coroutine_that_nobody_awaits_is_warned_of() -> None:
    logs = run("async def f():\n    pass\nx = 1\nf()\nx").outcome.logs
    assert any("coroutine 'f' was never awaited" in log.text for log in logs)
