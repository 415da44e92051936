"""Every hard limit ends a program at once, with a message that the model can act on."""

from dataclasses import replace

import pytest

from coderelay.core import Failed, Program, Returned, Suspended, TimedOut
from coderelay.engines.wasm.guest_execution import NO_MEMORY
from coderelay.languages.language_registry import engine
from tests.python.driving import LIMITS, NAMES, run

SMALL = replace(LIMITS, fuel=300_000_000)


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "import asyncio\nwhile True:\n    await asyncio.sleep(0)",
        "import asyncio\nwhile True:\n    await asyncio.sleep(1)",
        "import time\nwhile True:\n    time.sleep(1000)",
        "class A:\n    def __del__(self):\n        while True: pass\na = A()\n1",
        "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
        "sum(iter(int, 1))",
        "9 ** 9 ** 9",
        "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
    ],
)
def test_fuel(source: str) -> None:
    outcome = run(source, limits=SMALL).outcome
    assert isinstance(outcome, Failed)
    assert (outcome.error.kind, outcome.error.limit) == ("limit", "fuel")
    assert outcome.fuel == pytest.approx(SMALL.fuel, abs=1_000_000)


def test_fuel_is_counted_over_the_whole_program() -> None:
    source = "for i in range(10):\n    await get(key=i)\n    sum(range(1_000_000))"
    ran = run(source, limits=SMALL)
    assert ran.error.limit == "fuel"
    assert 0 < len(ran.batches) < 10


def test_what_was_printed_before_a_trap_is_kept() -> None:
    ran = run("print('before')\nprint('half', end='')\nwhile True: pass", limits=SMALL)
    assert ran.printed == ["before", "half"]


@pytest.mark.parametrize(
    "source",
    [
        "x = b'x' * (1 << 30)",
        "x = []\nwhile True:\n    x.append(bytearray(1 << 20))",
        "x = 'x'\nwhile True:\n    x += x",
        "x = {}\nfor i in range(10**8):\n    x[i] = str(i)",
        "x = [0] * 10**9",
    ],
)
def test_memory(source: str) -> None:
    error = run(source, limits=replace(LIMITS, fuel=40_000_000_000)).error
    assert (error.kind, error.limit, error.name) == ("limit", "memory", "LimitError")
    assert error.message == NO_MEMORY


def test_a_result_that_the_guest_has_no_room_for_is_a_limit_of_memory() -> None:
    source = """
    import asyncio
    kept, size = [], 1 << 24
    call = asyncio.ensure_future(get(key="a"))
    while size > 64:
        try:
            kept.append(bytearray(size))
        except MemoryError:
            size //= 2
    await call
    """
    error = run(source, lambda call: Returned("x" * 900_000)).error
    assert (error.limit, error.message) == ("memory", NO_MEMORY)


def test_memory_can_be_given_in_limits() -> None:
    source = "x = bytearray(80 << 20)\nlen(x)"
    assert run(source).value == 80 << 20
    assert run(source, limits=replace(LIMITS, memory=64 << 20)).error.limit == "memory"
    larger = "x = bytearray(180 << 20)\nlen(x)"
    assert run(larger).error.limit == "memory"
    assert run(larger, limits=replace(LIMITS, memory=256 << 20)).value == 180 << 20


def test_memory_that_runs_out_can_be_caught() -> None:
    source = "try:\n    x = bytearray(1 << 30)\nexcept MemoryError:\n    x = 'caught'\nx"
    assert run(source).value == "caught"


def test_source() -> None:
    error = run("#" * 100, limits=replace(LIMITS, source=99)).error
    assert (error.limit, error.message) == (
        "source",
        "the program has 100 bytes, the limit is 99: write a shorter one",
    )


def test_arguments() -> None:
    ran = run("await get(key='a')\nawait get(key='x' * 100)", limits=replace(LIMITS, arguments=99))
    assert ran.error.limit == "arguments"
    assert ran.keys == [["a"]]


def test_calls() -> None:
    source = "while True:\n    try:\n        await get(key='a')\n    except BaseException: pass"
    ran = run(source, limits=replace(LIMITS, calls=5))
    assert (ran.error.limit, len(ran.batches)) == ("calls", 5)


def test_waiting() -> None:
    source = "import asyncio\nawait asyncio.gather(*(get(key=i) for i in range(10)))"
    ran = run(source, limits=replace(LIMITS, waiting=9))
    assert (ran.error.limit, ran.batches) == ("waiting", ())


def test_result() -> None:
    big = Returned("x" * 100)
    ran = run("await get(key='a')", lambda call: big, limits=replace(LIMITS, result=50))
    assert ran.error.limit == "result"


@pytest.mark.parametrize("source", ["'x' * 100", "['é'] * 20", "{'a': 'x' * 100, 'b': {1}}"])
def test_value(source: str) -> None:
    assert run(source, limits=replace(LIMITS, value=50)).error.limit == "value"


@pytest.mark.parametrize(
    "source",
    [
        "print('\\n' * 3_000_000)",
        "while True: print('x' * 10)",
        "print('x' * 10**6)",
        "while True: print('x', end='')",
        "import sys\nwhile True: sys.stderr.write('xy')",
        "import sys\nwhile True: sys.stdout.buffer.write(b'x' * 100)",
    ],
)
def test_logs(source: str) -> None:
    ran = run(source, limits=replace(LIMITS, fuel=20_000_000_000, logs=100_000))
    assert (ran.error.kind, ran.error.limit) == ("limit", "logs")
    assert sum(len(log.text) for log in ran.outcome.logs) <= 100_000


@pytest.mark.parametrize(
    "source",
    [
        "def f(n): return f(n + 1)\nf(0)",
        "class A:\n    def __eq__(s, o): return o == s\n    def __hash__(s): return 1\nA() == A()",
        "class A:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nA().y",
        "x = []\nfor _ in range(100_000): x = [x]\nrepr(x)",
        "import json\nx = []\nfor _ in range(100_000): x = [x]\njson.dumps(x)",
        "import json\njson.loads('[' * 100_000)",
        "import copy\nx = []\nfor _ in range(100_000): x = [x]\ncopy.deepcopy(x)",
        "def f():\n    try:\n        f()\n    finally:\n        f()\nf()",
        "eval('-' * 100_000 + '1')",
        "eval('(' * 200 + ')' * 200)",
        "eval('[' * 20_000)",
        "eval('a.' * 50_000 + 'a')",
    ],
)
def test_recursion_ends_the_program_only(source: str) -> None:
    error = run(source).error
    assert error.name in {"RecursionError", "SyntaxError", "MemoryError"} or error.limit in {
        "stack",
        "fuel",
    }
    assert run("1").value == 1


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 3_000 + "1" + ")" * 3_000,
        "x = " + "-" * 40_000 + "1",
        "x = " + "[" * 10_000,
        "a" + ".a" * 20_000,
        "f(" * 5_000 + ")" * 5_000,
        "if 1:\n" + "".join(" " * i + "if 1:\n" for i in range(1, 200)) + " " * 200 + "x = 1",
    ],
)
def test_a_program_too_deep_to_compile_is_a_syntax_failure(source: str) -> None:
    outcome = run(source).outcome
    assert isinstance(outcome, Failed)
    assert outcome.error.kind in ("syntax", "exception")
    assert run(source).outcome == outcome


def test_the_wall_clock_is_a_retryable_error_and_no_outcome() -> None:
    limits = replace(LIMITS, fuel=1 << 50, step_fuel=1 << 50, seconds=0.3)
    execution = engine("python").start(Program("python", "while True: pass"), NAMES, limits)
    with pytest.raises(TimedOut) as raised:
        execution.advance([])
    assert raised.value.retryable
    with pytest.raises(RuntimeError, match="has ended"):
        execution.advance([])


def test_an_execution_can_be_closed_at_any_time() -> None:
    execution = engine("python").start(Program("python", "await get(key='a')"), NAMES, LIMITS)
    assert isinstance(execution.advance([]), Suspended)
    execution.close()
    execution.close()
    engine("python").start(Program("python", "1"), NAMES, LIMITS).close()
