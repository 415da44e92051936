"""A limit fails its cell; the fatal ones end the interpreter, and files remain."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from coderelay.core import Result, Returned
from coderelay.core.cancellation import cancel_unless
from coderelay.engines.python.live.interpreter import Cell, LiveCall, LiveLimits
from coderelay.engines.python.live.session_calls import CallsRefused, read
from tests.clocks import HeldTime
from tests.python.living import Session, session, while_time_passes
from tests.threads import on_a_thread

MB = 1 << 20
LONG = LiveLimits(seconds=600, fuel=10**15, step_fuel=10**15)
"""Real time and fuel that do not end within a test."""


def fails_and_begins_anew(live: Session, source: str) -> str | None:
    """The limit that a cell passed, when it took the interpreter with it."""
    live.run("x = 1\nopen('kept', 'w').write('file')")
    failure = live.failure(source, alive=False)
    assert failure.kind == "limit" and failure.name == "LimitError"
    assert live.failure("x").name == "NameError"
    assert live.value("open('kept').read()") == "'file'"
    return failure.limit


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "sum(range(10**12))",
        "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "10 ** 10 ** 9",
        "while True: open('a', 'w').close()",
    ],
)
def test_work_without_end_uses_up_the_fuel(tmp_path: Path, source: str) -> None:
    with session(tmp_path, limits=LiveLimits(fuel=200_000_000)) as live:
        assert fails_and_begins_anew(live, source) == "fuel"


def test_fuel_is_given_anew_after_each_call_within_what_the_cell_has(tmp_path: Path) -> None:
    work = "import sdk\nfor n in range({}):\n    sum(range(300_000))\n    sdk.get(n)"
    limits = LiveLimits(fuel=2_000_000_000, step_fuel=300_000_000)
    with session(tmp_path, limits=limits) as live:
        live.output(work.format(4))
        assert fails_and_begins_anew(live, "sum(range(3_000_000))") == "step_fuel"
        assert fails_and_begins_anew(live, work.format(100)) == "fuel"


def test_fuel_is_given_to_each_cell(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(fuel=300_000_000)) as live:
        for _ in range(5):
            live.output("for _ in range(200_000): pass")


def test_the_clock_ends_what_fuel_does_not(tmp_path: Path) -> None:
    clock = HeldTime()
    with session(tmp_path, limits=LONG, time=clock) as live:
        live.run("x = 1\nopen('kept', 'w').write('file')")
        failure = while_time_passes(clock, lambda: live.failure("while True: pass", alive=False))
        assert (failure.kind, failure.limit) == ("limit", "seconds")
        assert live.failure("x").name == "NameError"
        assert live.value("open('kept').read()") == "'file'"


def test_the_clock_ends_what_fuel_does_not_on_the_main_thread_too(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(seconds=0.01, fuel=10**15, step_fuel=10**15)) as live:
        assert live.failure("while True: pass", alive=False).limit == "seconds"


def test_an_interpreter_that_begins_takes_none_of_its_cells_time(tmp_path: Path) -> None:
    clock = HeldTime()
    with session(tmp_path, limits=LiveLimits(seconds=0), time=clock) as live:
        assert live.failure("1", alive=False).limit == "seconds"


def test_sleep_never_passes_a_cells_time(tmp_path: Path) -> None:
    clock = HeldTime()
    with session(tmp_path, limits=LONG, time=clock) as live:
        for source in ("import time\ntime.sleep(1e6)", "await asyncio.sleep(1e6)"):
            began = clock.now
            assert live.failure(source, alive=False).limit == "seconds"
            assert clock.now - began == pytest.approx(LONG.seconds)
        endless = "import time\nwhile True: time.sleep(1000)"
        cell = while_time_passes(clock, lambda: live.run(endless))
        assert cell.failure is not None and cell.failure.limit == "seconds"
        assert not cell.alive


def test_a_cancelled_cell_does_not_continue_after_its_sleep(tmp_path: Path) -> None:
    clock = HeldTime()
    source = "import time\nprint('before')\ntime.sleep(3600)\nprint('after')"

    def run() -> Cell:
        with cancel_unless(lambda: clock.now < 60):
            return live.run(source)

    with session(tmp_path, limits=LONG, time=clock) as live:
        cell = on_a_thread(run)
        assert not cell.alive
        assert cell.output == "before\n"


def test_waiting_for_an_answer_costs_no_time(tmp_path: Path) -> None:
    clock = HeldTime()

    def answer(calls: Sequence[LiveCall]) -> list[Result]:
        clock.sleep(1e6)
        return [Returned(None) for _ in calls]

    with session(tmp_path, answer, limits=LONG, time=clock) as live:
        source = "import sdk\nfor _ in range(3): sdk.get(1)\nn = sum(range(100_000))\nn > 1"
        assert live.value(source) == "True"
        endless = "import sdk\nsdk.get(1)\nwhile True: pass"
        failure = while_time_passes(clock, lambda: live.failure(endless, alive=False))
        assert failure.limit == "seconds"


def test_memory_is_bounded_and_a_memory_error_is_survived(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(memory=96 * MB)) as live:
        live.run("x = 1")
        failure = live.failure("y = []\nwhile True: y.append(bytearray(1_000_000))")
        assert (failure.kind, failure.limit, failure.line) == ("limit", "memory", 2)
        assert live.value("y = None\nx") == "1"
        caught = "try:\n    [0] * 10**9\nexcept MemoryError:\n    y = 'caught'\ny"
        assert live.value(caught) == "'caught'"


def test_a_cell_that_uses_up_memory_is_stopped_and_the_session_goes_on(tmp_path: Path) -> None:
    bombs = [
        "x = 'x' * 10\nwhile True: x += x",
        "x = []\nwhile True: x = [x, x, 'abc' * 999]",
        "x = {}\nn = 0\nwhile True:\n    n += 1\n    x[n] = str(n) * 99",
        "eval('[' * 10**5)",
        "exec('x = ' + '-' * 10**6 + '1')",
    ]
    with session(tmp_path, limits=LiveLimits(memory=96 * MB, fuel=2 * 10**9)) as live:
        for bomb in bombs:
            live.run("kept = 1")
            cell = live.run(bomb)
            assert cell.failure is not None
            if cell.alive:
                assert live.value("x = None\nkept") == "1"


def test_a_session_that_stays_full_begins_anew(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(memory=96 * MB)) as live:
        full = "x = []\nwhile True: x.append(bytearray(100_000))"
        assert live.failure(full).limit == "memory"
        live.output("x = None")
        assert live.failure(full).limit == "memory"
        assert live.failure("y = x[0] * 500", alive=False).limit == "memory"
        assert live.value("1 + 1") == "2"


def test_more_memory_is_there_when_it_is_given(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(memory=256 * MB)) as live:
        assert live.value("len(bytearray(180_000_000))") == "180000000"


@pytest.mark.parametrize(
    "source", ["def f(): f()\nf()", "x = []\nx.append(x)\nf = lambda: [f() for _ in x]\nf()"]
)
def test_deep_recursion_is_an_exception(live: Session, source: str) -> None:
    live.run("kept = 1")
    assert live.failure(source).name == "RecursionError"
    assert live.value("kept") == "1"


def test_output_is_bounded_as_it_is_written(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(output=10_000)) as live:
        live.run("x = 1")
        for source in (
            "while True: print('x' * 99)",
            "print('é' * 1_000_000)",
            "import sys\nwhile True: sys.stderr.write('x')",
            "import warnings\nwarnings.simplefilter('always')\nwhile True: warnings.warn('x' * 99)",
            "try:\n    while True: print('x' * 99)\nexcept Exception: pass",
        ):
            cell = live.run(source)
            assert cell.failure is not None and cell.failure.limit == "output"
            assert "over 9.76562 KB: print less" in cell.failure.message
            assert 1_000 < len(cell.output.encode()) <= 10_000
            assert cell.alive
        hidden = "try:\n    while True: print('x' * 99)\nexcept BaseException: pass\n5"
        assert live.failure(hidden).limit == "output"
        assert live.value("x") == "1"


def test_a_long_cell_is_refused(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(source=100)) as live:
        live.run("x = 1")
        failure = live.failure("#" * 101)
        assert (failure.limit, failure.message) == (
            "source",
            "the cell has 101 bytes, the limit is 100: write a shorter one",
        )
        assert live.value("x") == "1"


def test_calls_are_counted_for_each_cell(tmp_path: Path) -> None:
    made: list[int] = []

    def answer(calls: Sequence[LiveCall]) -> list[Result]:
        made.extend(1 for _ in calls)
        return [Returned(1) for _ in calls]

    with session(tmp_path, answer, limits=LiveLimits(calls=5, waiting=3)) as live:
        live.run("import sdk")
        for _ in range(2):
            made.clear()
            failure = live.failure("while True: sdk.get(1)")
            assert (failure.limit, failure.line, len(made)) == ("calls", 1, 5)
            assert failure.message == "a cell may make 5 calls: make the others in the next one"
        made.clear()
        failure = live.failure("sdk.gather(*[('get', {})] * 4)")
        assert (failure.limit, len(made)) == ("calls", 0)
        assert failure.message == "3 calls may be made at once: use smaller groups"
        assert live.value("sdk.gather()") == "[]"


def test_long_arguments_are_refused_before_they_leave(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(arguments=100)) as live:
        failure = live.failure("import sdk\nsdk.get('x' * 100)")
        assert failure.name == "ValueError"
        assert failure.message == "the arguments of get are over 100 bytes: pass less"


def test_long_arguments_of_many_calls_are_refused_before_they_leave(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(arguments=100, batch=1_000)) as live:
        failure = live.failure("import sdk\nsdk.gather(*[('get', 'x' * 90)] * 11)")
        assert failure.name == "ValueError" and "use smaller groups" in failure.message


def test_a_long_result_is_a_failed_call(tmp_path: Path) -> None:
    def answer(calls: Sequence[LiveCall]) -> list[Result]:
        return [Returned("x" * call.arguments["key"]) for call in calls]

    with session(tmp_path, answer, limits=LiveLimits(result=100, batch=200)) as live:
        live.run("import sdk")
        assert live.value("len(sdk.get(98))") == "98"
        failure = live.failure("sdk.get(99)")
        assert (failure.name, failure.message) == (
            "ToolError",
            "the result of get is over 100 bytes: ask the tool for less",
        )
        failure = live.failure("sdk.gather(*[('get', {'key': 90})] * 3)")
        assert (failure.name, failure.message) == (
            "ToolError",
            "the call of get was made, but its result is lost: the results of all calls at once "
            "are over 200 bytes; make fewer at once, or ask for less",
        )


@pytest.mark.parametrize("value", [float("nan"), object(), {"a": {1, 2}}])
def test_a_result_that_is_not_json_is_a_failed_call(tmp_path: Path, value: object) -> None:
    with session(tmp_path, lambda calls: [Returned(value)]) as live:
        failure = live.failure("import sdk\nsdk.get(1)")
        assert failure.name == "ToolError" and "not a JSON value" in failure.message


def test_a_big_result_arrives(tmp_path: Path) -> None:
    with session(tmp_path, lambda calls: [Returned(["é" * 1000] * 3000)]) as live:
        assert live.value("import sdk\nx = sdk.get(1)\nlen(x), x[-1][-1]") == "(3000, 'é')"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the calls cannot be read"),
        ('"a"', "the calls cannot be read"),
        ('"a"\n{', "cannot be read"),
        ("a\n{}", "cannot be read"),
        ("1\n{}", "cannot be read"),
        ('"a"\n' + "[" * 300 + "]" * 300, "cannot be read"),
        ('"a"\nNaN', "cannot be read"),
        ('"a"\n"' + "x" * 2_000 + '"', "over 1000 bytes"),
        ('"a"\n{}\n' * 9, "made at once"),
        ('"a"\n{}\n"b"\n{}', "2 calls"),
    ],
)
def test_the_calls_in_a_guests_text_are_checked(text: str, why: str) -> None:
    limits = LiveLimits(arguments=1_000, waiting=4, calls=2)
    with pytest.raises(CallsRefused, match=why):
        read(text, 1, limits)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="`files` must be at least 0, not -1"):
        LiveLimits(files=-1)
