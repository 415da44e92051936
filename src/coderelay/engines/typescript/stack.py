"""Reads the frames of a guest's stack, and writes the frames that the model gets."""

import re
from dataclasses import dataclass

FILE = "program.ts"
_FRAME = re.compile(
    rf"^\s*at (?:(?P<name>.*) \()?"
    rf"(?:{re.escape(FILE)}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})|native|<null>:\d+:\d+)\)?$"
)
MOST_FRAMES = 10
"""How many frames the model gets."""
_READ = 100
"""How many lines of a stack are read. The guest's own stacks are shorter."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A function, and a place in it. Lines and columns count from 1; line 0 means that the
    function is not in the program's own code."""

    name: str
    line: int
    column: int


def frames(stack: str) -> list[Frame]:
    """Return the frames of a stack, the innermost first.

    A program may have written the text itself, so lines that are not frames are left out.
    """
    found = [match for match in map(_FRAME.match, stack.split("\n", _READ)[:_READ]) if match]
    return [
        Frame((match["name"] or "")[:100], int(match["line"] or 0), int(match["column"] or 0))
        for match in found
    ]


def stack_text(places: list[Frame]) -> str:
    """Return the frames as text, one per line."""
    return "\n".join(
        f"at {FILE}:{frame.line}:{frame.column}"
        if frame.name in ("", "<eval>")
        else f"at {frame.name} ({FILE}:{frame.line}:{frame.column})"
        for frame in places
    )
