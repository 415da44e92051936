"""Maps a place in the stripper's output back to the place in its input, with a source map."""

import bisect
import json
from dataclasses import dataclass
from functools import lru_cache

_DIGITS = {
    digit: value
    for value, digit in enumerate(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}
_BITS = 40
"""How many bits of a number are read. Lines and columns have fewer, and reading a very long number
would take time quadratic in its length."""


@dataclass(frozen=True, slots=True)
class SourceMap:
    """A source map: for each line of the code, its segments of column, source line and source
    column, which count from 0."""

    lines: tuple[tuple[tuple[int, int, int], ...], ...]

    def original(self, line: int, column: int) -> tuple[int, int]:
        """Return the place in the source for a place in the code. Both count from 1."""
        for number in range(min(line, len(self.lines)) - 1, -1, -1):
            segments = self.lines[number]
            if segments:
                at = (
                    bisect.bisect_right(segments, (column - 1, 1 << 30, 0))
                    if number == line - 1
                    else len(segments)
                )
                _, source_line, source_column = segments[max(at - 1, 0)]
                return source_line + 1, source_column + 1
        return line, column


@lru_cache(4)
def parse(text: str) -> SourceMap:
    """Read a version 3 source map of one source."""
    lines = []
    source_line = source_column = 0
    for group in json.loads(text)["mappings"].split(";"):
        column = 0
        segments = []
        for segment in filter(None, group.split(",")):
            fields = _numbers(segment)
            column += fields[0] if fields else 0
            if len(fields) >= 4:
                source_line += fields[2]
                source_column += fields[3]
                segments.append((column, source_line, source_column))
        lines.append(tuple(segments))
    return SourceMap(tuple(lines))


def _numbers(segment: str) -> list[int]:
    """Return the numbers of a segment. They are written in base64 digits of five bits, the lowest
    first, with the sign in the lowest bit."""
    numbers = []
    value = shift = 0
    for digit in segment:
        bits = _DIGITS[digit]
        if shift < _BITS:
            value |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return numbers
