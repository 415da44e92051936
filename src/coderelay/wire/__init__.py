"""Journals, outcomes and tools as JSON."""

from coderelay.core.json_reader import read_json as parse
from coderelay.wire.run_json import journal_from_json, journal_to_json, outcome_to_json, render
from coderelay.wire.tool_json import function_tool, tools_from_json

__all__ = [
    "function_tool",
    "journal_from_json",
    "journal_to_json",
    "outcome_to_json",
    "parse",
    "render",
    "tools_from_json",
]
