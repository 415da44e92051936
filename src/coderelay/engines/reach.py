"""Only tools that a program's source can reach are bound in its guest: each costs time, and there
may be thousands."""

import re
from collections.abc import Sequence, Set

from coderelay.core import ToolName

_WORD = re.compile(r"[\w$]+")
_SPACED = {code: " " for code in range(128) if not _WORD.match(chr(code))}


def words(source: str) -> set[str]:
    """All that could be a name in a source."""
    if source.isascii():
        return set(source.translate(_SPACED).split())  # six times as fast as the other way
    return set(_WORD.findall(source))


def reached(names: Sequence[ToolName], source: str, known: Set[str]) -> list[ToolName]:
    """The tools that a source names, given its words."""
    if source.isascii():
        return [tool for tool in names if not known.isdisjoint(tool.identifiers)]
    # Some scripts join letters by signs that are in names and yet in no word.
    return [
        tool
        for tool in names
        if not known.isdisjoint(tool.identifiers)
        or any(not each.isascii() and each in source for each in tool.identifiers)
    ]
