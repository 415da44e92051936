"""The id of a tool call carries what a server without memory needs to go on.

- The first call of a program: `cr1_<state>`, the text of `program_state`.
- Every other call: `cr1_<program>_<index>_<digest of the arguments>`.

This is the only place that knows how a call id looks. Ids are a pure function of program and call.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from coderelay.conversation.entries import HandedCall
from coderelay.conversation.program_state import (
    MOST_EARLIER,
    ProgramState,
    decode_state,
    encode_state,
)
from coderelay.conversation.state_text import Room, UnreadableState
from coderelay.conversation.turn_errors import DamagedState
from coderelay.core import Call, Json, Program
from coderelay.core.json_values import digest

MAX_ID = 64_000
"""Clients were measured to echo ids up to this length."""

_PREFIX = "cr1_"
_ESCAPED_PREFIX = [
    rb"\u%b" % form.encode()
    for each in _PREFIX
    for form in {f"{ord(each):04x}", f"{ord(each):04X}"}
]
# The text of a state begins with `_`, and no program's key does: so the two forms never mix.
_LATER = re.compile(r"cr1_([A-Za-z0-9-]{1,64})_([0-9]{1,6})_([0-9a-f]{16})")
_PLAIN = re.compile(r"[A-Za-z0-9-]{1,64}")
_ALWAYS_FITS = 5_000
"""Characters of a source that ride in an id however badly they compress."""


@dataclass(frozen=True, slots=True)
class LaterCall:
    """What the id of any call but the first says. `program` is the key of the program's id."""

    program: str
    index: int
    digest: str


def is_ours(id: Json) -> bool:
    """Whether an id was handed out by this server, or pretends to be."""
    return isinstance(id, str) and id.startswith(_PREFIX)


def key(program_id: str) -> str:
    """The program's id as it stands in a call id: itself, or its digest where it does not fit."""
    if _PLAIN.fullmatch(program_id):
        return program_id
    return "x-" + sha256(program_id.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def first_id(state: ProgramState) -> str:
    """The id of a program's first call. Where it would be too long, it does not say which tools
    there were, and then tells of fewer of the earlier programs: the oldest are left out."""
    if not _fits(state):
        state = replace(state, tools=None)
    earlier = state.earlier[-MOST_EARLIER:]
    left_out = bisect_left(
        range(len(earlier)), True, key=lambda count: _fits(replace(state, earlier=earlier[count:]))
    )
    return _PREFIX + (encode_state(replace(state, earlier=earlier[left_out:])) or "")


def later_id(program_id: str, call: Call) -> str:
    """The id of a call whose program is carried by something else."""
    return f"{_PREFIX}{key(program_id)}_{call.index}_{digest(call.arguments)}"


def fits(program: Program) -> bool:
    """Whether a program is short enough to ride in an id."""
    if len(program.source) < _ALWAYS_FITS:
        return True
    return _fits(ProgramState(program, "f" * 80, "0" * 16))


def hand_out(calls: Sequence[Call], state: ProgramState) -> tuple[HandedCall, ...]:
    """The calls under ids of which the first one carries the program's state."""

    def id(call: Call) -> str:
        if call.index:
            return later_id(state.program.id, call)
        return first_id(replace(state, arguments=digest(call.arguments)))

    return tuple(HandedCall(id(call), call.index, call.name, call.arguments) for call in calls)


def hand_out_beside(calls: Sequence[Call], program: Program) -> tuple[HandedCall, ...]:
    """The calls under ids that carry nothing, for histories in which the program stands."""
    return tuple(
        HandedCall(later_id(program.id, call), call.index, call.name, call.arguments)
        for call in calls
    )


def may_carry_programs(body: bytes, more_than: int) -> bool:
    """Whether more ids than that in a request may carry a program: each may take long to read.

    A client that hides ids from the count, by escaping letters of their prefix or by another
    encoding than UTF-8, is taken to have many.
    """
    hidden = b"\0" in body or any(escape in body for escape in _ESCAPED_PREFIX)
    return hidden or body.count(_PREFIX.encode() + b"_") > more_than


def decode(id: str, room: Room | None = None) -> ProgramState | LaterCall:
    """What an id of ours says; `room` is what it and others may unpack to.

    Raises `DamagedState` where it is not as it was handed out, and `TooLarge` without room.
    """
    later = _LATER.fullmatch(id)
    if later is not None:
        return LaterCall(later[1], int(later[2]), later[3])
    if len(id) >= MAX_ID:
        raise _damaged(id, f"is longer than {MAX_ID:,} characters")
    try:
        return decode_state(id[len(_PREFIX) :], room)
    except UnreadableState as error:
        raise _damaged(id, str(error)) from error


def _fits(state: ProgramState) -> bool:
    text = encode_state(state)
    return text is not None and len(_PREFIX) + len(text) < MAX_ID


def _damaged(id: str, reason: str) -> DamagedState:
    shown = id if len(id) <= 40 else f"{id[:28]}…{id[-8:]}"
    return DamagedState(
        f"the call id {shown!r} {reason}: send ids back exactly as they were handed out"
    )
