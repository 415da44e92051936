"""The event loop of a session: it runs while a cell waits for something, on the real clock."""

import heapq
from asyncio import tasks
from collections.abc import Callable
from typing import Any

from relay.loop import VirtualLoop
from relay.pristine import __builtins__  # noqa: F401

_heappop = heapq.heappop
_ensure_future = tasks.ensure_future
_swap_current_task = tasks._swap_current_task  # type: ignore[attr-defined]


class Deadlock(RuntimeError):
    """What a cell waits for can never happen."""

    __module__ = "builtins"


Deadlock.__name__ = Deadlock.__qualname__ = "DeadlockError"


class LiveLoop(VirtualLoop):
    """Tasks that are not done when a cell ends go on when a later one waits."""

    def run_nested(self, future: Any, calls_wait: Callable[[], bool] = lambda: False) -> Any:
        """Run until a future is done."""
        task = _ensure_future(future, loop=self)
        outer = _swap_current_task(self, None)
        try:
            while not task.done():
                self._ring()
                if self._ready:
                    self._run_once()
                elif not self.fire_timer():
                    raise Deadlock("this waits for something that can never happen")
        finally:
            _swap_current_task(self, outer)
        return task.result()

    def _ring(self) -> None:
        """Make the timers ready that are due."""
        timers = self._scheduled
        if timers:
            now = self.time()
            while timers and timers[0]._when <= now:
                handle = _heappop(timers)
                handle._scheduled = False
                self._ready.append(handle)

    def _run_once(self) -> None:
        """Run what is ready now, and not what it makes ready: a task may have ended the wait."""
        ready = self._ready
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()
