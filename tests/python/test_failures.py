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
    "import json\njson.loads(get(key='a'))",
    "import re\nre.match('x', get(key='a'))",
    "import statistics\nstatistics.mean([get(key='a')])",
    "from datetime import datetime\ndatetime.fromisoformat(get(key='a'))",
    "{**get(key='a')}",
    "round(get(key='a'))",
    "'b'.replace('b', get(key='a'))",
    "'b'.startswith(get(key='a'))",
    "','.join(get(key='a'))",
    "x = get(key='a')\nawait get(key='b')\nround(x)",
    "get(key='a') == {'a'}",
    "b'a' != get(key='a')",
    "get(key='a').result()",
]


@pytest.mark.parametrize("source", MISUSES)
def test_a_forgotten_await_says_which_call_and_where(source: str) -> None:
    error = run(f"import asyncio\n{source}").error
    line = 3 if source.startswith(("import", "from")) else 2
    assert f"the call get(…) on line {line}, which was not awaited" in error.message
    assert "write `await get(…)`" in error.message
    assert error.line is not None


def test_a_forgotten_await_of_a_key_is_reported() -> None:
    error = run("x = get(key='a')\n{x: 1}").error
    assert error.message == (
        "the value has a key of type UnawaitedToolCall: use strings as keys. There is the call "
        "get(…) on line 1, which was not awaited: write `await get(…)`"
    )


@pytest.mark.parametrize("use", ["{'a': 1}.get(x)", "x in {'a'}", "for _ in '12': get(key='a')"])
def test_a_call_that_is_never_awaited_gives_one_warning(use: str) -> None:
    logs = run(f"x = 1\n{use}" if "for" in use else f"\nx = get(key='a')\n{use}").outcome.logs
    assert [(log.level, log.text) for log in logs] == [
        ("warning", "the call get(…) on line 2 was never awaited")
    ]


@pytest.mark.parametrize(
    "use",
    [
        "await x",
        "await asyncio.gather(x)",
        "await asyncio.wait([x])",
        "await asyncio.wait_for(x, 1)",
        "await asyncio.shield(x)",
        "asyncio.create_task(x)",
        "asyncio.gather(x)",
        "x.cancel()",
    ],
)
def test_a_call_that_is_awaited_somehow_is_not_warned_of(use: str) -> None:
    assert run(f"x = get(key='a')\n{use}\n1").outcome.logs == ()


@pytest.mark.parametrize("use", ["await x", "await asyncio.gather(x)", "asyncio.create_task(x)"])
def test_an_error_beside_an_awaited_call_is_reported_unchanged(use: str) -> None:
    error = run(f"x = get(key='a')\n{use}\nint('x')").error
    assert error.message == "invalid literal for int() with base 10: 'x'"


@pytest.mark.parametrize(
    "use", ["f()['a']", "f() + 1", "1 + f()", "'x' + f()", "import json; json.loads(f())", "f().a"]
)
def test_a_forgotten_await_of_an_own_coroutine_is_hinted_at(use: str) -> None:
    error = run(f"async def f():\n    return {{}}\n{use}").error
    assert error.message.endswith(": was an `await` forgotten?")


def test_what_is_no_coroutine_gets_no_hint_of_a_forgotten_await() -> None:
    error = run("await asyncio.gather(5)").error
    assert "forgotten" not in error.message


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
def test_text_that_is_not_a_program_is_a_syntax_error(source: str) -> None:
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
    error = run("await get(key='a')", lambda call: answer).error
    assert error.name == "NotFound"
    assert error.stack.endswith("\nNotFound: gone\n")


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
def test_hostile_errors_are_reported_like_all_others(source: str) -> None:
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


def test_a_stack_that_a_program_prints_has_its_own_frames_only() -> None:
    source = "import traceback\ntraceback.print_stack()\ntry: get(1, 2, 3)\n"
    ran = run(f"{source}except TypeError: traceback.print_exc()")
    files = [log.text for log in ran.outcome.logs if "File" in log.text]
    assert files == [
        '  File "program.py", line 2, in <module>',
        '  File "program.py", line 3, in <module>',
    ]


def test_a_coroutine_that_is_left_at_the_end_gives_a_plain_warning() -> None:
    logs = run("async def main(): return 1\nx = main()\n'y'").outcome.logs
    assert [log.text for log in logs] == ["coroutine 'main' was never awaited"]


@pytest.mark.parametrize("source", ["get(key='fail')", "await asyncio.wait([get(key='fail')])"])
def test_a_failed_call_whose_result_is_unused_gives_a_warning(source: str) -> None:
    logs = run(f"{source}\n1").outcome.logs
    assert [log.text for log in logs] == [
        "the call get(…) on line 1 failed, and nothing used its result: ToolError: no such key"
    ]


def test_each_failed_call_of_a_loop_gives_its_own_warning() -> None:
    logs = run("for key in ['a', 'fail', 'b', 'fail']: get(key=key)").outcome.logs
    assert sorted(log.text.partition(" on line 1 ")[2] for log in logs) == [
        "failed, and nothing used its result: ToolError: no such key",
        "failed, and nothing used its result: ToolError: no such key",
        "was never awaited",
    ]


def test_a_task_made_of_a_call_by_hand_says_what_to_use() -> None:
    error = run("x = 1\nawait asyncio.Task(get(key='a'))").error
    assert (error.name, error.line) == ("TypeError", 2)
    assert error.message.endswith("For a task of it, use asyncio.create_task(…)")


@pytest.mark.parametrize("arguments", ["n", "*, n", "m=1, *, n"])
def test_a_main_that_needs_arguments_is_a_failure(arguments: str) -> None:
    error = run(f"x = 1\nasync def main({arguments}):\n    return 1").error
    assert (error.name, error.line) == ("TypeError", 2)
    assert error.message == (
        "main is called without arguments, but this one needs n: give them defaults, or call it "
        "in the program"
    )


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.abort()",
        "def f(): pass\nf.__code__ = f.__code__.replace(co_code=b'\\xff' * 40)\nf()",
    ],
)
def test_a_crash_of_the_interpreter_is_not_reported_as_a_lack_of_memory(source: str) -> None:
    error = run(source).error
    assert (error.kind, error.name) == ("exception", "InterpreterCrash")


def test_a_coroutine_that_nobody_awaits_is_warned_of() -> None:
    logs = run("async def f():\n    pass\nx = 1\nf()\nx").outcome.logs
    assert any("coroutine 'f' was never awaited" in log.text for log in logs)
