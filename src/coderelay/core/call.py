"""A tool call that a program makes, and its result."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from coderelay.core.json_values import Json


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `index` counts from 0, in the order in which the program makes its calls."""

    index: int
    name: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class CallError:
    """Why a call failed. The program sees an exception with this name and message.

    If the program does not catch it, `kind` becomes the kind of the program's failure: `arguments`
    for a call whose arguments do not match the tool's schema, `exception` for everything else.
    """

    message: str
    name: str = "ToolError"
    kind: Literal["exception", "arguments"] = "exception"


@dataclass(frozen=True, slots=True)
class Returned:
    """The result of a call whose tool returned a value."""

    value: Json


@dataclass(frozen=True, slots=True)
class Raised:
    """The result of a call whose tool failed."""

    error: CallError


Result: TypeAlias = Returned | Raised
