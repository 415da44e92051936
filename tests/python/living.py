"""A live session for tests: a directory, an `sdk` with a few functions, and a record of calls."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import TypeVar

from coderelay.core import CallError, Failure, Raised, Result, Returned
from coderelay.core.cancellation import cancel_unless
from coderelay.engines.python import PythonEngine
from coderelay.engines.python.live.interpreter import (
    DEFAULT_LIVE_LIMITS,
    Cell,
    Live,
    LiveCall,
    LiveLimits,
)
from coderelay.engines.python.live.session_clock import SYSTEM_TIME, Time
from coderelay.languages.language_registry import engine
from tests.clocks import HeldTime
from tests.threads import on_a_thread

T = TypeVar("T")

SDK = '''\
"""The tools."""
_invoke = __invoke__
del __invoke__


def get(key):
    """Get what a key stands for."""
    [answer] = gather(("get", {"key": key}))
    return answer


def gather(*calls):
    """Make calls at once."""
    answers = _invoke(list(calls))
    for answer in answers:
        if isinstance(answer, ToolError):
            raise answer from None
    return answers
'''
Answering = Callable[[Sequence[LiveCall]], Sequence[Result]]


def echo(calls: Sequence[LiveCall]) -> list[Result]:
    """Answers with the arguments; the key `fail` fails."""
    return [
        Raised(CallError("no such key"))
        if call.arguments == {"key": "fail"}
        else Returned(call.arguments)
        for call in calls
    ]


def python() -> PythonEngine:
    """The engine."""
    found = engine("python")
    assert isinstance(found, PythonEngine)
    return found


class Session:
    """Runs cells, and looks at what they came to."""

    def __init__(self, live: Live, directory: Path) -> None:
        self.live = live
        self.directory = directory

    def run(self, source: str) -> Cell:
        """Run a cell, whatever it comes to."""
        return self.live.run(dedent(source))

    def value(self, source: str) -> str | None:
        """A cell's value."""
        cell = self.run(source)
        assert cell.failure is None, cell.failure
        return cell.value

    def output(self, source: str) -> str:
        """What a cell printed."""
        cell = self.run(source)
        assert cell.failure is None, cell.failure
        return cell.output

    def failure(self, source: str, *, alive: bool = True) -> Failure:
        """How a cell failed, and whether the interpreter lived on."""
        cell = self.run(source)
        assert cell.failure is not None, cell
        assert cell.alive == self.live.alive == alive
        return cell.failure


@contextmanager
def session(
    directory: Path,
    answer: Answering = echo,
    *,
    limits: LiveLimits = DEFAULT_LIVE_LIMITS,
    time: Time = SYSTEM_TIME,
) -> Iterator[Session]:
    """A session in a directory."""
    with Live(
        directory, engine=python(), modules={"sdk": SDK}, answer=answer, limits=limits, time=time
    ) as live:
        yield Session(live, directory)


def while_time_passes(clock: HeldTime, work: Callable[[], T]) -> T:
    """Do work on a thread of its own, where an hour passes whenever a guest has run for a while."""

    def hour() -> bool:  # asked of a guest that runs, at each tick of the real clock
        clock.sleep(3600)
        return True

    def passing() -> T:
        with cancel_unless(hour):
            return work()

    return on_a_thread(passing)
