"""How the first version wrote the state of programs whose source stands in the history.

Conversations that were under way when a server was upgraded still send these; nothing writes them
any more. Remove this module one release after they were last written.
"""

import re

from coderelay.conversation.program_state import SourcelessState
from coderelay.core import Program
from coderelay.core.json_values import digest
from coderelay.core.program import LATEST

_BLOCK_ID = re.compile(r"cr1_([A-Za-z0-9-]{1,64})_([0-9]{1,10})_([0-9a-f]{16})")
_FINGERPRINT = re.compile(r"cr1-([a-z]{1,20})-([0-9]{1,10})-([0-9a-f]{16})")


def from_block_id(text: str, language: str) -> SourcelessState | None:
    """What the id of an Anthropic block says, or None where it is not of this form."""
    match = _BLOCK_ID.fullmatch(text)
    if match is None or int(match[2]) > LATEST:
        return None
    return SourcelessState(match[1], language, int(match[2]), match[3])


def from_fingerprint(text: str, id: str, source: str) -> Program | None:
    """The program that a fingerprint of Responses was made for, or None where it is not this."""
    match = _FINGERPRINT.fullmatch(text)
    if match is None or int(match[2]) > LATEST:
        return None
    language, created = match[1], int(match[2])
    if digest([id, language, created, source]) != match[3]:
        return None
    return Program(language, source, id, created)
