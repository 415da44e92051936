"""A live run: local tools answer the calls of each batch, and the program continues with all
answers."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from coderelay.client.answer_calls import Answered, Called, Clock, answer_batch
from coderelay.client.local_tool import AnyLocalTool
from coderelay.core import Entry, Outcome, Run, Suspended
from coderelay.tool_answers import in_thread


@dataclass(frozen=True, slots=True)
class Stepped:
    """The program ran until it ended, or until it waits for calls."""

    outcome: Outcome
    seconds: float


Event: TypeAlias = Stepped | Called | Answered
Watch: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Report:
    """How a program ended, and what it took. Seconds are wall-clock time."""

    outcome: Outcome
    journal: tuple[Entry, ...]
    batches: int
    sandbox_seconds: float
    tools_seconds: float


async def drive(
    run: Run,
    tools: Sequence[AnyLocalTool],
    *,
    watch: Watch = lambda event: None,
    clock: Clock = time.perf_counter,
) -> Report:
    """Take a run to its end and close it. `watch` is called with every event."""
    try:
        report = await _drive(run, tools, watch, clock)
    except Exception:
        run.close()
        raise
    # not when cancelled: the guest may still run in its thread, and ends with it
    run.close()
    return report


async def _drive(run: Run, tools: Sequence[AnyLocalTool], watch: Watch, clock: Clock) -> Report:
    by_name = {tool.declaration.name: tool for tool in tools}
    journal: list[Entry] = []
    entries: list[Entry] = []
    batches, sandbox, waited = 0, 0.0, 0.0
    while True:
        started = clock()
        outcome = await in_thread(partial(run.proceed, entries))
        stepped = Stepped(outcome, clock() - started)
        sandbox += stepped.seconds
        watch(stepped)
        if not isinstance(outcome, Suspended):
            return Report(outcome, tuple(journal), batches, sandbox, waited)
        started = clock()
        results = await answer_batch(outcome.calls, by_name, watch=watch, clock=clock)
        waited += clock() - started
        batches += 1
        entries = [
            Entry(call.name, call.arguments, result)
            for call, result in zip(outcome.calls, results, strict=True)
        ]
        journal += entries
