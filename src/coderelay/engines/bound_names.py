"""Only tools that a program's source can reach are bound in its guest: each costs time, and there
may be thousands."""

from collections.abc import Sequence, Set

from coderelay.core import ToolName

_ALSO_IN_NAMES = "$\u200c\u200d"
"""The dollar, and two signs that join the letters of some scripts."""


def words(source: str) -> set[str]:
    """All that could be a name in a source."""
    separators = _ASCII_SEPARATORS if source.isascii() else _separators(source)
    return set(source.translate(separators).split())


def reached(names: Sequence[ToolName], known: Set[str]) -> list[ToolName]:
    """The tools that a source names, given its words."""
    return [tool for tool in names if not known.isdisjoint(tool.identifiers)]


def _separators(text: str) -> dict[int, str]:
    """A table for `str.translate` that makes a space of every character of a text which is in no
    name, in Python or in JavaScript."""
    return {ord(each): " " for each in set(text) if not _is_in_names(each)}


def _is_in_names(character: str) -> bool:
    return (
        character.isalnum()
        or ("_" + character).isidentifier()  # signs above and below a letter, too
        or character in _ALSO_IN_NAMES
    )


_ASCII_SEPARATORS = _separators("".join(map(chr, range(128))))
