"""The state of a program: what a server that stores nothing needs to go on with it.

This is the only encoder and the only decoder of states. Whatever carries a state carries all of it:

- The id of a program's first call also carries the source.
- Where the source is in the history anyway, the state has a digest of it instead. Then the state is
  in the id of a code execution block, in the fingerprint of a `program` item, or in the field
  `state` of a `code` message.

To add a field, add it to `ProgramState` and to `FIELDS`: see CONTRIBUTING.md. `state_text` says how
the format may change.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coderelay.conversation.state_text import (
    DamagedText,
    InflateBudget,
    NewerText,
    TextLimits,
    UnreadableState,
    pack,
    unpack,
)
from coderelay.conversation.turn_errors import DamagedState, NewerState, StateError
from coderelay.core import InvalidProgram, Json, Program
from coderelay.core.json_values import digest

MOST_EARLIER = 100
"""How many earlier programs without calls a state may carry."""
BESIDE_SOURCE = TextLimits(4_000, 10_000)
"""The limits of a state without source. Some APIs repeat its text with every call."""

_MOST_NAME = 250
"""Characters of a program's id, and of a fingerprint. With these, a state fits beside a source."""
_DIGEST = re.compile(r"[0-9a-f]{16}")
_ABSENT: tuple[object, ...] = (None, "", ())
"""The values of fields that are not written."""


@dataclass(frozen=True, slots=True)
class ProgramState:
    """A program, with everything that a server without stored state needs to go on with it.

    - `fingerprint` is the version of the sandbox that the program began in.
    - `arguments` is the digest of the arguments of the program's first call.
    - `earlier` are programs of the same turn that made no calls, so that no other id carries them.
    - `tools` are the names of the tools that all these programs mention and that were declared when
      they began, or None if that is not known.
    - `source_digest` is the digest of the source if the source is elsewhere in the history. Then
      the source of `program` is empty until `with_source` adds it.
    - `sent_as` is the text in which the client knows this program, if it sent one. It is not part
      of the encoded state.
    """

    program: Program
    fingerprint: str = ""
    arguments: str = ""
    earlier: tuple[Program, ...] = ()
    tools: frozenset[str] | None = None
    source_digest: str = ""
    sent_as: str = field(default="", compare=False)

    def without_source(self) -> "ProgramState":
        """Return the state for a text beside the source. The history also has the earlier programs
        and the program's first call, so they are left out."""
        return replace(
            self,
            program=replace(self.program, source=""),
            arguments="",
            earlier=(),
            source_digest=self.source_digest or digest(self.program.source),
        )

    def with_source(self, source: str) -> "ProgramState | None":
        """Return the state of the program with this source, or None if the program began with
        another source."""
        if not self.source_digest:
            return self if self.program.source == source else None
        if digest(source) != self.source_digest:
            return None
        return replace(self, program=replace(self.program, source=source), source_digest="")


@dataclass(frozen=True, slots=True)
class StateField:
    """How a field of `ProgramState` becomes JSON, and how it is read back.

    `read` raises `DamagedText` for a value of the wrong type. A server that does not know a
    `needed` field refuses the state; it ignores any other field that it does not know.
    """

    write: Callable[[Any], Json]
    read: Callable[[Json], Any]
    needed: bool = False


def encode_state(state: ProgramState, limits: TextLimits) -> str:
    """Return the text that carries a state.

    If it would be too long, the names of the tools are left out first, then the oldest of the
    earlier programs. Everything else must fit.
    """
    earlier = state.earlier[-MOST_EARLIER:]
    whole = pack(_to_json(replace(state, earlier=earlier)), limits)
    if whole is not None:
        return whole
    state = replace(state, tools=None)
    left_out = bisect_left(
        range(len(earlier)),
        True,
        key=lambda count: state_fits(replace(state, earlier=earlier[count:]), limits),
    )
    text = pack(_to_json(replace(state, earlier=earlier[left_out:])), limits)
    assert text is not None, "the state is too long: check that it fits before the program begins"
    return text


def state_fits(state: ProgramState, limits: TextLimits) -> bool:
    """Return whether all of a state fits into a text."""
    return pack(_to_json(state), limits) is not None


def decode_state(text: str, limits: TextLimits, budget: InflateBudget) -> ProgramState:
    """Return the state that a text carries.

    Raises `UnreadableState`, and `TooLarge` if the budget for unpacking is spent.
    """
    known = frozenset({"program", "digest", *FIELDS})
    fields = unpack(text, limits, known=known, budget=budget)
    id, language, created, source = _four(fields.get("program"))
    source_digest = "" if source is not None else _digest(fields.get("digest"))
    program = _program([id, language, created, "" if source is None else source])
    values = {name: each.read(fields[name]) for name, each in FIELDS.items() if name in fields}
    return ProgramState(program, source_digest=source_digest, **values)


def state_error(what: str, error: UnreadableState, where: str | None = None) -> StateError:
    """Return the error for a state that cannot be read. `what` names the text, such as "the call id
    …", and `where` the field that it is in."""
    if isinstance(error, NewerText):
        return NewerState(f"{what} {error}: upgrade all servers to the same version", where)
    return DamagedState(f"{what} {error}: send it back exactly as it was handed out", where)


def _to_json(state: ProgramState) -> dict[str, Json]:
    fields: dict[str, Json] = {"program": _places(state.program)}
    if state.source_digest:
        fields["program"][-1] = None
        fields["digest"] = state.source_digest
    for name, each in FIELDS.items():
        value = getattr(state, name)
        if value not in _ABSENT:
            fields[name] = each.write(value)
    needs = [name for name in fields if name in FIELDS and FIELDS[name].needed]
    return {**fields, "needs": needs} if needs else fields


def _places(program: Program) -> list[Json]:
    return [program.id, program.language, program.created, program.source]


def _four(places: Json) -> Sequence[Json]:
    if not isinstance(places, list) or len(places) != 4:
        raise DamagedText("cannot be read")
    return places


def _program(places: Json) -> Program:
    id, language, created, source = _four(places)
    if not isinstance(language, str) or not isinstance(source, str):
        raise DamagedText("cannot be read")
    try:
        program = Program(language, source, id, created)
    except InvalidProgram as error:
        raise DamagedText("cannot be read") from error
    if len(program.id) > _MOST_NAME:
        raise DamagedText("cannot be read")
    return program


def _programs(value: Json) -> tuple[Program, ...]:
    if not isinstance(value, list) or len(value) > MOST_EARLIER:
        raise DamagedText("cannot be read")
    return tuple(_program(each) for each in value)


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise DamagedText("cannot be read")
    return value


def _fingerprint(value: Json) -> str:
    if len(_text(value)) > _MOST_NAME:
        raise DamagedText("cannot be read")
    return _text(value)


def _digest(value: Json) -> str:
    if not _DIGEST.fullmatch(_text(value)):
        raise DamagedText("cannot be read")
    return _text(value)


def _names(value: Json) -> frozenset[str]:
    if not isinstance(value, list):
        raise DamagedText("cannot be read")
    return frozenset(_text(name) for name in value)


FIELDS: dict[str, StateField] = {
    "fingerprint": StateField(write=str, read=_fingerprint),
    "arguments": StateField(write=str, read=_digest),
    "earlier": StateField(write=lambda programs: [*map(_places, programs)], read=_programs),
    "tools": StateField(write=sorted, read=_names),
}
"""The fields of a state besides the program itself. The names are those of `ProgramState`."""
