"""Calls the user's callback for all calls of a batch at once, and turns what it does into results.

A plain callback runs in a new thread for each call, an async one as a task of the event loop. A
thread cannot be stopped, so a plain callback runs on after its timeout, and its answer is dropped.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from coderelay.core import CallError, Json, Raised, Result
from coderelay.tool_answers import (
    answer_as_result,
    call,
    exception_text,
    with_errors_as_results,
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, with the tool's name as it was declared and the validated arguments.

    `req_id` is unique to this call.
    """

    name: str
    arguments: dict[str, Json]
    req_id: str = field(default_factory=lambda: f"req_{uuid.uuid4().hex}")


class Refused(Exception):
    """Raise it in `on_call` to prevent a call. The model gets the message."""


Callback: TypeAlias = Callable[[str, str, dict[str, Any]], Any]
OnCall: TypeAlias = Callable[[ToolCall], Awaitable[None] | None]
OnResult: TypeAlias = Callable[[ToolCall, Result, float], Awaitable[None] | None]


@dataclass(frozen=True, slots=True)
class Callbacks:
    """The user's callback and hooks.

    `timeout` is in seconds for each call. `limit` is the size of a result, in bytes of JSON.
    """

    callback: Callback
    timeout: float | None
    limit: int
    on_call: OnCall | None = None
    on_result: OnResult | None = None
    now: Callable[[], float] = time.perf_counter

    async def answer(self, calls: Sequence[ToolCall]) -> list[Result]:
        """Answer all calls concurrently, and return their results in the same order."""
        return await asyncio.gather(*(self._answer(each) for each in calls))

    async def _answer(self, tool_call: ToolCall) -> Result:
        started = self.now()
        refusal = await self._refusal(tool_call)
        if refusal is None:
            started = self.now()  # not before: a person may take minutes to approve a call
            result = await self._result_in_time(tool_call)
        else:
            result = refusal
        await self._report_result(tool_call, result, self.now() - started)
        return result

    async def _refusal(self, tool_call: ToolCall) -> Raised | None:
        """Return the error for a call that `on_call` does not allow, and None for an allowed one.

        A hook that raises anything else does not allow the call either.
        """
        if self.on_call is None:
            return None
        try:
            await call(self.on_call, partial(self.on_call, tool_call))
        except Refused as reason:
            return _error(f"the call was refused: {exception_text(reason)}")
        except Exception as error:
            _log.exception("on_call failed for %s (%s)", tool_call.name, tool_call.req_id)
            return _error(f"the call could not be approved: {exception_text(error)}")
        return None

    async def _result_in_time(self, tool_call: ToolCall) -> Result:
        """Return the callback's result, or an error if it does not answer within the timeout."""
        task = asyncio.ensure_future(with_errors_as_results(self._result(tool_call)))
        try:
            # Not `wait_for`, which would go on waiting for a callback that ignores cancellation.
            await asyncio.wait([task], timeout=self.timeout)
        finally:
            if not task.done():
                task.cancel()
        if task.done():
            return task.result()
        return _error(f"no answer within {self.timeout:g} seconds")

    async def _result(self, tool_call: ToolCall) -> Result:
        work = partial(self.callback, tool_call.req_id, tool_call.name, tool_call.arguments)
        return answer_as_result(await call(self.callback, work), self.limit)

    async def _report_result(self, tool_call: ToolCall, result: Result, seconds: float) -> None:
        """Call `on_result`. Its exceptions are only logged: the call was made in any case."""
        if self.on_result is None:
            return
        try:
            await call(self.on_result, partial(self.on_result, tool_call, result, seconds))
        except Exception:
            _log.exception("on_result failed for %s (%s)", tool_call.name, tool_call.req_id)


def _error(message: str) -> Raised:
    return Raised(CallError(message))
