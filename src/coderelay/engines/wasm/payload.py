"""Prepares JSON text for a guest. Long texts are read in pieces, to bound time and memory."""

import re
from collections.abc import Iterator

from coderelay.core.limits import KB, MB

_PIECE = 64 * KB
# Matches text up to the first number of more than 15 digits.
_SHORT_NUMBERS = re.compile(r"\D*(?:\d{1,15}(?!\d)\D*)*")
_SHORT_ASCII_NUMBERS = re.compile(_SHORT_NUMBERS.pattern, re.ASCII)


def has_long_integer(text: str) -> bool:
    """Return whether a text has a number of more than 15 digits, which JavaScript might round."""
    at, numbers = 0, _SHORT_ASCII_NUMBERS if text.isascii() else _SHORT_NUMBERS
    while True:
        end = min(len(text), at + _PIECE)
        found = numbers.match(text, at, end)
        assert found is not None
        if found.end() < end:
            return True
        if end == len(text):
            return False
        at = end
        while text[at - 1].isdecimal():  # the next piece must contain the whole number
            at -= 1


def without_surrogates(text: str) -> str:
    """Return JSON text with lone surrogates as escapes, because they cannot be encoded as UTF-8.

    They occur only inside strings, where an escape means the same.
    """
    return text if text.isascii() else "".join(_escaped(text))


def _escaped(text: str) -> Iterator[str]:
    for at in range(0, len(text), MB):
        piece = text[at : at + MB]
        try:
            piece.encode()
        except UnicodeEncodeError:
            piece = piece.encode("utf-8", "backslashreplace").decode()
        yield piece
