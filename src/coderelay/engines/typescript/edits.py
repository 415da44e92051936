"""Edits a source without moving lines, and maps columns of the result back to the source."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """A text that replaces some characters of a source. Neither has a line end."""

    start: int
    removed: int
    text: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A source after its edits. Columns count in UTF-16 units from 1, and lines from 1."""

    text: str
    _moved: Mapping[int, Sequence[tuple[int, int, int]]]
    """The edits of each line: the column where one begins, its length, and the replaced length."""

    @classmethod
    def of(cls, text: str, edits: Sequence[Edit]) -> "Edited":
        """Return a source after its edits, which must be in order and must not overlap."""
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
        """Return the column in the source. A place inside an edit is mapped to its beginning."""
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
