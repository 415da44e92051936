"""Reads the state of programs as the first version wrote it.

Clients whose conversation began before an upgrade still send this form; nothing writes it any more.
Remove this module one release after it was last written.
"""

import re

from coderelay.conversation.program_state import ProgramState
from coderelay.core import Program
from coderelay.core.json_values import digest
from coderelay.core.program import LATEST

_BLOCK_ID = re.compile(r"cr1_([A-Za-z0-9-]{1,64})_([0-9]{1,10})_([0-9a-f]{16})")
_FINGERPRINT = re.compile(r"cr1-([a-z]{1,20})-([0-9]{1,10})-([0-9a-f]{16})")


def from_block_id(text: str, language: str) -> ProgramState | None:
    """Return the state in the id of an Anthropic block, or None if it has another form."""
    match = _BLOCK_ID.fullmatch(text)
    if match is None or int(match[2]) > LATEST:
        return None
    program = Program(language, "", match[1], int(match[2]))
    return ProgramState(program, source_digest=match[3])


def from_fingerprint(text: str, id: str, source: str) -> ProgramState | None:
    """Return the state of the program that a fingerprint of the Responses API was made for, or None
    if it was made for another one."""
    match = _FINGERPRINT.fullmatch(text)
    if match is None or int(match[2]) > LATEST:
        return None
    language, created = match[1], int(match[2])
    if digest([id, language, created, source]) != match[3]:
        return None
    return ProgramState(Program(language, source, id, created))
