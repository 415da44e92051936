"""Calls the user's functions, and turns what they return or raise into results.

An exception is a result too; only cancelling leaves a call without one. The client's local tools
and the callback of a session use this.
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


async def with_errors_as_results(work: Awaitable[Result]) -> Result:
    """Await a result, and return an exception as `Raised`. Raises only if this task is cancelled.

    A tool that raises `CancelledError` by itself has failed like any other.
    """
    try:
        return await work
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return Raised(CallError("the tool was cancelled", name="CancelledError"))
    except (Exception, SystemExit) as error:
        return Raised(CallError(exception_text(error), name=type(error).__name__))


def exception_text(error: BaseException) -> str:
    """Return an exception's message, or its class name if it has none or `str` fails on it."""
    name = type(error).__name__
    try:
        return str(error) or name
    except Exception:
        return name


async def call(function: Callable[..., Any], work: Callable[[], Any]) -> Any:
    """Run `work`, which calls `function`, and return what it returns or what awaiting that gives.

    It runs in a new thread unless the function is async.
    """
    value = work() if is_async(function) else await in_thread(work)
    return await value if inspect.isawaitable(value) else value


def is_async(function: Callable[..., Any]) -> bool:
    """Return whether a function, or an object's `__call__`, is declared with `async def`."""
    called = function if inspect.isroutine(function) else type(function).__call__
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


async def in_thread(work: Callable[[], T]) -> T:
    """Run blocking work in a new daemon thread, and return its result.

    asyncio's executor is not used: it has only a few threads, so a batch would queue, and it waits
    for all of them at exit, so Ctrl-C would hang. Cancelling drops the result of the work, which
    runs on.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Callable[[], T]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(outcome: Callable[[], T]) -> None:
        if not done.done():
            done.set_result(outcome)

    def target() -> None:
        outcome = _attempt(lambda: context.run(work))
        with contextlib.suppress(RuntimeError):  # the loop is closed, so nobody awaits the result
            loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=target, name="coderelay tool", daemon=True).start()
    return (await done)()


def answer_as_result(value: Json, limit: int) -> Result:
    """Return a tool's answer as a result, or an error if it is not JSON or too long.

    `limit` is in bytes of JSON text. The answer is checked here, and not only in the sandbox, so
    that the error can name the tool's answer as the cause.
    """
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
    """Run the work now, and return a function that returns its value or raises its exception.

    The exception is not set on a future, because a future refuses `StopIteration`.
    """
    try:
        value = work()
    except BaseException as caught:
        error = caught

        def fail() -> T:
            raise error

        return fail
    return lambda: value
