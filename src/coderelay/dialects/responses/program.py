"""A program as the items that OpenAI's programmatic tool calling has for it.

The fingerprint says what a replay needs besides the code, and the digest of all of it: whatever a
client changed on the way is noticed.
"""

import re

from coderelay.conversation import DamagedToken, FieldError
from coderelay.conversation.output import as_text, from_text
from coderelay.core import Completed, Failed, InvalidProgram, Json, Program
from coderelay.core.jsonvalue import digest
from coderelay.core.program import LANGUAGES
from coderelay.dialects.fields import Fields

TYPES = ("program", "program_output")
_PREFIX = "prog_"
_FINGERPRINT = re.compile(r"cr1-([a-z]{1,20})-([0-9]{1,10})-([0-9a-f]{16})")


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
        "fingerprint": f"cr1-{program.language}-{program.created}-{_digest(program)}",
    }


def output_item(program: Program, outcome: Completed | Failed) -> dict[str, Json]:
    """The program's end. One that failed is incomplete: there is no other word for it."""
    return {
        "type": "program_output",
        "id": f"po_{program.id}",
        "call_id": _PREFIX + program.id,
        "result": as_text(outcome),
        "status": "completed" if isinstance(outcome, Completed) else "incomplete",
    }


def read_program(item: Fields, language: str) -> tuple[Program, DamagedToken | None]:
    """The program, and why it cannot be run, if so. `language` is for one that does not tell."""
    id, source = read_id(item), item.text("code")
    told = _FINGERPRINT.fullmatch(item.text("fingerprint"))
    if told is None or told[1] not in LANGUAGES:
        return Program(language, source, id), _damaged(item, "fingerprint")
    try:
        program = Program(told[1], source, id, int(told[2]))
    except InvalidProgram:
        return Program(language, source, id), _damaged(item, "fingerprint")
    return program, None if _digest(program) == told[3] else _damaged(item, "code")


def read_output(item: Fields) -> Completed | Failed:
    """How a program ended, as the history tells."""
    status = item.text("status", "completed")
    if status not in ("completed", "incomplete"):
        raise FieldError(item.path("status"), "must be 'completed' or 'incomplete'")
    return from_text(item.text("result"), failed=status == "incomplete")


def read_id(item: Fields) -> str:
    """The id of the program that an item is about."""
    id = item.text("call_id").removeprefix(_PREFIX)
    if not id:
        raise FieldError(item.path("call_id"), "is empty: a program has an id")
    return id


def _digest(program: Program) -> str:
    return digest([program.id, program.language, program.created, program.source])


def _damaged(item: Fields, field: str) -> DamagedToken:
    where = item.path(field)
    return DamagedToken(
        "the program is not as it was handed out: send its item back unchanged, with its "
        "`call_id`, `code` and `fingerprint`",
        where,
    )
