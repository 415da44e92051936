"""A thrown error as a `Failure` that the model can act on."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coderelay.core import Failure, ToolName
from coderelay.core.nearest_names import nearest
from coderelay.core.outcome import FailureKind
from coderelay.engines.code_frame import code_frame
from coderelay.engines.typescript.locate import Unawaited, locate
from coderelay.engines.typescript.prepare import Prepared
from coderelay.engines.typescript.stack import FILE, shown

_UNDEFINED = re.compile(r"^(\S+) is not defined$")
_MAKERS = 8
"""Classes of an error that are looked at; the harness tells of four."""
_KINDS: dict[str, FailureKind] = {"arguments": "arguments", "syntax": "syntax"}


@dataclass(frozen=True, slots=True)
class Thrown:
    """What the guest says of an error. All of it may be of the program's own making."""

    name: str
    message: str
    stack: str
    kind: str = "exception"
    makers: str = ""
    """What may have made the error, a line each: its classes, and its tool if it has one."""
    unawaited: str = ""
    """The call that was used without its result, if that is the error: its tool in a line, and
    behind it the stack of where it was made."""

    def is_memory(self, full: bool) -> bool:
        """Whether the interpreter could not allocate. With not even room for an error it throws
        null, with none for its text we are told nothing, and with none to describe it no kind; so
        in a `full` memory that is what those, and an error without a place, mean."""
        if self.name == "InternalError" and self.message == "out of memory":
            return True
        if self.name == "Thrown":
            return full and (self.message == "null" or not self.kind)
        return full and FILE not in self.stack

    def failure(self, source: str, prepared: Prepared, names: Sequence[ToolName]) -> Failure:
        """The failure, placed in the source that the model wrote."""
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
        stack = shown(located.frames)
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
    """The same names, and for each that is a tool's the identifiers that it goes by."""
    found = list(makers)
    for tool in names:
        if tool.name in found:
            found += tool.identifiers
    return found


def _suggest(message: str, names: Sequence[ToolName]) -> str:
    """What to say of a name that nothing has: it may be a tool's, misspelt."""
    found = _UNDEFINED.match(message)
    if found is None or not names:
        return ""
    known = [name.identifiers[0] for name in names]
    near = nearest(found[1], known)
    if not near:
        return ""
    return f": there is no such tool or variable; nearest tools: {', '.join(near)}"
