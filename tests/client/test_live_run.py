"""Local tools answer all calls of a batch at once, and the results are delivered together."""

import asyncio
import itertools
import threading
from collections.abc import Sequence

import pytest

from coderelay.client import Answered, Called, Event, Report, Stepped, drive, tool
from coderelay.core import (
    Call,
    CallError,
    Completed,
    Entry,
    Program,
    Raised,
    Result,
    Returned,
    Run,
    Work,
)
from coderelay.core.limits import DEFAULT_LIMITS
from coderelay.engines.scripted_engine import Script, ScriptedEngine, ScriptedExecution, value

BOTH = threading.Barrier(2)


@tool
def twice(number: int) -> int:
    BOTH.wait()
    return number * 2


@tool
def fail(why: str) -> None:
    raise ValueError(why)


class Nobody:
    def answer(self, call: Call, work: Work) -> Result | None:
        return None


def program() -> Script:
    results = yield [("twice", {"number": 1}), ("twice", {"number": 2})]
    (failed,) = yield [("fail", {"why": "just so"})]
    assert isinstance(failed, Raised)
    return [*map(value, results), failed.error.message]


def execution() -> ScriptedExecution:
    return ScriptedEngine({"x": program}).start(Program("scripted", "x"), [], DEFAULT_LIMITS)


def driven(watched: list[Event], script: ScriptedExecution | None = None) -> Report:
    ticks = itertools.count()
    run = Run(script or execution(), Nobody())
    return asyncio.run(
        drive(run, [twice, fail], watch=watched.append, clock=lambda: float(next(ticks)))
    )


def test_a_program_runs_to_its_end_with_concurrent_calls() -> None:
    report = driven([])
    assert report.outcome == Completed([2, 4, "just so"], fuel=3)
    assert report.batches == 2
    assert report.journal == (
        Entry("twice", {"number": 1}, Returned(2)),
        Entry("twice", {"number": 2}, Returned(4)),
        Entry("fail", {"why": "just so"}, Raised(CallError("just so", "ValueError"))),
    )


def test_every_event_is_reported_as_it_happens() -> None:
    watched: list[Event] = []
    driven(watched)
    assert _kinds(watched[:3]) == [Stepped, Called, Called]
    assert sorted(type(event).__name__ for event in watched[3:5]) == ["Answered", "Answered"]
    assert _kinds(watched[5:]) == [Stepped, Called, Answered, Stepped]


def test_time_is_split_into_sandbox_and_tools() -> None:
    report = driven([])
    assert report.sandbox_seconds == 3.0  # one tick of the test's clock for each step
    assert report.tools_seconds > 0


def test_the_run_is_closed_at_its_end() -> None:
    script = execution()
    driven([], script)
    assert script.closed


def test_the_run_is_closed_when_the_engine_fails() -> None:
    class Broken(ScriptedExecution):
        def advance(self, results: Sequence[Result]) -> Completed:
            raise RuntimeError("broken")

    script = Broken(program())
    with pytest.raises(RuntimeError, match="broken"):
        driven([], script)
    assert script.closed


def _kinds(events: Sequence[Event]) -> list[type[Event]]:
    return [type(event) for event in events]
