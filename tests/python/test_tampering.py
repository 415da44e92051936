"""Tampering with the harness gains nothing: no result early, no other tool, no other outcome."""

import tracemalloc
from collections.abc import Iterator
from textwrap import dedent

import pytest

from coderelay.core import Call, Program, Result, Returned, Suspended
from coderelay.languages.language_registry import engine
from tests.python.driving import LIMITS, NAMES, run

SECRET = "the result of a later call"

LOOKING = [
    "import gc\nfound = [o for o in gc.get_objects() if {secret} in repr(o)[:9999]]",
    "import sys\nfound = [n for n, m in sys.modules.items() if {secret} in repr(vars(m))[:99999]]",
    "import sys\nfound = []\nf = sys._getframe()\nwhile f:\n"
    "    found += [1 for v in f.f_locals.values() if {secret} in repr(v)]\n    f = f.f_back",
    "import asyncio\nloop = asyncio.get_running_loop()\n"
    "found = [v for v in vars(loop).values() if {secret} in repr(v)]",
    "found = [v for v in (get.__closure__ or ()) if {secret} in repr(v.cell_contents)]",
]
FORGING = [
    "import wit_world\nwit_world.call('rm', '{}')",
    "import componentize_py_runtime as r\nfor i in range(9): r.call_import(i, ['rm', '{}'], 1)",
    "get.__closure__[0].cell_contents",
    "for cell in get.__closure__:\n    tools = getattr(cell.cell_contents, 'tool', None)\n"
    "    if tools:\n        tools('rm', 'rm', ())(a=1)",
    "import gc\nfor o in gc.get_objects():\n    if type(o).__name__ == 'Calls':\n"
    "        o._call('rm', 'rm', {})",
    "import sys\nf = sys._getframe()\nwhile f:\n    s = f.f_locals.get('self')\n"
    "    if hasattr(s, '_host'):\n        s._host.call('rm', '{}')\n    f = f.f_back",
]
BREAKING = [
    "import builtins\nfor n in 'len isinstance type str list dict set iter getattr'.split():\n"
    "    setattr(builtins, n, None)",
    "import builtins\nvars(builtins).clear()",
    "import sys\nsys.modules.clear()",
    "import json\njson.dumps = json.loads = None\njson.encoder.c_make_encoder = None",
    "import asyncio\nasyncio.events.Handle._run = lambda self: None",
    "import asyncio\nasyncio.base_events.BaseEventLoop.call_at = None\nasyncio.Future = int",
    "import asyncio\ntype(asyncio.get_running_loop()).run_ready = lambda self: None",
    "import asyncio\nvars(asyncio.get_running_loop()).clear()",
    "import asyncio\nasyncio._set_running_loop(None)",
    "import sys\nf = sys._getframe().f_back\nf.f_locals['parts'] = None\nf.clear",
    "import sys\nsys.stdout = sys.stderr = None\nprint('x')",
    "import sys\nsys.setrecursionlimit(10)",
    "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)",
    "import gc\ngc.disable()\ngc.set_threshold(1)",
    "import traceback, linecache\ntraceback.TracebackException = None\nlinecache.cache = None",
    "ToolError.__init__ = None",
    "import builtins\nbuiltins.print = builtins.compile = builtins.BaseException = None",
    "import sys, types\nsys.modules['asyncio'] = types.ModuleType('asyncio')",
    "import gc\nfor o in gc.get_objects():\n    if type(o) is dict and len(o) < 50:\n"
    "        try: o.clear()\n        except Exception: pass",
    "import marshal, random, sys\nmarshal.loads = random.seed = sys.exit = None",
    "import _asyncio\nfor t in gc.get_objects() if 'gc' in globals() else []: pass",
]


@pytest.mark.parametrize("looking", LOOKING)
def test_results_of_later_calls_are_not_there_to_be_found(looking: str) -> None:
    source = looking.replace("{secret}", "(chr(114) + 'esult of a later')")
    program = (
        f"import asyncio\nx = await get(key='a')\n{source}\nn = len(found)\nawait get(key='b')\nn"
    )

    def answer(call: Call) -> Result:
        return Returned(SECRET if call.arguments["key"] == "b" else "first")

    assert run(program, answer).value == 0


@pytest.mark.parametrize("forging", FORGING)
def test_no_tool_can_be_called_that_was_not_declared(forging: str) -> None:
    ran = run(f"try:\n    exec({forging!r})\nexcept BaseException: pass\nawait get(key='a')")
    called = {call.name for batch in ran.batches for call in batch}
    assert called <= {tool.name for tool in NAMES}
    assert ran.value == "a!"


def _steps(source: str) -> Iterator[object]:
    """What a program does, step by step, until it is over."""
    execution = engine("python").start(Program("python", source), NAMES, LIMITS)
    outcome = execution.advance([])
    yield outcome
    while isinstance(outcome, Suspended):
        outcome = execution.advance([Returned("r") for _ in outcome.calls])
        yield outcome
    execution.close()


@pytest.mark.parametrize("place", ["before", "between"])
@pytest.mark.parametrize("breaking", BREAKING)
def test_a_broken_harness_fails_its_own_program_the_same_way_every_time(
    breaking: str, place: str
) -> None:
    call = "x = await get(key='a')"
    lines = [breaking, call] if place == "before" else [call, breaking, call]
    source = "import asyncio, gc, sys\n" + "\n".join(lines) + "\n[x, 1]"
    first, second = list(_steps(source)), list(_steps(source))
    assert first == second
    assert run("await get(key='next')").value == "next!"


def test_a_forged_report_is_checked() -> None:
    source = """
    import gc, json
    for o in gc.get_objects():
        if type(o).__name__ == "Session":
            o._host.fail(json.dumps({"kind": "limit", "line": -3, "message": ["x"], "name": 5}))
    """
    error = run(source).error
    assert (error.kind, error.name, error.message, error.line) == (
        "exception",
        "Exception",
        "",
        None,
    )


def test_forged_output_and_values_stay_within_limits() -> None:
    source = """
    import gc
    for o in gc.get_objects():
        if type(o).__name__ == "Session":
            o._host.log(77, "x" * 10)
            o._host.complete("not json")
            o._host.complete("[" * 100000)
    5
    """
    ran = run(source)
    assert "cannot be read as JSON" in ran.error.message
    assert ran.outcome.logs[0].level == "warning"


@pytest.mark.parametrize(
    "flood", ["o._host.fail('[' + '[],' * 8_000_000 + '[]]')", "o._tell(0, chr(10) * 20_000_000)"]
)
def test_a_forged_flood_takes_little_of_the_hosts_memory(flood: str) -> None:
    source = """
    import builtins
    names = builtins.print.__code__.co_freevars
    o = builtins.print.__closure__[names.index("log")].cell_contents.__self__
    """
    run("1")  # the engine is ready
    tracemalloc.start()
    try:
        assert run(f"{dedent(source)}\n{flood}").error
        assert tracemalloc.get_traced_memory()[1] < 260_000_000
    finally:
        tracemalloc.stop()


def test_the_harness_cannot_be_imported() -> None:
    for name in ("relay", "relay.session", "app", "session"):
        assert run(f"import {name}").error.name == "ModuleNotFoundError"


def test_texts_that_count_for_nothing_are_paid_for_as_well() -> None:
    """A program that came to the host's own functions gives them the same megabytes again."""
    source = """
    host = asyncio.run.__self__._host
    text = "x" * {}
    host.complete("1")
    for _ in range(100):
        host.complete(text)
    """
    short = run(source.format(10)).outcome.fuel
    long = run(source.format(1_000_000)).outcome.fuel
    assert long - short > 100 * 1_000_000 * 5
