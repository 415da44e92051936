"""The JSON texts that enter a guest are looked at in pieces: results may be long."""

import re
from collections.abc import Iterator

from coderelay.core.limits import KB, MB

_PIECE = 64 * KB
# Text up to a number of more than 15 digits.
_SHORT_NUMBERS = re.compile(r"\D*(?:\d{1,15}(?!\d)\D*)*")
_SHORT_ASCII_NUMBERS = re.compile(_SHORT_NUMBERS.pattern, re.ASCII)


def has_long_integer(text: str) -> bool:
    """Whether a text has a number that JavaScript might round."""
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
        while text[at - 1].isdecimal():  # a number may go on in the next piece
            at -= 1


def without_surrogates(text: str) -> str:
    """The text with lone surrogates as escapes: they have no UTF-8 form. In JSON they are always
    inside a string."""
    return text if text.isascii() else "".join(_escaped(text))


def _escaped(text: str) -> Iterator[str]:
    for at in range(0, len(text), MB):
        piece = text[at : at + MB]
        try:
            piece.encode()
        except UnicodeEncodeError:
            piece = piece.encode("utf-8", "backslashreplace").decode()
        yield piece
