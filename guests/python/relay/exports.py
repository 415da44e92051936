"""Each entry of the host into the guest, and the warm-up that makes the first one cheap."""

import asyncio
import builtins
import gc
import sys
from asyncio import events, runners
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from relay import failures, jsontext, output
from relay.forms import FILE, pack
from relay.live import LiveSession
from relay.pristine import __builtins__  # noqa: F401
from relay.runner import runner
from relay.session import Session
from relay.warmup import RESULTS, SETUP, SOURCE

_collect = gc.collect
_REFUSED = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_OVER = 8
"""How far output may pass its limit before it is cut: the host must see that there was more, even
where it is all line ends, or where the cut went through a character of several bytes."""


_HIDDEN = (
    "app",
    "componentize_py_async_support",
    "componentize_py_async_support.futures",
    "componentize_py_async_support.streams",
    "componentize_py_runtime",
    "componentize_py_types",
    "poll_loop",
    "wit_world",
)
"""Modules that are there for the image's sake, not for programs."""


def _exit(code: Any = None) -> None:
    """End the program. `sys.exit` itself takes no keyword."""
    raise SystemExit(code)


_exit.__name__ = _exit.__qualname__ = "exit"


class Exports:
    """The guest's side of `world.wit`."""

    def __init__(self, world: Any) -> None:
        self._host = SimpleNamespace(
            call=world.call,
            log=self._log,
            complete=world.complete,
            fail=world.fail,
            wait=world.wait,
            invoke=world.invoke,
        )
        self._tell = world.log
        self._limit = 1 << 20
        self._session: Session | LiveSession | None = None
        self._code = pack(SOURCE)
        output.redirect(self._log, lambda: self._limit + _OVER)
        builtins.exit = builtins.quit = _exit  # type: ignore[assignment]
        failures.hide_frames()
        asyncio.run = runners.run = self._run
        asyncio.Runner = runners.Runner = runner(self._run)  # type: ignore[assignment, misc]
        asyncio.new_event_loop = events.new_event_loop = events.get_running_loop
        asyncio.set_event_loop = events.set_event_loop = lambda loop: None

    def rehearse(self) -> None:
        """Run the warm-up while the image is made, when there is no host yet."""
        host, tell, made = self._host, self._tell, iter(range(100))
        modules = dict(sys.modules)
        self._tell = mute = lambda *message: 0
        self._host = SimpleNamespace(
            call=lambda *call: next(made), log=mute, complete=mute, fail=mute, wait=mute
        )
        self.warm()
        self._host, self._tell = host, tell
        sys.modules.update(modules)

    def warm(self) -> None:
        """Run the warm-up: the same in every instance, pooled or not."""
        for name in _HIDDEN:
            sys.modules.pop(name, None)
        # Without a name in it, `argparse` and its like fail. The image forgets what was set before.
        sys.argv = [FILE]
        self.start(self._code, SOURCE, SETUP)
        self.resume(RESULTS)
        self._session = None
        _collect()  # what the program comes to use is then memory that was touched already

    def compile(self, source: str) -> str:
        """Compile a program that another instance will run."""
        try:
            return pack(source)
        except _REFUSED as error:
            return "!" + jsontext.write(failures.describe_syntax(error))

    def start(self, code: str, source: str, setup: str) -> None:
        """Start the one program of this instance."""
        *settings, self._limit = jsontext.read(setup)
        session = self._session = Session(self._host, source, settings)
        self._enter(session.start, code)

    def resume(self, results: str) -> None:
        """Deliver a batch to it."""
        if isinstance(self._session, Session):
            self._enter(self._session.resume, results)

    def begin(self, setup: str) -> None:
        """Make this instance a session's."""
        settings = jsontext.read(setup)
        session = self._session = LiveSession(self._host, self._tell, settings)
        self._tell, self._limit = session.tell, settings["output"]
        self._enter(session.open)

    def cell(self, number: str, source: str) -> None:
        """Run a cell of the session."""
        if isinstance(self._session, LiveSession):
            self._enter(self._session.cell, number, source)

    def _enter(self, step: Callable[..., None], *texts: str) -> None:
        """Leave the guest in an orderly way, even where a program broke the harness."""
        try:
            step(*texts)
        except BaseException as error:
            kind = "memory" if isinstance(error, MemoryError) else "exception"
            failure = {
                "kind": kind,
                "name": type(error).__name__,
                "message": failures.shortened(str(error)),
            }
            self._host.fail(jsontext.write(failure))

    def _log(self, level: int, text: str) -> None:
        self._tell(level, output.safe(text[: self._limit + _OVER]))

    def _run(self, main: Any, *, debug: Any = None, loop_factory: Any = None) -> Any:
        if self._session is None:
            raise RuntimeError("no program is running")
        return self._session.run_nested(main)
