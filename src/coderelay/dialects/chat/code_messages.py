"""Writes and reads programs as the `code` messages of the `messages` protocol.

Its field `state` carries what a replay needs besides the other fields. A client that writes such a
message itself leaves it out.
"""

from coderelay.conversation import DamagedState
from coderelay.conversation.program_state import (
    BESIDE_SOURCE,
    ProgramState,
    decode_state,
    encode_state,
    state_error,
)
from coderelay.conversation.state_text import InflateBudget, UnreadableState, is_state
from coderelay.core import Json, RequestError
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.program_fields import read_program, unknown_language


def code_message(state: ProgramState) -> dict[str, Json]:
    """Return the message for a program."""
    program = state.program
    return {
        "role": "code",
        "id": program.id,
        "language": program.language,
        "created": program.created,
        "code": program.source,
        "state": encode_state(state.without_source(), BESIDE_SOURCE),
    }


def read_code(
    fields: Fields, language: str, budget: InflateBudget
) -> tuple[ProgramState, RequestError | None]:
    """Return the program of a message, and an error if it cannot run. `language` is the default for
    a message without one."""
    program = read_program(fields, "code", language=language)
    unknown = ProgramState(program)
    text = fields.value.get("state")
    if not isinstance(text, str) or not is_state(text):
        return unknown, unknown_language(program.language, fields)
    try:
        state = decode_state(text, BESIDE_SOURCE, budget).with_source(program.source)
    except UnreadableState as error:
        return unknown, state_error("the program's state", error, fields.path("state"))
    if state is None or state.program != program:
        problem = "the program is not as it was handed out: send its message back unchanged, or "
        return unknown, DamagedState(f"{problem}without its `state`", fields.path("state"))
    return state, unknown_language(program.language, fields)
