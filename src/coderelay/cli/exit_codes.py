"""How a command ends: with an exit code and, for an error, a message instead of a traceback."""

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

  1  the program failed: it threw, or exceeded a limit

  2  the command, a tools file or a journal cannot be used as given

  3  the program diverged from the journal, or the engine failed

  4  the journal ended before the program: the program waits for more

  130  interrupted with Ctrl-C; the --journal file has the answered calls
"""
"""Shown below the help of `run`. typer makes a paragraph of each line, so lines are separated."""


class ExitCode(IntEnum):
    """The exit codes of all commands."""

    COMPLETED = 0
    FAILED = 1
    USAGE = 2
    ERROR = 3
    SUSPENDED = 4
    INTERRUPTED = 130


class UsageError(RequestError):
    """The command cannot be executed as it was given."""


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
    """Make a command print a message and exit with a code where it would raise our errors."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (Diverged, EngineError) as error:
            raise _exit(error, ExitCode.ERROR) from None
        except RequestError as error:
            raise _exit(error, ExitCode.USAGE) from None
        except KeyboardInterrupt:
            raise _exit("interrupted", ExitCode.INTERRUPTED) from None

    return guarded


def _exit(problem: Exception | str, code: ExitCode) -> typer.Exit:
    line = Text("error: ", style="bold red") + Text(printable(str(problem)), style="not bold")
    Console(stderr=True).print(line, soft_wrap=True)
    return typer.Exit(code)
