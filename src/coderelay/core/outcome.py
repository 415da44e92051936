"""What a run came to: it waits, it is done, or it failed."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from coderelay.core.call import Call
from coderelay.core.json_values import Json

FailureKind: TypeAlias = Literal["syntax", "exception", "limit", "arguments", "deadlock"]


@dataclass(frozen=True, slots=True)
class Log:
    """One line a program wrote. The level is the console's, `print`'s, or `text` for output."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a program failed, in terms of the source that the model wrote.

    `limit` names the limit that a failure of that kind passed. `line` and `column` count from 1.
    `frame` shows the source around that place. `calls` says in words which calls of the
    program had succeeded: they happened, whatever became of it.
    """

    kind: FailureKind
    message: str
    name: str = ""
    limit: str | None = None
    line: int | None = None
    column: int | None = None
    stack: str = ""
    frame: str = ""
    calls: str = ""


@dataclass(frozen=True, slots=True)
class Suspended:
    """The program waits for the results of these calls."""

    calls: tuple[Call, ...]
    logs: tuple[Log, ...] = ()
    fuel: int = 0


@dataclass(frozen=True, slots=True)
class Completed:
    """The program ended with this value."""

    value: Json
    logs: tuple[Log, ...] = ()
    fuel: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """The program threw, or passed a limit. This is for the model, which repairs its program."""

    error: Failure
    logs: tuple[Log, ...] = ()
    fuel: int = 0


Outcome: TypeAlias = Suspended | Completed | Failed
"""Each carries the logs, and the fuel spent, from the program's start."""
