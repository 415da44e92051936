"""The JSON forms of outcomes, journals and tools, for all that reads or writes them."""

from coderelay.core.jsonreader import read_json as parse
from coderelay.wire.journal import journal_from_json, journal_to_json
from coderelay.wire.outcome import outcome_to_json
from coderelay.wire.text import render
from coderelay.wire.tools import tools_from_json

__all__ = [
    "journal_from_json",
    "journal_to_json",
    "outcome_to_json",
    "parse",
    "render",
    "tools_from_json",
]
