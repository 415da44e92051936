"""One tool call made by a program, and the answer to it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from coderelay.core.json_values import Json


@dataclass(frozen=True, slots=True)
class Call:
    """The index counts from 0, in the order in which the program made its calls."""

    index: int
    name: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class CallError:
    """Why a call failed. The program sees an exception with this name and message.

    `kind` says what a program that does not catch it has failed of: `arguments` is for calls
    that do not fit their tool's schema.
    """

    message: str
    name: str = "ToolError"
    kind: Literal["exception", "arguments"] = "exception"


@dataclass(frozen=True, slots=True)
class Returned:
    """The tool answered with a value."""

    value: Json


@dataclass(frozen=True, slots=True)
class Raised:
    """The tool failed."""

    error: CallError


Result: TypeAlias = Returned | Raised
