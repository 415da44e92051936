"""A guest's stack, in terms of the source that the model wrote."""

import re

from coderelay.engines.typescript.prepare import Prepared

FILE = "program.ts"
_FRAME = re.compile(
    rf"^\s*at (?:(?P<name>.*) \()?{re.escape(FILE)}:(?P<line>\d+):(?P<column>\d+)\)?$"
)
_SHOWN = 10


def places(stack: str, prepared: Prepared) -> list[tuple[str, int, int]]:
    """The frames in the program's own source, innermost first: function, line and column.

    Frames of the harness and of the language itself are left out. The stack is text that a
    program may have written itself; what does not read as a frame is left out too.
    """
    found = []
    for text in stack.splitlines():
        frame = _FRAME.match(text)
        if frame is None or len(frame["line"]) > 9 or len(frame["column"]) > 9:
            continue
        place = prepared.original(int(frame["line"]), int(frame["column"]))
        if place is not None:
            name = frame["name"] or ""
            found.append(("" if name == "<eval>" else name[:100], *place))
    return found[:_SHOWN]


def shown(frames: list[tuple[str, int, int]]) -> str:
    """The frames as text, a line each."""
    return "\n".join(
        f"at {name} ({FILE}:{line}:{column})" if name else f"at {FILE}:{line}:{column}"
        for name, line, column in frames
    )
