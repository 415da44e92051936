"""An event loop without I/O: timers fire only when nothing can run and no call waits."""

import heapq
from asyncio import base_events, events, tasks
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any
from weakref import WeakSet

from relay.calls import ToolCall
from relay.pristine import __builtins__  # noqa: F401

_Handle = events.Handle
_heappop = heapq.heappop
_Task = tasks.Task
_END = 1e10
_swap_current_task = tasks._swap_current_task  # type: ignore[attr-defined]


async def _awaited(call: ToolCall) -> Any:
    return await call


class VirtualLoop(base_events.BaseEventLoop):
    """Driven by hand. Time passes when `wait` is told so, never by itself."""

    tasks = 0
    """How many tasks there have been."""
    _timer_cancelled_count = 0
    _closed = _stopping = _debug = _asyncgens_shutdown_called = _executor_shutdown_called = False
    _default_executor = _exception_handler = _current_handle = _task_factory = None
    _coroutine_origin_tracking_enabled = False
    _coroutine_origin_tracking_saved_depth = None
    _thread_id = None
    _internal_fds = 0
    _clock_resolution = 1e-6
    slow_callback_duration = 0.1

    def __init__(
        self, wait: Callable[[int], int], warn: Callable[[str, BaseException | None], None]
    ) -> None:
        # Not super().__init__(): it asks for the clock's resolution and the environment.
        self._ready = deque()  # type: ignore[var-annotated]
        self._scheduled = []  # type: ignore[var-annotated]
        self._asyncgens = WeakSet()  # type: ignore[var-annotated]
        self._wait = wait
        self._warn = warn

    def time(self) -> float:
        """The clock that programs read. Reading it here takes no time, so no timer is late."""
        return self._wait(0) / 1e9

    def is_running(self) -> bool:
        """Always: programs begin and end inside it."""
        return True

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> events.Handle:
        """Run a callback after those that are ready already."""
        handle = _Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def create_task(self, coro: Any, **options: Any) -> tasks.Task[Any]:  # type: ignore[name-defined]
        """A task, also of a tool call: programs take tools for async functions."""
        self.tasks += 1
        if isinstance(coro, ToolCall):
            coro._seen()
            coro = _awaited(coro)
        if self._task_factory is not None:
            return self._task_factory(self, coro, **options)
        return _Task(coro, loop=self, **options)

    def run_ready(self) -> None:
        """Run callbacks until none is ready."""
        ready = self._ready
        while ready:
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()

    def fire_timer(self) -> bool:
        """Let time pass until the next timer. False if there is none."""
        timers = self._scheduled
        while timers and timers[0]._cancelled:
            self._timer_cancelled_count -= 1
            _heappop(timers)._scheduled = False
        if not timers:
            return False
        now = timers[0]._when
        self._wait(max(0, int(min(now, _END) * 1e9)))
        while timers and timers[0]._when <= now:
            handle = _heappop(timers)
            handle._scheduled = False
            self._ready.append(handle)
        return True

    def run_until_complete(self, future: Any) -> Any:
        """Run a coroutine from inside the loop, as far as that goes without a tool."""
        return self.run_nested(future, lambda: False)

    def run_nested(self, future: Any, calls_wait: Callable[[], bool]) -> Any:
        """Run until a future is done. Nothing below it on the stack can be suspended."""
        task = tasks.ensure_future(future, loop=self)
        outer = _swap_current_task(self, None)
        try:
            while not task.done():
                if self._ready:
                    self.run_ready()
                elif calls_wait() or not self.fire_timer():
                    raise RuntimeError(
                        "asyncio.run() cannot wait for a tool here: make this function async, and "
                        "await it"
                    )
        finally:
            _swap_current_task(self, outer)
        return task.result()

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """There are no threads: the function runs at once."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Errors that nobody waited for are logged."""
        if self._exception_handler is not None:
            self._exception_handler(self, context)
        else:
            message, future = str(context.get("message")), context.get("future")
            if isinstance(future, ToolCall):
                message = f"{future._describe()} failed, and nothing used its result"
            self._warn(message, context.get("exception"))

    def run_forever(self) -> None:
        """It does so already."""
        raise RuntimeError("the event loop is running already: await instead")

    def close(self) -> None:
        """It is closed with the program."""

    def _write_to_self(self) -> None:
        pass

    def _process_events(self, event_list: list[Any]) -> None:
        pass
