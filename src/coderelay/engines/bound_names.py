"""Finds the tools whose names occur in a program's source.

Only those are defined in the program's guest: there may be thousands, and each one costs time.
"""

from collections.abc import Sequence, Set

from coderelay.core import ToolName

_ALSO_IN_NAMES = "$\u200c\u200d"
"""The dollar sign, and the two characters that join or separate letters in some scripts."""


def possible_names(source: str) -> set[str]:
    """Return everything in a source that could be a name. That includes words of its strings."""
    separators = _ASCII_SEPARATORS if source.isascii() else _separators(source)
    return set(source.translate(separators).split())


def named_tools(names: Sequence[ToolName], known: Set[str]) -> list[ToolName]:
    """Return the tools that have at least one of their identifiers in `known`."""
    return [tool for tool in names if not known.isdisjoint(tool.identifiers)]


def _separators(text: str) -> dict[int, str]:
    """Return a table for `str.translate` that replaces every character of the text that cannot be
    part of a name, in Python or in JavaScript, by a space."""
    return {ord(each): " " for each in set(text) if not _is_in_names(each)}


def _is_in_names(character: str) -> bool:
    return (
        character.isalnum()
        or ("_" + character).isidentifier()  # such as combining accents, which are not alnum
        or character in _ALSO_IN_NAMES
    )


_ASCII_SEPARATORS = _separators("".join(map(chr, range(128))))
