"""Writes and reads the ids of tool calls, which carry the state that the server does not store.

- The first call of a program: `cr1_<state>`, with the text that `program_state` encodes.
- Every other call: `cr1_<program>_<index>_<digest of the arguments>`.

No other module knows the format of a call id. An id depends on nothing but the program and the
call, so that a request that continues a program gets the same ids however often it is sent.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from coderelay.conversation.entries import HandedCall
from coderelay.conversation.program_state import (
    ProgramState,
    decode_state,
    encode_state,
    state_error,
    state_fits,
)
from coderelay.conversation.state_text import (
    DamagedText,
    InflateBudget,
    TextLimits,
    UnreadableState,
)
from coderelay.core import Call, Json, Program
from coderelay.core.json_values import digest

MAX_ID = 64_000
"""The longest id. Clients were measured to send ids up to this length back unchanged."""

_PREFIX = "cr1_"
_LIMITS = TextLimits(MAX_ID - len(_PREFIX), 1_000_000)
_ESCAPED_PREFIX = [
    rb"\u%b" % form.encode()
    for each in _PREFIX
    for form in {f"{ord(each):04x}", f"{ord(each):04X}"}
]
# The text of a state begins with `_` and the key of a program does not, so the two forms of an id
# cannot be confused.
_LATER = re.compile(r"cr1_([A-Za-z0-9-]{1,64})_([0-9]{1,6})_([0-9a-f]{16})")
_PLAIN = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True)
class LaterCall:
    """What the id of a program's second or later call contains. `program` is the key of the
    program's id."""

    program: str
    index: int
    digest: str


def is_ours(id: Json) -> bool:
    """Return whether an id has the prefix of ids that this server makes."""
    return isinstance(id, str) and id.startswith(_PREFIX)


def key(program_id: str) -> str:
    """Return a program's id as it is written in call ids: unchanged, or a digest of it if it is too
    long or has other characters than letters, digits and `-`."""
    if _PLAIN.fullmatch(program_id):
        return program_id
    return "x-" + sha256(program_id.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def first_id(state: ProgramState) -> str:
    """Return the id of a program's first call, which carries the state."""
    return _PREFIX + encode_state(state, _LIMITS)


def later_id(program_id: str, call: Call) -> str:
    """Return the id of a call whose program is carried elsewhere: by the id of the first call, or
    by a message of the history."""
    return f"{_PREFIX}{key(program_id)}_{call.index}_{digest(call.arguments)}"


def fits(state: ProgramState) -> bool:
    """Return whether a new program is short enough to be carried by an id. The names of its tools
    may be left out."""
    needed = replace(state, tools=None, arguments=digest(None))
    return state_fits(needed, _LIMITS)


def hand_out(calls: Sequence[Call], state: ProgramState) -> tuple[HandedCall, ...]:
    """Return the calls with their ids; the id of the program's first call carries the state."""

    def id(call: Call) -> str:
        if call.index:
            return later_id(state.program.id, call)
        return first_id(replace(state, arguments=digest(call.arguments)))

    return tuple(HandedCall(id(call), call.index, call.name, call.arguments) for call in calls)


def hand_out_without_state(calls: Sequence[Call], program: Program) -> tuple[HandedCall, ...]:
    """Return the calls with ids that carry no state, for histories that contain the program."""
    return tuple(
        HandedCall(later_id(program.id, call), call.index, call.name, call.arguments)
        for call in calls
    )


def may_carry_programs(body: bytes, more_than: int) -> bool:
    """Return whether more than so many ids in a request may carry a program. Each of them takes
    time to decode.

    A body that hides ids from the count, by escaping letters of their prefix or by another encoding
    than UTF-8, counts as having many.
    """
    hidden = b"\0" in body or any(escape in body for escape in _ESCAPED_PREFIX)
    return hidden or body.count(_PREFIX.encode() + b"_") > more_than


def decode(id: str, budget: InflateBudget | None = None) -> ProgramState | LaterCall:
    """Return what an id of this server contains. `budget` limits what all ids of a history unpack
    to.

    Raises `StateError` if the id cannot be read, and `TooLarge` if the budget is spent.
    """
    later = _LATER.fullmatch(id)
    if later is not None:
        return LaterCall(later[1], int(later[2]), later[3])
    try:
        if len(id) > MAX_ID:
            raise DamagedText(f"is longer than {MAX_ID:,} characters")
        state = decode_state(id[len(_PREFIX) :], _LIMITS, budget or InflateBudget())
        if state.source_digest or not state.arguments:
            raise DamagedText("cannot be read")
    except UnreadableState as error:
        raise state_error(f"the call id {_quoted(id)}", error) from error
    return state


def _quoted(id: str) -> str:
    return repr(id if len(id) <= 40 else f"{id[:28]}…{id[-8:]}")
