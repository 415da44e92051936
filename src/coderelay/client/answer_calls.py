"""The calls of a batch are answered by local tools, all at once; a failure is an answer too."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from coderelay.client.local_answer import answer
from coderelay.client.local_tool import AnyLocalTool
from coderelay.core import Call, CallError, Raised, Result

Clock: TypeAlias = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Called:
    """A tool is being called."""

    call: Call


@dataclass(frozen=True, slots=True)
class Answered:
    """A tool has answered."""

    call: Call
    result: Result
    seconds: float


async def answer_batch(
    calls: Sequence[Call],
    tools: Mapping[str, AnyLocalTool],
    *,
    watch: Callable[[Called | Answered], None],
    clock: Clock = time.perf_counter,
) -> list[Result]:
    """The results of a batch, in call order; `watch` is told of each call and of each answer."""

    async def one(call: Call) -> Result:
        started = clock()
        tool = tools.get(call.name)
        result = await answer(tool, call.arguments) if tool else _unknown(call.name, tools)
        watch(Answered(call, result, clock() - started))
        return result

    for call in calls:
        watch(Called(call))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(call)) for call in calls]
    return [task.result() for task in tasks]


def _unknown(name: str, tools: Mapping[str, AnyLocalTool]) -> Raised:
    """A model that was not told of a tool may still make one up."""
    known = ", ".join(tools) or "none"
    return Raised(CallError(f"no tool is called {name!r}: there is {known}", name="LookupError"))
