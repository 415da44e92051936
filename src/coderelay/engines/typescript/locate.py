"""Finds the places of an error's frames in the model's source, from the guest's stack."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coderelay.core import ToolName
from coderelay.engines.typescript.callsite import called_at, made_at, thrown_at
from coderelay.engines.typescript.misuse import is_misuse, misused_at
from coderelay.engines.typescript.prepare import Prepared
from coderelay.engines.typescript.stack import MOST_FRAMES, Frame, frames
from coderelay.engines.typescript.syntax import Syntax

_LONGEST = 200_000
"""Errors in longer code get no place. Sources with what the stripper adds are shorter."""
_CALL = re.compile(
    r"the call (?P<name>[^(\n]{1,200})\(…\)"
    r"(?P<advice>(?:, which)? was used without `await`: write `\(?await )(?P=name)\(…\)"
)


@dataclass(frozen=True, slots=True)
class Unawaited:
    """A call whose promise was used as a value: the names of its tool, and the call's stack."""

    names: Sequence[str]
    stack: str


@dataclass(frozen=True, slots=True)
class Located:
    """An error's message and its frames in the source. `placed` tells whether the first frame is
    the place of the error."""

    message: str
    frames: list[Frame]
    placed: bool


def locate(
    stack: str,
    message: str,
    makers: Sequence[str],
    unawaited: Unawaited | None,
    *,
    prepared: Prepared,
    names: Sequence[ToolName],
) -> Located:
    """Find the place of an error.

    It was thrown by one of the `makers` (classes and tools), by the language itself, or by our
    harness because of a call that was used without `await`.
    """
    found = frames(stack)
    own = [at for at, frame in enumerate(found) if frame.line]
    if (not own and unawaited is None) or len(prepared.code) > _LONGEST:
        return Located(message, [], placed=False)
    code = _Code(prepared, names)
    call = None if unawaited is None else code.place_call(unawaited)
    if call is not None and call.source is not None:
        message = call.add_to(message)
    if not own:  # no code of the program ran when the error was found, so the call is its place
        return Located(message, [call.source] if call and call.source else [], call is not None)
    return code.place_error(found, own, message, makers, call)


@dataclass(frozen=True, slots=True)
class _CallInCode:
    """A call in the code: its token, the name in the source, and its place in the source."""

    token: int
    name: str | None
    source: Frame | None

    def add_to(self, message: str) -> str:
        """Return a message about this call with its line, and its name as the program writes it."""
        found = _CALL.search(message)
        if found is None or self.source is None:
            return message
        written = f"{self.name or found['name']}(…)"
        sentence = f"the call {written} on line {self.source.line}{found['advice']}{written}"
        return message[: found.start()] + sentence + message[found.end() :]


class _Code:
    """The code that the guest ran, and the tools that it may call."""

    def __init__(self, prepared: Prepared, names: Sequence[ToolName]) -> None:
        self._prepared = prepared
        self._syntax = Syntax(prepared.code)
        self._tools = {each for tool in names for each in (tool.name, *tool.identifiers)}

    def place_call(self, unawaited: Unawaited) -> _CallInCode | None:
        """Find the place of a call that was used without `await`. Returns None if it is unknown."""
        frame = next((frame for frame in frames(unawaited.stack) if frame.line), None)
        if frame is None:
            return None
        token = self._token(frame)
        place = made_at(self._syntax, token, unawaited.names, tools=self._tools)
        if place is None:
            place = called_at(self._syntax, token, unawaited.names[-1])
        if place is None:
            return None
        written = self._syntax.text(place)
        name = written if written in unawaited.names else None
        return _CallInCode(place, name, self._in_source(frame, token, place))

    def place_error(
        self,
        found: Sequence[Frame],
        own: list[int],
        message: str,
        makers: Sequence[str],
        call: _CallInCode | None,
    ) -> Located:
        """Find the places of the frames that are in the program's own code (`own`)."""
        # The first frames may be constructors of the error's class, which nobody looks for.
        while len(own) > 1 and self._is_constructor(found[own[0]], makers):
            del own[0]
        placed: list[Frame | None] = []
        for at in own[:MOST_FRAMES]:
            frame = found[at]
            token = self._token(frame)
            place: int | None
            if placed:
                place = called_at(self._syntax, token, found[at - 1].name)
            else:
                place, message = self._first(found[:at], frame, token, message, makers, call)
            placed.append(self._in_source(frame, token, place))
        known = [frame for frame in placed if frame is not None]
        return Located(message, known, placed=placed[0] is not None)

    def _token(self, frame: Frame) -> int:
        return self._syntax.at(self._prepared.offset(frame.line, frame.column))

    def _is_constructor(self, frame: Frame, makers: Sequence[str]) -> bool:
        if frame.name in makers:
            return True
        token = self._token(frame)
        return self._syntax.text(token) == "class" and self._syntax.text(token + 1) == frame.name

    def _first(
        self,
        above: Sequence[Frame],
        frame: Frame,
        token: int,
        message: str,
        makers: Sequence[str],
        call: _CallInCode | None,
    ) -> tuple[int | None, str]:
        """Return the token where an error was thrown, and its message, perhaps with more detail."""
        native = above[-1].name if above and not above[-1].line else ""
        if is_misuse(message):
            used = call.token if call else None
            return misused_at(
                self._syntax, token, message=message, function=frame.name, native=native, call=used
            ), message
        made = made_at(self._syntax, token, makers, tools=self._tools)
        if made is not None:
            return made, message
        if not self._tools.isdisjoint(makers):
            return called_at(self._syntax, token, makers[-1]), message
        if native:
            return called_at(self._syntax, token, native), message
        return thrown_at(self._syntax, token, frame.name, message, self._tools)

    def _in_source(self, frame: Frame, token: int, place: int | None) -> Frame | None:
        """Return the frame with its place in the source, or None if it has none there."""
        if place is None:
            return None
        line, column = frame.line, frame.column
        if place != token:
            line, column = self._prepared.place(self._syntax.tokens[place].start)
        original = self._prepared.original(line, column)
        return None if original is None else Frame(frame.name, *original)
