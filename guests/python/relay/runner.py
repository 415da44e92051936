"""An `asyncio.Runner` for programs, which are in an event loop already: it runs things in that."""

from asyncio import events
from collections.abc import Callable
from typing import Any, Self

from relay.pristine import __builtins__  # noqa: F401


def runner(run: Callable[[Any], Any]) -> type:
    """The class, given what `asyncio.run` is."""

    class Runner:
        """Runs coroutines in the program's event loop."""

        __module__ = "asyncio.runners"
        __qualname__ = "Runner"

        def __init__(self, *, debug: Any = None, loop_factory: Any = None) -> None:
            pass

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *error: object) -> None:
            self.close()

        def close(self) -> None:
            """The loop is closed with the program."""

        def get_loop(self) -> Any:
            """The program's event loop."""
            return events.get_running_loop()

        def run(self, coro: Any, *, context: Any = None) -> Any:
            """Run a coroutine, as `asyncio.run` does."""
            return run(coro)

    return Runner
