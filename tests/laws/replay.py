"""Runs a program live, entry by entry, and again from the start at every prefix of its journal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coderelay.core import (
    Call,
    CallError,
    Entry,
    Outcome,
    Program,
    Raised,
    Result,
    Returned,
    Run,
    Suspended,
    Tool,
)
from coderelay.core.json_values import digest
from coderelay.core.limits import Limits
from coderelay.declare import ToolHost, names
from coderelay.engines.interface import Engine

MOST_CALLS = 60
LIMITS = Limits(fuel=3_000_000_000, seconds=600)


def answer(call: Call) -> Result:
    """What the client's tools say: a function of the call, and often a failure."""
    chance = int(digest([call.index, call.name, call.arguments]), 16)
    if call.name in ("mayFail", "may_fail") and chance % 2:
        return Raised(CallError(f"no luck with {chance % 5}", name="LuckError"))
    if chance % 11 == 0:
        return Returned({"n": chance % 10, "big": 2**70 + chance % 9, "text": "é\u2028😀\ud800"})
    return Returned({"n": chance % 10})


def assert_lawful(engine: Engine, program: Program, tools: Sequence[Tool]) -> None:
    """Live and replayed at every prefix, a run is the same in calls, logs, value and fuel; and
    the client is shown calls of its own tools only, which it counts without a gap."""
    trace = live(engine, program, tools, answer, LIMITS)
    assert replayed(engine, program, tools, trace, LIMITS).outcomes == trace.outcomes
    own = {tool.name for tool in tools}
    for answers, outcome in enumerate(trace.outcomes):
        if isinstance(outcome, Suspended):
            indices = [call.index for call in outcome.calls]
            assert indices == list(range(answers, answers + len(indices)))
            assert own.issuperset(call.name for call in outcome.calls)


@dataclass(frozen=True, slots=True)
class Trace:
    """A run's journal, and its outcome after each entry: `outcomes[k]` is that of k entries."""

    journal: tuple[Entry, ...]
    outcomes: tuple[Outcome, ...]


def live(
    engine: Engine,
    program: Program,
    tools: Sequence[Tool],
    answer: Callable[[Call], Result],
    limits: Limits,
) -> Trace:
    """One execution, fed one entry at a time, as a client that never loses it would."""
    run = _started(engine, program, tools, limits)
    journal: list[Entry] = []
    outcomes = [run.proceed([])]
    try:
        while isinstance(outcomes[-1], Suspended) and len(journal) < MOST_CALLS:
            call = outcomes[-1].calls[0]
            journal.append(Entry(call.name, call.arguments, answer(call)))
            outcomes.append(run.proceed(journal[-1:]))
    finally:
        run.close()
    return Trace(tuple(journal), tuple(outcomes))


def replayed(
    engine: Engine, program: Program, tools: Sequence[Tool], trace: Trace, limits: Limits
) -> Trace:
    """A fresh execution for every prefix of the journal, as a stateless server would."""
    outcomes = []
    for length in range(len(trace.journal) + 1):
        run = _started(engine, program, tools, limits)
        try:
            outcomes.append(run.proceed(trace.journal[:length]))
        finally:
            run.close()
    return Trace(trace.journal, tuple(outcomes))


def _started(engine: Engine, program: Program, tools: Sequence[Tool], limits: Limits) -> Run:
    host = ToolHost(tools, names(tools, program.language), program.language)
    return Run(engine.start(program, host.names, limits), host)
