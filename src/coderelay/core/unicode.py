"""Text that can be sent, and Unicode normalization in time that is linear in its length."""

import re
import unicodedata
from typing import Literal

_MOST_MARKS = 30
_JOINER = "\N{COMBINING GRAPHEME JOINER}"


def normalize(form: Literal["NFKC", "NFKD"], text: str) -> str:
    """Return the text in a Unicode normal form.

    Python sorts the accents of a letter in time that grows with the square of their number, so
    24,000 of them take seconds. No language needs more than a few. So where more than 30 accents
    follow each other, an invisible joiner is first put after every 30, as Unicode's Stream-Safe
    Text Format does (UAX #15).
    """
    if text.isascii():
        return text
    if len(text) > _MOST_MARKS:
        text = _split_long_accents(text)
    return unicodedata.normalize(form, text)


def sendable(text: str) -> str:
    """The text with `?` for each lone surrogate, because these cannot be encoded as UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _split_long_accents(text: str) -> str:
    marks = "".join(sorted(letter for letter in set(text) if _is_mark(letter)))
    if not marks:
        return text
    mark = f"[{re.escape(marks)}]"
    group = re.compile(f"{mark}{{{_MOST_MARKS}}}(?={mark})")
    return group.sub(rf"\g<0>{_JOINER}", text)


def _is_mark(letter: str) -> bool:
    """Return whether a character, once decomposed, combines with the one before it."""
    return unicodedata.combining(unicodedata.normalize("NFKD", letter)[0]) > 0
