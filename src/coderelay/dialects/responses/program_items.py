"""Writes and reads programs as the items of OpenAI's programmatic tool calling.

The fingerprint carries the state for a replay and a digest of the code, so that any change by the
client is detected.
"""

from coderelay.conversation import DamagedState, FieldError, StateError
from coderelay.conversation.block_builder import short_id
from coderelay.conversation.old_state import from_fingerprint
from coderelay.conversation.outcome_text import outcome_as_text, outcome_from_text
from coderelay.conversation.program_state import (
    BESIDE_SOURCE,
    ProgramState,
    decode_state,
    encode_state,
    state_error,
)
from coderelay.conversation.state_text import InflateBudget, UnreadableState, is_state
from coderelay.core import Completed, Failed, Json, Program
from coderelay.dialects.kit.fields import Fields
from coderelay.languages.language_registry import LANGUAGES

TYPES = ("program", "program_output")
_PREFIX = "prog_"


def caller(program: Program) -> dict[str, Json]:
    """Return the `caller` of a call that this program made."""
    return {"type": "program", "caller_id": _PREFIX + program.id}


def program_item(state: ProgramState) -> dict[str, Json]:
    """Return the item for a program."""
    program = state.program
    return {
        "type": "program",
        "id": f"prg_{program.id}",
        "call_id": _PREFIX + program.id,
        "code": program.source,
        "fingerprint": encode_state(state.without_source(), BESIDE_SOURCE),
    }


def output_item(program: Program, outcome: Completed | Failed) -> dict[str, Json]:
    """Return the item for a program's outcome. A failed one is `incomplete`, because the API has no
    other status for it."""
    return {
        "type": "program_output",
        "id": f"po_{program.id}",
        "call_id": _PREFIX + program.id,
        "result": outcome_as_text(outcome),
        "status": "completed" if isinstance(outcome, Completed) else "incomplete",
    }


def read_program(
    item: Fields, language: str, budget: InflateBudget
) -> tuple[ProgramState, StateError | None]:
    """Return the program of an item, and an error if it was changed or its fingerprint cannot be
    read. `language` is used if the fingerprint cannot be read."""
    id, source, fingerprint = read_id(item), item.text("code"), item.text("fingerprint")
    unknown = ProgramState(Program(language, source, id))
    state = from_fingerprint(fingerprint, id, source)
    if state is None and not is_state(fingerprint):
        return unknown, _changed(item, "fingerprint")
    try:
        found = state or decode_state(fingerprint, BESIDE_SOURCE, budget)
    except UnreadableState as error:
        what, where = f"the fingerprint {short_id(fingerprint)}", item.path("fingerprint")
        return unknown, state_error(what, error, where)
    if found.program.language not in LANGUAGES:
        return unknown, _changed(item, "fingerprint")
    if found.program.id != id:
        return unknown, _changed(item, "call_id")
    whole = found.with_source(source)
    return (unknown, _changed(item, "code")) if whole is None else (whole, None)


def read_output(item: Fields) -> Completed | Failed:
    """Return a program's outcome from its output item."""
    status = item.text("status", "completed")
    if status not in ("completed", "incomplete"):
        raise FieldError(item.path("status"), "must be 'completed' or 'incomplete'")
    return outcome_from_text(item.text("result"), failed=status == "incomplete")


def read_id(item: Fields) -> str:
    """Return the id of the program that an item belongs to."""
    id = item.text("call_id").removeprefix(_PREFIX)
    if not id:
        raise FieldError(item.path("call_id"), "must not be empty")
    return id


def _changed(item: Fields, field: str) -> DamagedState:
    where = item.path(field)
    return DamagedState(
        "the program is not as it was handed out: send its item back unchanged, with its "
        "`call_id`, `code` and `fingerprint`",
        where,
    )
