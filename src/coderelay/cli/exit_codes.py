"""An exit code says whose turn it is; an error is a message, never a traceback."""

from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from typing import ParamSpec, TypeVar, assert_never

import typer
from rich.console import Console
from rich.text import Text

from coderelay.cli.printable import printable
from coderelay.core import (
    Completed,
    Diverged,
    EngineError,
    Failed,
    Outcome,
    RequestError,
    Suspended,
)

P = ParamSpec("P")
R = TypeVar("R")


EXIT_CODES = """[bold]Exit codes[/]

  0  the program completed

  1  the program failed: it threw, or passed a limit

  2  the command, a tools file or a journal is not usable as given

  3  the program diverged from the journal, or the engine failed

  4  the journal ended before the program: it waits for more answers

  130  Ctrl-C interrupted it; --journal has the calls that were answered
"""
"""For the help: the text of an epilog is one paragraph a line."""


class ExitCode(IntEnum):
    """What the shell is told."""

    COMPLETED = 0
    FAILED = 1
    USAGE = 2
    ERROR = 3
    SUSPENDED = 4
    INTERRUPTED = 130


class UsageError(RequestError):
    """The command cannot be done as it was given."""


def exit_code(outcome: Outcome) -> ExitCode:
    """The exit code of an outcome."""
    match outcome:
        case Completed():
            return ExitCode.COMPLETED
        case Failed():
            return ExitCode.FAILED
        case Suspended():
            return ExitCode.SUSPENDED
        case _:
            assert_never(outcome)


def reported(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command end with a message and an exit code where it would raise."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (Diverged, EngineError) as error:
            raise _told(error, ExitCode.ERROR) from None
        except RequestError as error:
            raise _told(error, ExitCode.USAGE) from None
        except KeyboardInterrupt:
            raise _told("interrupted", ExitCode.INTERRUPTED) from None

    return guarded


def _told(problem: Exception | str, code: ExitCode) -> typer.Exit:
    line = Text("error: ", style="bold red") + Text(printable(str(problem)), style="not bold")
    Console(stderr=True).print(line, soft_wrap=True)
    return typer.Exit(code)
