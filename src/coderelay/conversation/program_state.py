"""What a replay needs of a program, as the fields of a state text.

| field | what |
|---|---|
| `program` | id, language, created and source; the source is null where it stands elsewhere |
| `digest` | of the source, where it stands elsewhere |
| `fingerprint` | the version of the sandbox that the program began in |
| `arguments` | digest of the arguments of the program's first call |
| `earlier` | programs without calls that ended before it in the turn: no other id carries them |
| `tools` | names of the tools that these programs mention and that were declared when they began |

Add a field here and in `KNOWN`; `state_text` says which changes are safe.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coderelay.conversation.state_text import Room, UnreadableState, pack, unpack
from coderelay.conversation.turn_errors import TooLarge
from coderelay.core import InvalidProgram, Json, Program
from coderelay.core.json_values import digest

MOST_EARLIER = 100
"""Programs without calls that a state may tell of."""

KNOWN = frozenset({"program", "digest", "fingerprint", "arguments", "earlier", "tools"})
_SOURCELESS = 10_000
"""Bytes that the state of a program may unpack to whose source stands elsewhere."""
_DIGEST = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class ProgramState:
    """A program with all that a server without memory needs to go on with it.

    `tools` is None where the state does not say which tools there were.
    """

    program: Program
    fingerprint: str = ""
    arguments: str = ""
    earlier: tuple[Program, ...] = ()
    tools: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class SourcelessState:
    """The same for a program whose source stands elsewhere in the history."""

    id: str
    language: str
    created: int
    digest: str

    def program(self, source: str) -> Program | None:
        """The program with this source, or None where that is not the source it began with."""
        if digest(source) != self.digest:
            return None
        return Program(self.language, source, self.id, self.created)


def encode_state(state: ProgramState) -> str | None:
    """The text that carries a program, or None where it is too large."""
    fields: dict[str, Json] = {
        "program": _places(state.program),
        "fingerprint": state.fingerprint,
        "arguments": state.arguments,
        "earlier": [_places(program) for program in state.earlier],
    }
    if state.tools is not None:
        fields["tools"] = sorted(state.tools)
    return pack(fields)


def decode_state(text: str, room: Room | None = None) -> ProgramState:
    """The program that a text carries. Raises `UnreadableState`, and `TooLarge` where there is no
    room to unpack it."""
    fields = unpack(text, KNOWN, room)
    fingerprint, arguments = fields.get("fingerprint", ""), fields.get("arguments", "")
    earlier = fields.get("earlier", [])
    if not isinstance(fingerprint, str) or not _is_digest(arguments):
        raise UnreadableState("cannot be read")
    if not isinstance(earlier, list) or len(earlier) > MOST_EARLIER:
        raise UnreadableState("cannot be read")
    programs = tuple(_program(each) for each in earlier)
    tools = _tools(fields.get("tools"))
    return ProgramState(_program(fields.get("program")), fingerprint, arguments, programs, tools)


def encode_without_source(program: Program) -> str:
    """The text that carries a program whose source the client sends beside it."""
    places = [program.id, program.language, program.created, None]
    return pack({"program": places, "digest": digest(program.source)}) or ""


def decode_without_source(text: str) -> SourcelessState:
    """What such a text carries. Raises `UnreadableState`."""
    try:
        fields = unpack(text, KNOWN, Room(_SOURCELESS))
    except TooLarge as error:
        raise UnreadableState(f"unpacks to more than {_SOURCELESS:,} bytes") from error
    known: Json = fields.get("digest")
    id, language, created, _ = _four(fields.get("program"))
    program = _program([id, language, created, ""])
    if not isinstance(known, str) or not _is_digest(known):
        raise UnreadableState("cannot be read")
    return SourcelessState(program.id, program.language, program.created, known)


def _places(program: Program) -> list[Json]:
    return [program.id, program.language, program.created, program.source]


def _four(places: Json) -> Sequence[Json]:
    if not isinstance(places, list) or len(places) != 4:
        raise UnreadableState("cannot be read")
    return places


def _program(places: Json) -> Program:
    id, language, created, source = _four(places)
    if not isinstance(language, str) or not isinstance(source, str):
        raise UnreadableState("cannot be read")
    try:
        return Program(language, source, id, created)
    except InvalidProgram as error:
        raise UnreadableState("cannot be read") from error


def _tools(names: Json) -> frozenset[str] | None:
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UnreadableState("cannot be read")
    return frozenset(names)


def _is_digest(value: Json) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None
