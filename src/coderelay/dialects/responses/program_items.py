"""A program as the items that OpenAI's programmatic tool calling has for it.

The fingerprint carries what a replay needs besides the code, and a digest of the code: whatever a
client changed on the way is noticed.
"""

from coderelay.conversation import DamagedState, FieldError
from coderelay.conversation.old_state import from_fingerprint
from coderelay.conversation.outcome_text import outcome_as_text, outcome_from_text
from coderelay.conversation.program_state import decode_without_source, encode_without_source
from coderelay.conversation.state_text import UnreadableState
from coderelay.core import Completed, Failed, Json, Program
from coderelay.dialects.kit.fields import Fields
from coderelay.languages.language_registry import LANGUAGES

TYPES = ("program", "program_output")
_PREFIX = "prog_"


def caller(program: Program) -> dict[str, Json]:
    """Who made a call: this program."""
    return {"type": "program", "caller_id": _PREFIX + program.id}


def program_item(program: Program) -> dict[str, Json]:
    """The program, for the client to send back."""
    return {
        "type": "program",
        "id": f"prg_{program.id}",
        "call_id": _PREFIX + program.id,
        "code": program.source,
        "fingerprint": encode_without_source(program),
    }


def output_item(program: Program, outcome: Completed | Failed) -> dict[str, Json]:
    """The program's end. One that failed is incomplete: there is no other word for it."""
    return {
        "type": "program_output",
        "id": f"po_{program.id}",
        "call_id": _PREFIX + program.id,
        "result": outcome_as_text(outcome),
        "status": "completed" if isinstance(outcome, Completed) else "incomplete",
    }


def read_program(item: Fields, language: str) -> tuple[Program, DamagedState | None]:
    """The program, and why it cannot be run, if so. `language` is for one that does not tell."""
    id, source = read_id(item), item.text("code")
    fingerprint = item.text("fingerprint")
    program = from_fingerprint(fingerprint, id, source)
    field = "fingerprint"
    if program is None:
        try:
            state = decode_without_source(fingerprint)
        except UnreadableState:
            return Program(language, source, id), _damaged(item, field)
        program = state.program(source) if state.id == id else None
        field = "code" if state.id == id else "call_id"
    if program is None or program.language not in LANGUAGES:
        return Program(language, source, id), _damaged(item, field)
    return program, None


def read_output(item: Fields) -> Completed | Failed:
    """How a program ended, as the history tells."""
    status = item.text("status", "completed")
    if status not in ("completed", "incomplete"):
        raise FieldError(item.path("status"), "must be 'completed' or 'incomplete'")
    return outcome_from_text(item.text("result"), failed=status == "incomplete")


def read_id(item: Fields) -> str:
    """The id of the program that an item is about."""
    id = item.text("call_id").removeprefix(_PREFIX)
    if not id:
        raise FieldError(item.path("call_id"), "is empty: a program has an id")
    return id


def _damaged(item: Fields, field: str) -> DamagedState:
    where = item.path(field)
    return DamagedState(
        "the program is not as it was handed out: send its item back unchanged, with its "
        "`call_id`, `code` and `fingerprint`",
        where,
    )
