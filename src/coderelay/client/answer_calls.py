"""Local tools answer the calls of a batch, all at the same time. A failure is an answer, too."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from coderelay.client.local_tool import AnyLocalTool
from coderelay.client.signature import ArgumentsError
from coderelay.core import DEFAULT_LIMITS, Call, CallError, Json, Raised, Result
from coderelay.core.json_values import NotJson
from coderelay.tool_answers import answer_as_result, call, with_errors_as_results

Clock: TypeAlias = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Called:
    """The call of a tool begins."""

    call: Call


@dataclass(frozen=True, slots=True)
class Answered:
    """A tool answered a call, after so many seconds."""

    call: Call
    result: Result
    seconds: float


async def answer(
    tool: AnyLocalTool, arguments: Json, *, limit: int = DEFAULT_LIMITS.result
) -> Result:
    """Call a local tool. Its arguments are validated by the type hints of its function, and a plain
    function runs in a thread of its own.

    `limit` is the largest answer, in bytes of JSON text. A larger one becomes an error.
    """
    try:
        positional, keyword = tool.signature.bind(arguments)
    except (ArgumentsError, NotJson) as error:
        return Raised(CallError(str(error), name="ValidationError"))

    async def work() -> Result:
        value = await call(tool.function, lambda: tool.function(*positional, **keyword))
        return answer_as_result(tool.signature.dump(value), limit)

    return await with_errors_as_results(work())


async def answer_batch(
    calls: Sequence[Call],
    tools: Mapping[str, AnyLocalTool],
    *,
    watch: Callable[[Called | Answered], None],
    clock: Clock = time.perf_counter,
) -> list[Result]:
    """The results of a batch, in the order of its calls. `watch` is called with each call when it
    begins, and with each answer when it is there."""

    async def one(made: Call) -> Result:
        started = clock()
        tool = tools.get(made.name)
        result = await answer(tool, made.arguments) if tool else _unknown(made.name, tools)
        watch(Answered(made, result, clock() - started))
        return result

    for made in calls:
        watch(Called(made))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(made)) for made in calls]
    return [task.result() for task in tasks]


def _unknown(name: str, tools: Mapping[str, AnyLocalTool]) -> Raised:
    """The answer to a call of a tool that does not exist: a model may make one up."""
    message = f"no tool is called {name!r}: the tools are {', '.join(tools)}"
    if not tools:
        message = f"no tool is called {name!r}: there are no tools"
    return Raised(CallError(message, name="LookupError"))
