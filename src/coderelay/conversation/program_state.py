"""Encodes and decodes the state that a replay of a program needs.

| field | what |
|---|---|
| `program` | id, language, created and source; source is null if it is elsewhere in the history |
| `digest` | digest of the source, if it is elsewhere in the history |
| `fingerprint` | the version of the sandbox that the program began in |
| `arguments` | digest of the arguments of the program's first call |
| `earlier` | earlier programs of the turn that made no calls, so that no other id carries them |
| `tools` | names of the tools that these programs mention and that were declared when they began |

Add a field here and in `KNOWN`; `state_text` says which changes are safe.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coderelay.conversation.state_text import InflateBudget, UnreadableState, pack, unpack
from coderelay.conversation.turn_errors import TooLarge
from coderelay.core import InvalidProgram, Json, Program
from coderelay.core.json_values import digest

MOST_EARLIER = 100
"""How many earlier programs without calls a state may carry."""

KNOWN = frozenset({"program", "digest", "fingerprint", "arguments", "earlier", "tools"})
_SOURCELESS = 10_000
"""How many bytes a state without source may unpack to."""
_DIGEST = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class ProgramState:
    """A program, with everything that a server without stored state needs to go on with it.

    `tools` is None if the state does not say which tools were declared.
    """

    program: Program
    fingerprint: str = ""
    arguments: str = ""
    earlier: tuple[Program, ...] = ()
    tools: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class SourcelessState:
    """The state of a program whose source is elsewhere in the history."""

    id: str
    language: str
    created: int
    digest: str

    def program(self, source: str) -> Program | None:
        """Return the program with this source, or None if it began with another source."""
        if digest(source) != self.digest:
            return None
        return Program(self.language, source, self.id, self.created)


def encode_state(state: ProgramState) -> str | None:
    """Return the text that carries a state, or None if it would be too large."""
    fields: dict[str, Json] = {
        "program": _places(state.program),
        "fingerprint": state.fingerprint,
        "arguments": state.arguments,
        "earlier": [_places(program) for program in state.earlier],
    }
    if state.tools is not None:
        fields["tools"] = sorted(state.tools)
    return pack(fields)


def decode_state(text: str, budget: InflateBudget | None = None) -> ProgramState:
    """Return the state that a text carries. Raises `UnreadableState`, and `TooLarge` if the budget
    for unpacking is spent."""
    fields = unpack(text, KNOWN, budget)
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
    """Return the text that carries the state of a program without its source, which the client
    sends in another field."""
    places = [program.id, program.language, program.created, None]
    return pack({"program": places, "digest": digest(program.source)}) or ""


def decode_without_source(text: str) -> SourcelessState:
    """Return the state in a text of `encode_without_source`. Raises `UnreadableState`."""
    try:
        fields = unpack(text, KNOWN, InflateBudget(_SOURCELESS))
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
