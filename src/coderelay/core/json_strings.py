"""Finds where strings in a JSON text end and can be cut, and describes places for errors."""

import re

from coderelay.core.json_values import NotJson
from coderelay.core.limits import KB, MB

PIECE = 8 * KB
"""About how many bytes of a long text are read in one step."""
STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
"""A regular expression for a string, to be used in others. At each byte only one alternative can
match, so nothing backtracks and the cost is linear."""
_LONGEST_ESCAPE = 16
# The content of a string up to a place where it can be cut: not inside an escape, and not between
# the two escapes of a surrogate pair, which are one character.
_INSIDE = re.compile(
    rb"""
    [^"\\]*
    (?: \\ (?: [^u]
             | u (?![dD][89abAB]) [0-9a-fA-F]{4}
             | u [dD][89abAB][0-9a-fA-F]{2}
               (?: \\u[dD][c-fC-F][0-9a-fA-F]{2}
                 | (?= [^\\] | \\[^u] | \\u[^dD] | \\u[dD][^c-fC-F] ) ) )
        [^"\\]* )*
    """,
    re.VERBOSE | re.DOTALL,
)


def string_cuts(data: bytes, start: int, piece: int = PIECE) -> list[int]:
    """Return the places at which the string that starts at `start` can be cut; the last one is its
    closing quote."""
    cuts: list[int] = []
    at = start + 1
    while True:
        inside = _INSIDE.match(data, at, at + piece)
        assert inside is not None
        end = inside.end()
        if data[end : end + 1] == b'"':
            return [*cuts, end]
        while end > at and data[end : end + 1] > b"\x7f" and data[end] & 0xC0 == 0x80:
            end -= 1  # do not cut inside a UTF-8 character
        if end == at:
            if data[at : at + 1] == b"\\" and b'"' in data[at + 2 : at + _LONGEST_ESCAPE]:
                raise wrong("Invalid \\escape", data, at)
            raise wrong("Unterminated string", data, start)
        cuts.append(end)
        at = end


def wrong(message: str, data: bytes, at: int) -> NotJson:
    """Return the error for a text that is wrong at that byte, with its line and column."""
    starts = range(0, at, MB)
    line = 1 + sum(data.count(b"\n", each, min(at, each + MB)) for each in starts)
    first = data.rfind(b"\n", 0, at) + 1
    pieces = (data[each : min(at, each + MB)] for each in range(first, at, MB))
    column = 1 + sum(len(piece.decode("utf-8", "ignore")) for piece in pieces)
    return NotJson(f"line {line}, column {column}: {message}")
