"""A function that fails is an answer; only cancelling keeps a call from having one.

Shared by all that answer a program's calls in this process: the client's local tools, and the
callback of a session.
"""

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from coderelay.core import CallError, Json, Raised, Result, Returned
from coderelay.core.json_values import NotJson, check_depth, dump, size

T = TypeVar("T")


async def settled(work: Awaitable[Result]) -> Result:
    """What the work comes to, with its exceptions as answers too."""
    try:
        return await work
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return Raised(CallError("the tool was cancelled", name="CancelledError"))
    except (Exception, SystemExit) as error:
        return Raised(CallError(said(error), name=type(error).__name__))


def said(error: BaseException) -> str:
    """What an exception says, or else what it is: it may fail to say anything."""
    name = type(error).__name__
    try:
        return str(error) or name
    except Exception:
        return name


async def call(function: Callable[..., Any], work: Callable[[], Any]) -> Any:
    """Do the work that calls a function: in a thread of its own, unless the function is async."""
    value = work() if is_async(function) else await in_thread(work)
    return await value if inspect.isawaitable(value) else value


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await."""
    called = function if inspect.isroutine(function) else type(function).__call__
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


async def in_thread(work: Callable[[], T]) -> T:
    """Run blocking work in a daemon thread of its own.

    Not asyncio's executor: it has a handful of threads, so a batch would queue, and waits for all
    of them at the end, so Ctrl-C would hang. When cancelled, the work's end is nobody's concern.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Callable[[], T]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(outcome: Callable[[], T]) -> None:
        if not done.done():
            done.set_result(outcome)

    def target() -> None:
        outcome = _attempt(lambda: context.run(work))
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=target, name="coderelay tool", daemon=True).start()
    return (await done)()


def answered(value: Json, limit: int) -> Result:
    """The answer as a result. What no program can be given is refused here, where the tool's
    author can read of it; `limit` is in bytes of JSON text."""
    try:
        check_depth(value)
        length = size(dump(value))
    except NotJson as error:
        return Raised(CallError(f"the tool's answer has no JSON form: {error}", name="TypeError"))
    if length > limit:
        message = f"the tool's answer is {length:,} bytes, the limit is {limit:,}: ask for less"
        return Raised(CallError(message, name="ValueError"))
    return Returned(value)


def _attempt(work: Callable[[], T]) -> Callable[[], T]:
    """Do the work now; what comes back returns its value or raises its exception.

    A future cannot hold every exception: StopIteration would never arrive.
    """
    try:
        value = work()
    except BaseException as caught:
        error = caught

        def fail() -> T:
            raise error

        return fail
    return lambda: value
