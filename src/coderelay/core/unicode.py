"""Unicode normalization that costs no more than a text's length."""

import re
import unicodedata
from typing import Literal

_MOST_MARKS = 30
_JOINER = "\N{COMBINING GRAPHEME JOINER}"


def normalize(form: Literal["NFKC", "NFKD"], text: str) -> str:
    """The text in a normal form.

    Python sorts the accents of a letter in time that grows with the square of their number, so
    24,000 of them take seconds. No language needs more than a few. Where more than 30 follow each
    other, they are parted into groups of 30 by an invisible joiner first, as Unicode's Stream-Safe
    Text Format does (UAX #15).
    """
    if text.isascii():
        return text
    if len(text) > _MOST_MARKS:
        text = _parted(text)
    return unicodedata.normalize(form, text)


def _parted(text: str) -> str:
    marks = "".join(sorted(letter for letter in set(text) if _is_mark(letter)))
    if not marks:
        return text
    mark = f"[{re.escape(marks)}]"
    group = re.compile(f"{mark}{{{_MOST_MARKS}}}(?={mark})")
    return group.sub(rf"\g<0>{_JOINER}", text)


def _is_mark(letter: str) -> bool:
    """Whether a letter becomes one that is written on the letter before it."""
    return unicodedata.combining(unicodedata.normalize("NFKD", letter)[0]) > 0
