"""The user's callback answers the calls of a batch, all at once; whatever it does is a result.

A plain callback runs in a thread of its own for each call, an async one as a task of the loop.
A thread cannot be stopped: after its time is up a plain callback runs on, and its answer is lost.
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
from coderelay.tool_answers import answered, call, said, settled

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool: an id that no other call has, the tool's name as it was given, and
    the arguments, which fit the tool's schema."""

    name: str
    arguments: dict[str, Json]
    req_id: str = field(default_factory=lambda: f"req_{uuid.uuid4().hex}")


class Refused(Exception):
    """Raised by `on_call` to keep a call from being made; the message is for the model."""


Callback: TypeAlias = Callable[[str, str, dict[str, Any]], Any]
OnCall: TypeAlias = Callable[[ToolCall], Awaitable[None] | None]
OnResult: TypeAlias = Callable[[ToolCall, Result, float], Awaitable[None] | None]


@dataclass(frozen=True, slots=True)
class Callbacks:
    """How calls are answered. `timeout` is in seconds for each call, `limit` in bytes of JSON."""

    callback: Callback
    timeout: float | None
    limit: int
    on_call: OnCall | None = None
    on_result: OnResult | None = None
    now: Callable[[], float] = time.perf_counter

    async def answer(self, calls: Sequence[ToolCall]) -> list[Result]:
        """The results, in call order."""
        return await asyncio.gather(*(self._answer(each) for each in calls))

    async def _answer(self, made: ToolCall) -> Result:
        started = self.now()
        refused = await self._refused(made)
        if refused is None:
            started = self.now()  # a person who thinks about it is not the tool
            result = await self._in_time(made)
        else:
            result = refused
        await self._tell(made, result, self.now() - started)
        return result

    async def _refused(self, made: ToolCall) -> Raised | None:
        """Why the call may not be made. A hook that fails allows nothing."""
        if self.on_call is None:
            return None
        try:
            await call(self.on_call, partial(self.on_call, made))
        except Refused as reason:
            return _error(f"the call was refused: {said(reason)}")
        except Exception as error:
            _log.exception("on_call failed for %s (%s)", made.name, made.req_id)
            return _error(f"the call could not be approved: {said(error)}")
        return None

    async def _in_time(self, made: ToolCall) -> Result:
        task = asyncio.ensure_future(settled(self._called(made)))
        try:
            # not wait_for: that waits on for a callback that does not let itself be cancelled
            await asyncio.wait([task], timeout=self.timeout)
        finally:
            if not task.done():
                task.cancel()
        if task.done():
            return task.result()
        return _error(f"no answer within {self.timeout:g} seconds")

    async def _called(self, made: ToolCall) -> Result:
        work = partial(self.callback, made.req_id, made.name, made.arguments)
        return answered(await call(self.callback, work), self.limit)

    async def _tell(self, made: ToolCall, result: Result, seconds: float) -> None:
        if self.on_result is None:
            return
        try:
            await call(self.on_result, partial(self.on_result, made, result, seconds))
        except Exception:
            _log.exception("on_result failed for %s (%s)", made.name, made.req_id)


def _error(message: str) -> Raised:
    return Raised(CallError(message))
