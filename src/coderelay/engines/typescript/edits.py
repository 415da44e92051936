"""Edits of a source that move columns, but no line, and the way back to the old columns."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Text that takes the place of some characters of a source. Neither has a line end."""

    start: int
    removed: int
    text: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A source with its edits. Columns count in UTF-16 units from 1, lines from 1."""

    text: str
    _moved: Mapping[int, Sequence[tuple[int, int, int]]]
    """By line: where an edit begins there, how long its text is, and what it took the place of."""

    @classmethod
    def of(cls, text: str, edits: Sequence[Edit]) -> "Edited":
        """Apply edits that are in order and do not overlap."""
        parts: list[str] = []
        moved: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        done, line, column = 0, 1, 1
        for edit in edits:
            between = text[done : edit.start]
            lines = between.split("\n")
            column = _units(lines[-1]) + (column if len(lines) == 1 else 1)
            line += len(lines) - 1
            done = edit.start + edit.removed
            moved[line].append((column, _units(edit.text), _units(text[edit.start : done])))
            column += _units(edit.text)
            parts += between, edit.text
        return cls("".join([*parts, text[done:]]), moved)

    def original(self, line: int, column: int) -> int:
        """The column before the edits; within an edit, where it begins."""
        shift = 0
        for begin, length, removed in self._moved.get(line, ()):
            if column < begin:
                break
            if column < begin + length:
                return begin - shift
            shift += length - removed
        return column - shift


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
