"""Executions on many threads at once are as they are alone."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from coderelay.core import (
    CallError,
    Completed,
    Entry,
    Failed,
    Raised,
    Returned,
    Suspended,
    TimedOut,
)
from tests.typescript.driving import LIMITS, drive, start

TIGHT = replace(LIMITS, fuel=30_000_000, logs=5_000, value=1_000, memory=16 * 1024 * 1024)
PROGRAMS = {
    "a value": "let s = 0; for (let i = 0; i < 5000; i++) s += i; console.log(s); s",
    "calls": (
        "const r = await Promise.all([get({ a: 1 }), webSearch({ b: 2 })]); [r, Math.random()]"
    ),
    "an exception": "await get({});\nthrow new RangeError('x')",
    "a failing tool": "await get({ fail: 'no' })",
    "a syntax error": "let x = (;",
    "an enum": "enum E { A = 4 }\nE.A",
    "fuel": "for (;;);",
    "logs": "for (;;) console.log('x'.repeat(100))",
    "waiting": "for (;;) get({})",
    "value": "'x'.repeat(2000)",
    "memory": "const a = []; for (;;) a.push(new Uint8Array(1 << 16).fill(1))",
    "stack": "JSON.parse('['.repeat(1e5))",
    "recursion": "(function f() { return f() + 1 })()",
    "rejections": "for (let i = 0; i < 20; i++) Promise.reject(i); 1",
    "timers": "await new Promise(r => setTimeout(r, 10)); Date.now()",
    "the stripper": "(" * 10_000,
}


def outcome(name: str) -> object:
    return drive(PROGRAMS[name], limits=TIGHT).outcome


@pytest.fixture(scope="module")
def alone() -> dict[str, object]:
    return {name: outcome(name) for name in PROGRAMS}


def test_many_programs_on_many_threads_end_as_they_do_alone(alone: dict[str, object]) -> None:
    jobs = list(PROGRAMS) * 12
    with ThreadPoolExecutor(8) as pool:
        for name, result in zip(jobs, pool.map(outcome, jobs), strict=True):
            assert result == alone[name], name


def test_an_error_of_one_thread_is_not_seen_by_another(alone: dict[str, object]) -> None:
    stopping = ["logs", "waiting", "value", "fuel", "stack"]
    over = threading.Event()
    unexpected: list[object] = []

    def disturb(name: str) -> None:
        while not over.is_set():
            if outcome(name) != alone[name]:
                unexpected.append(name)

    disturbers = [threading.Thread(target=disturb, args=(name,)) for name in stopping]
    for thread in disturbers:
        thread.start()
    try:
        for _ in range(60):
            assert outcome("calls") == alone["calls"]
    finally:
        over.set()
        for thread in disturbers:
            thread.join()
    assert unexpected == []


def test_a_wall_clock_that_stops_one_thread_stops_no_other(alone: dict[str, object]) -> None:
    slow = replace(LIMITS, fuel=10**15, step_fuel=10**15, seconds=0.1)

    def spin() -> type[BaseException] | None:
        try:
            drive("for (;;);", limits=slow)
        except TimedOut as error:
            return type(error)
        return None

    with ThreadPoolExecutor(4) as pool:
        stopped = [pool.submit(spin) for _ in range(2)]
        fine = [pool.submit(outcome, "calls") for _ in range(40)]
        assert [future.result() for future in stopped] == [TimedOut, TimedOut]
        assert all(future.result() == alone["calls"] for future in fine)


def on_a_thread(work: Callable[[], object]) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def test_an_execution_may_go_on_on_another_thread() -> None:
    source = "let s = 0; for (let i = 0; i < 3; i++) s += (await get({ i })).i; s"
    run = start(source)
    result = on_a_thread(lambda: run.proceed([]))
    while isinstance(result, Suspended):
        entries = [Entry(c.name, c.arguments, Returned(c.arguments)) for c in result.calls]
        result = on_a_thread(partial(run.proceed, entries))
    assert result == drive(source).outcome


def test_suspended_executions_do_not_disturb_each_other() -> None:
    source = "const id = (await get({})).id; const again = (await get({ id })).id; [id, again]"
    runs = [start(source, id=f"program {n}") for n in range(30)]
    for run in runs:
        assert isinstance(run.proceed([]), Suspended)
    for n, run in enumerate(runs):
        run.proceed([Entry("get", {}, Returned({"id": n}))])
    for n, run in reversed(list(enumerate(runs))):
        result = run.proceed([Entry("get", {"id": n}, Returned({"id": -n}))])
        assert isinstance(result, Completed)
        assert result.value == [n, -n]


def test_executions_that_are_closed_in_the_middle_disturb_no_other() -> None:
    def leave(n: int) -> bool:
        run = start(f"await get({n}); for (;;);")
        suspended = isinstance(run.proceed([]), Suspended)
        run.close()
        return suspended

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(leave, range(100)))
    failed = drive("await get({ fail: 1 })", lambda call: Raised(CallError("no"))).outcome
    assert isinstance(failed, Failed)
