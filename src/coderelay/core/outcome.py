"""The outcomes of a run: the program waits for calls, has completed, or has failed."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from coderelay.core.call import Call
from coderelay.core.json_values import Json

FailureKind: TypeAlias = Literal["syntax", "exception", "limit", "arguments", "deadlock"]


@dataclass(frozen=True, slots=True)
class Log:
    """A line that a program wrote. `level` is that of the console function (`log`, `warn`, …),
    `print`, or `text` for output."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a program failed, in terms of the source that the model wrote.

    If `kind` is `limit`, `limit` names the limit that was passed. `line` and `column` count from 1,
    and `frame` shows the source around that place. `calls` is a text about the calls that had
    succeeded before the program failed.
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
    """The program failed. The model is told why, so that it can repair its program."""

    error: Failure
    logs: tuple[Log, ...] = ()
    fuel: int = 0


Outcome: TypeAlias = Suspended | Completed | Failed
"""Every outcome has the logs and the fuel spent since the program's start."""
