"""A guest's stack, in terms of the source that the model wrote."""

import re
from dataclasses import dataclass

FILE = "program.ts"
_FRAME = re.compile(
    rf"^\s*at (?:(?P<name>.*) \()?"
    rf"(?:{re.escape(FILE)}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})|native|<null>:\d+:\d+)\)?$"
)
SHOWN = 10
_READ = 100
"""Lines of a stack that are read. The guest's own stacks are shorter."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A function, and the place in it, from 1; line 0 in what is not the program's own."""

    name: str
    line: int
    column: int


def frames(stack: str) -> list[Frame]:
    """The frames, innermost first.

    The stack is text that a program may have written itself; what does not read as a frame is
    left out.
    """
    found = [match for match in map(_FRAME.match, stack.split("\n", _READ)[:_READ]) if match]
    return [
        Frame((match["name"] or "")[:100], int(match["line"] or 0), int(match["column"] or 0))
        for match in found
    ]


def shown(places: list[Frame]) -> str:
    """The frames as text, a line each."""
    return "\n".join(
        f"at {FILE}:{frame.line}:{frame.column}"
        if frame.name in ("", "<eval>")
        else f"at {frame.name} ({FILE}:{frame.line}:{frame.column})"
        for frame in places
    )
