"""A live session is a notebook: names stay, the last value is shown, failures change nothing."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from coderelay.core import CallError, EngineError, Raised, Result, Returned
from coderelay.engines.python.live.interpreter import Live, LiveCall, LiveLimits
from tests.clocks import HeldTime
from tests.python.driving import run
from tests.python.living import SDK, Session, echo, python, session


def test_names_functions_and_imports_stay(live: Session) -> None:
    live.run("import math\nx = 2\ndef double(n):\n    return n * x")
    assert live.value("double(math.floor(4.5))") == "8"


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 1", "2"),
        ("x = 1", None),
        ("None", None),
        ("'text'", "'text'"),
        ("x = 1\nx\n# a comment", "1"),
        ("import math; math.pi > 3", "True"),
        ("if True:\n    5", None),
        ("await asyncio.sleep(0, 'slept')", "'slept'"),
        ("'\\ud800'", "'\\ud800'"),
        ("", None),
    ],
)
def test_the_value_of_a_last_expression_is_shown(
    live: Session, source: str, value: str | None
) -> None:
    assert live.value(source) == value


def test_the_last_value_has_a_name(live: Session) -> None:
    live.run("[1, 2]")
    live.run("x = 1")
    assert live.value("_ + [3]") == "[1, 2, 3]"


def test_a_long_value_keeps_its_head_and_tail(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(value=100)) as live:
        value = live.value("'a' * 1000 + 'z'")
    assert value is not None and len(value) < 200
    assert value.startswith("'aaa") and value.endswith("az'")
    assert "903 characters left out" in value


def test_all_that_is_written_comes_in_order(live: Session) -> None:
    output = live.output(
        """
        import sys, warnings
        print("one", end=" ")
        print("two", file=sys.stderr)
        sys.stdout.write("three\\n")
        warnings.warn("four")
        """
    )
    first, second, third, *_ = output.splitlines()
    assert (first, second) == ("one two", "three")
    assert third == "<cell 1>:6: UserWarning: four"


def test_a_cell_that_raised_leaves_what_it_had_assigned(live: Session) -> None:
    failure = live.failure("x = 1\nraise ValueError('no')\nx = 2")
    assert (failure.kind, failure.name, failure.message) == ("exception", "ValueError", "no")
    assert (failure.line, failure.column) == (2, 1)
    assert live.value("x") == "1"


def test_a_traceback_shows_the_lines_of_every_cell_and_none_of_ours(live: Session) -> None:
    live.run("def f(n):\n    return 1 / n")
    failure = live.failure("# a comment\nf(0)")
    assert failure.stack.splitlines() == [
        "Traceback (most recent call last):",
        '  File "<cell 2>", line 2, in <module>',
        "    f(0)",
        "    ~^^^",
        '  File "<cell 1>", line 2, in f',
        "    return 1 / n",
        "           ~~^~~",
        "ZeroDivisionError: division by zero",
    ]
    assert (failure.line, failure.column) == (2, 1)
    assert "> 2 | f(0)" in failure.frame


def test_a_traceback_shows_none_of_ours_where_a_program_prints_it(live: Session) -> None:
    output = live.output(
        "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()"
    )
    assert "relay" not in output and '"<cell 1>", line 3' in output


def test_a_syntax_error_has_its_place(live: Session) -> None:
    failure = live.failure("x = 1\ny = (")
    assert (failure.kind, failure.name, failure.line) == ("syntax", "SyntaxError", 2)
    assert live.failure("x").name == "NameError"


def test_text_with_a_lone_surrogate_is_a_syntax_error(live: Session) -> None:
    first = live.run("x = '\ud800'")
    assert first.failure is not None and first.failure.kind == "syntax"
    assert first.alive  # nothing was lost: there was nothing yet
    live.run("1")
    assert live.failure("x = '\ud800'").kind == "syntax"


@pytest.mark.parametrize("source", ["exit()", "import sys; sys.exit(0)", "raise SystemExit"])
def test_to_exit_ends_the_cell_only(live: Session, source: str) -> None:
    live.run("x = 1")
    assert live.value(source) is None
    assert live.value("x") == "1"


@pytest.mark.parametrize("name", ["KeyboardInterrupt", "GeneratorExit", "SystemExit('why')"])
def test_any_exception_leaves_the_session_as_it_was(live: Session, name: str) -> None:
    live.run("x = 1")
    assert live.failure(f"raise {name}").name == name.partition("(")[0]
    assert live.failure(f"async def f():\n    raise {name}\nawait f()").line == 2
    assert live.value("x") == "1"


def test_asyncio_runs_at_the_top_and_nested(live: Session) -> None:
    live.run("async def f(x):\n    await asyncio.sleep(0.001)\n    return x")
    assert live.value("await asyncio.gather(f(1), f(2))") == "[1, 2]"
    assert live.value("import asyncio\nasyncio.run(f(3))") == "3"
    assert live.value("def g():\n    return asyncio.run(f(4))\ng()") == "4"
    assert live.value("with asyncio.Runner() as r:\n    x = r.run(f(5))\nx") == "5"


def test_a_task_goes_on_in_a_later_cell(live: Session) -> None:
    live.run("task = asyncio.create_task(asyncio.sleep(0, 'done'))")
    assert live.value("await task") == "'done'"


def test_a_task_that_never_ends_does_not_keep_a_cell(live: Session) -> None:
    live.run("async def spin():\n    while True:\n        await asyncio.sleep(0)")
    live.run("task = asyncio.create_task(spin())")
    assert live.value("await asyncio.sleep(0.001, 1)") == "1"


def test_a_cell_that_waits_for_nothing_fails_with_its_place(live: Session) -> None:
    failure = live.failure("x = 1\nawait asyncio.get_running_loop().create_future()")
    assert (failure.kind, failure.line) == ("deadlock", 2)
    assert live.value("x") == "1"


def test_the_clock_is_the_hosts_and_sleeping_lets_its_time_pass(tmp_path: Path) -> None:
    clock = HeldTime()
    with session(tmp_path, time=clock) as live:
        assert live.value("import time\ntime.time_ns()") == str(clock.time_ns())
        assert live.value("time.process_time() >= 0 and time.perf_counter() >= 0") == "True"
        live.run("time.sleep(5)\nawait asyncio.sleep(7)")
        assert clock.now == pytest.approx(12)


def test_the_clock_is_the_real_one_unless_another_is_given(live: Session) -> None:
    before = time.time_ns()
    told = live.value("import time\ntime.time_ns()")
    assert told is not None and before <= int(told) <= time.time_ns()


def test_randomness_is_fresh_in_every_session(tmp_path: Path) -> None:
    source = "import random, uuid\nrandom.random(), uuid.uuid4(), random.SystemRandom().random()"
    seen = set()
    for _ in range(2):
        with session(tmp_path) as live:
            seen.add(live.value(source))
    assert len(seen) == 2


def test_calls_are_answered_in_the_cell(live: Session) -> None:
    live.run("import sdk")
    assert live.value("sdk.get({'a': [1, 2.5, None, 'é', 10**20]})") == (
        "{'key': {'a': [1, 2.5, None, 'é', 100000000000000000000]}}"
    )


def test_calls_at_once_are_answered_at_once(tmp_path: Path) -> None:
    batches: list[Sequence[LiveCall]] = []

    def answer(calls: Sequence[LiveCall]) -> list[Result]:
        batches.append(calls)
        return [Returned(number) for number, _ in enumerate(calls)]

    with session(tmp_path, answer) as live:
        value = live.value("import sdk\nsdk.gather(('a', {}), ('b', {'x': 1}))")
    assert value == "[0, 1]"
    assert batches == [[LiveCall("a", {}), LiveCall("b", {"x": 1})]]


def test_a_failed_call_is_a_tool_error_with_its_place(live: Session) -> None:
    failure = live.failure("import sdk\n\nsdk.get('fail')")
    assert (failure.name, failure.message, failure.line) == ("ToolError", "no such key", 3)
    assert "sdk.py" not in failure.stack
    caught = "try:\n    sdk.get('fail')\nexcept ToolError as e:\n    x = e.tool, e.message\nx"
    assert live.value(caught) == "('get', 'no such key')"
    assert live.value("from tools import ToolError as same\nsame is ToolError") == "True"


def test_a_failed_call_has_the_name_that_the_answer_gave_it(tmp_path: Path) -> None:
    error = CallError("slow", name="TimeoutError", kind="arguments")
    with session(tmp_path, lambda calls: [Raised(error)]) as live:
        failure = live.failure("import sdk\nsdk.get(1)")
    assert (failure.kind, failure.name) == ("arguments", "TimeoutError")


def test_an_argument_without_a_form_is_named(live: Session) -> None:
    failure = live.failure("import sdk\nsdk.get([1, object()])")
    assert failure.name == "TypeError"
    assert failure.message.startswith("get(): argument ['key'][1] is of type object")


def test_a_module_of_the_host_can_be_inspected(live: Session) -> None:
    (live.directory / "sdk.py").write_text("raise RuntimeError('not this one')")
    output = live.output("import inspect, sdk\nhelp(sdk.get)\nprint(inspect.getsource(sdk.get))")
    assert "Get what a key stands for." in output
    assert 'answer] = gather(("get"' in output


def test_a_module_that_was_written_can_be_imported(live: Session) -> None:
    live.run("open('helper.py', 'w').write('def f(n):\\n    return 1 / n\\n')")
    assert live.value("import helper\nhelper.f(1)") == "1.0"
    assert 'File "/helper.py", line 2, in f' in live.failure("helper.f(0)").stack
    assert not (live.directory / "__pycache__").exists()


def test_classes_of_a_session_can_be_pickled(live: Session) -> None:
    live.run("import pickle\nclass P:\n    x = 1")
    assert live.value("pickle.loads(pickle.dumps(P())).x") == "1"


def test_several_sessions_run_at_once(tmp_path: Path) -> None:
    values: dict[int, list[str | None]] = {}

    def work(number: int) -> None:
        directory = tmp_path / str(number)
        directory.mkdir()
        with session(directory) as live:
            live.run(f"import sdk\nx = {number}\nopen('x', 'w').write(str(x))")
            values[number] = [
                live.value("sum(range(20_000)) and sdk.get(x)['key'], open('x').read()")
                for _ in range(5)
            ]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == {number: [f"({number}, '{number}')"] * 5 for number in range(6)}


def test_a_tool_may_run_programs_itself(tmp_path: Path) -> None:
    def answer(calls: Sequence[LiveCall]) -> list[Result]:
        with session(tmp_path) as inner:
            return [Returned([run("1 + 1").value, inner.value("x = 5\nx")])]

    with session(tmp_path, answer) as live:
        value = live.value("import sdk\nx = sdk.get(1)\nprint('on')\nopen('f', 'w').close()\nx")
        assert value == "[2, '5']"


def test_an_answer_that_raises_is_our_error_and_ends_the_interpreter(tmp_path: Path) -> None:
    def answer(calls: Sequence[LiveCall]) -> list[Result]:
        raise ZeroDivisionError

    with session(tmp_path, answer) as live:
        with pytest.raises(EngineError):
            live.run("import sdk\nsdk.get(1)")
        assert not live.live.alive
        assert live.value("1 + 1") == "2"


def test_an_interrupt_while_a_call_is_made_goes_through(tmp_path: Path) -> None:
    def answer(calls: Sequence[LiveCall]) -> list[Result]:
        raise KeyboardInterrupt

    with session(tmp_path, answer) as live:
        with pytest.raises(KeyboardInterrupt):
            live.run("import sdk\nsdk.get(1)")
        assert live.value("1 + 1") == "2"


def test_a_closed_session_raises_an_error(tmp_path: Path) -> None:
    live = Live(tmp_path, engine=python(), modules={"sdk": SDK}, answer=echo)
    assert not live.alive
    assert live.run("1").value == "1"
    assert live.alive
    live.close()
    live.close()
    with pytest.raises(RuntimeError, match="closed"):
        live.run("1")


def test_a_directory_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Live(tmp_path / "none", engine=python(), modules={}, answer=echo)
