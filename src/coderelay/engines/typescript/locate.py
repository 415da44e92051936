"""The places of an error's frames, from the guest's stack and the code it ran."""

from collections.abc import Sequence
from dataclasses import dataclass

from coderelay.core import ToolName
from coderelay.engines.typescript.callsite import called_at, made_at, thrown_at
from coderelay.engines.typescript.prepare import Prepared
from coderelay.engines.typescript.stack import SHOWN, Frame, frames
from coderelay.engines.typescript.syntax import Syntax


@dataclass(frozen=True, slots=True)
class Located:
    """An error's message, its frames in the source, and whether the first is where it was."""

    message: str
    frames: list[Frame]
    placed: bool


def locate(
    stack: str, message: str, makers: Sequence[str], prepared: Prepared, names: Sequence[ToolName]
) -> Located:
    """Place an error that one of these makers made, or the language itself."""
    found = frames(stack)
    own = [at for at, frame in enumerate(found) if frame.line]
    if not own:
        return Located(message, [], placed=False)
    syntax = Syntax(prepared.code)
    # What comes before the place where an error was made, its class's constructors, says nothing.
    while len(own) > 1 and _says_nothing(found[own[0]], syntax, prepared, makers):
        del own[0]
    placed: list[Frame | None] = []
    for at in own[:SHOWN]:
        frame = found[at]
        token = syntax.at(prepared.offset(frame.line, frame.column))
        place: int | None
        if placed:
            place = called_at(syntax, token, found[at - 1].name)
        else:
            place, message = _first(found[:at], frame, token, message, makers, syntax, names)
        placed.append(_in_source(frame, token, place, syntax, prepared))
    shown = [frame for frame in placed if frame is not None]
    return Located(message, shown, placed=placed[0] is not None)


def _says_nothing(frame: Frame, syntax: Syntax, prepared: Prepared, makers: Sequence[str]) -> bool:
    if frame.name in makers:
        return True
    token = syntax.at(prepared.offset(frame.line, frame.column))
    return syntax.text(token) == "class" and syntax.text(token + 1) == frame.name


def _first(
    above: Sequence[Frame],
    frame: Frame,
    token: int,
    message: str,
    makers: Sequence[str],
    syntax: Syntax,
    names: Sequence[ToolName],
) -> tuple[int | None, str]:
    """Where an error was made, and what more its message can say."""
    tools = {identifier for tool in names for identifier in (tool.name, *tool.identifiers)}
    made = made_at(syntax, token, makers, tools=tools)
    if made is not None:
        return made, message
    if not tools.isdisjoint(makers):
        return called_at(syntax, token, makers[-1]), message
    if above and not above[-1].line:
        return called_at(syntax, token, above[-1].name), message
    return thrown_at(syntax, token, frame.name, message, tools)


def _in_source(
    frame: Frame, token: int, place: int | None, syntax: Syntax, prepared: Prepared
) -> Frame | None:
    """The frame with its place in the source; None where it has none there."""
    if place is None:
        return None
    line, column = frame.line, frame.column
    if place != token:
        line, column = prepared.place(syntax.tokens[place].start)
    original = prepared.original(line, column)
    return None if original is None else Frame(frame.name, *original)
