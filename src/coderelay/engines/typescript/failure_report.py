"""Turns an error that a program threw into a `Failure`, with its place and similar names."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coderelay.core import Failure, ToolName
from coderelay.core.nearest_names import nearest
from coderelay.core.outcome import FailureKind
from coderelay.engines.code_frame import code_frame
from coderelay.engines.typescript.locate import Unawaited, locate
from coderelay.engines.typescript.prepare import Prepared
from coderelay.engines.typescript.stack import FILE, stack_text

_UNDEFINED = re.compile(r"^(\S+) is not defined$")
_MAKERS = 8
"""How many classes of an error are read. The harness reports four."""
_KINDS: dict[str, FailureKind] = {"arguments": "arguments", "syntax": "syntax"}


@dataclass(frozen=True, slots=True)
class Thrown:
    """The guest's report of an error. The program may have written all of it itself."""

    name: str
    message: str
    stack: str
    kind: str = "exception"
    makers: str = ""
    """The names of what may have made the error, one per line: its classes, and its tool."""
    unawaited: str = ""
    """The call whose promise was used without `await`, if that is the error: the first line is its
    tool, and the other lines are the stack where it was made."""

    def is_out_of_memory(self, memory_is_full: bool) -> bool:
        """Return whether the error means that the interpreter could not allocate memory.

        QuickJS throws null if there is no memory for an error, and the report lacks a text or a
        kind if there is none for those. So in a full memory, such an error, or one without a place,
        means that memory ran out.
        """
        if self.name == "InternalError" and self.message == "out of memory":
            return True
        if self.name == "Thrown":
            return memory_is_full and (self.message == "null" or not self.kind)
        return memory_is_full and FILE not in self.stack

    def failure(self, source: str, prepared: Prepared, names: Sequence[ToolName]) -> Failure:
        """Return the failure, with its place in the model's source."""
        kind = _KINDS.get(self.kind, "exception")
        located = locate(
            self.stack,
            self.message,
            self._makers(names),
            self._unawaited(names),
            prepared=prepared,
            names=names,
        )
        message = located.message
        message += _suggest(message, names) if self.name == "ReferenceError" else ""
        stack = stack_text(located.frames)
        if not located.placed:
            return Failure(kind, message, self.name, stack=stack)
        line, column = located.frames[0].line, located.frames[0].column
        frame = code_frame(source, line, column)
        return Failure(kind, message, self.name, None, line, column, stack, frame)

    def _makers(self, names: Sequence[ToolName]) -> list[str]:
        return _with_identifiers(filter(None, self.makers.split("\n")[:_MAKERS]), names)

    def _unawaited(self, names: Sequence[ToolName]) -> Unawaited | None:
        if not self.unawaited:
            return None
        tool, _, stack = self.unawaited.partition("\n")
        return Unawaited(_with_identifiers([tool], names), stack)


def _with_identifiers(makers: Iterable[str], names: Sequence[ToolName]) -> list[str]:
    """Return the names, and for each one that is a tool's also the tool's identifiers."""
    found = list(makers)
    for tool in names:
        if tool.name in found:
            found += tool.identifiers
    return found


def _suggest(message: str, names: Sequence[ToolName]) -> str:
    """Return advice for an undefined name that may be the misspelt name of a tool, or nothing."""
    found = _UNDEFINED.match(message)
    if found is None or not names:
        return ""
    known = [name.identifiers[0] for name in names]
    near = nearest(found[1], known)
    if not near:
        return ""
    return f": there is no such tool or variable; nearest tools: {', '.join(near)}"
