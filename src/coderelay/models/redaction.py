"""Keys are removed from errors before a client sees them, because an upstream may repeat a key."""

import re
from bisect import bisect_right
from collections.abc import Iterator

HIDDEN = "***"
LONGEST = 20_000
"""Characters of a message that are looked at. It is less than a quarter of the bytes that are read
of a refusal: so a text that was cut while it was read is always longer, even in UTF-8."""

_JSON = r"\\u([0-9A-Fa-f]{4})|\\(.)"
_URL = r"%([0-9A-Fa-f]{2})"
_ESCAPES = tuple(
    (marks, re.compile(pattern, re.DOTALL))
    for marks, pattern in (("\\", _JSON), ("%", _URL), ("\\%", f"{_JSON}|{_URL}"))
)
"""The escapes of JSON, of a URL, and of both, each with the characters that they begin with. A key
may have what looks like an escape itself, so it is looked for in all three ways."""
_LONGEST_ESCAPE = len("\\u0041")


def scrub(text: str, *secrets: str | None) -> str:
    """The text without the secrets, as they are or as JSON or a URL would escape them.

    Of a text with more than `LONGEST` characters only the beginning is returned, without what may
    be the beginning of a secret at its end.
    """
    is_cut = len(text) > LONGEST
    text = text[:LONGEST]
    for secret in filter(None, secrets):
        text, tail = _hidden(text, secret)
        if is_cut:
            text = text[: len(text) - min(tail, _LONGEST_ESCAPE * len(secret))]
    return f"{text}…" if is_cut else text


def scrub_bytes(data: bytes, secret: str | None) -> bytes:
    """`scrub` for a whole body of an unknown encoding that has ASCII in it. It is not cut: the
    caller must have limited its length."""
    text = data.decode("latin-1")
    if secret:
        for each in {secret, secret.encode("utf-8", "replace").decode("latin-1")}:
            text, _ = _hidden(text, each)
    return text.encode("latin-1")


def _hidden(text: str, secret: str) -> tuple[str, int]:
    """The text without a secret, and how many characters follow the last place where it stood."""
    parts = text.split(secret)
    text, tail = HIDDEN.join(parts), len(parts[-1])
    for marks, escapes in _ESCAPES:
        if all(mark in text for mark in marks):
            text, end = _without(text, secret, escapes)
            tail = min(tail, end)
    return text, tail


def _without(text: str, secret: str, escapes: re.Pattern[str]) -> tuple[str, int]:
    plain = _UnescapedText(text, escapes)
    parts, end = [], 0
    for found in _places(plain.text, secret):
        parts.append(text[end : plain.place_in_source(found)])
        end = plain.place_in_source(found + len(secret))
    return HIDDEN.join([*parts, text[end:]]), len(text) - end


def _places(text: str, secret: str) -> Iterator[int]:
    place = text.find(secret)
    while place >= 0:
        yield place
        place = text.find(secret, place + len(secret))


class _UnescapedText:
    """A text with its escapes replaced by what they stand for."""

    def __init__(self, source: str, escapes: re.Pattern[str]) -> None:
        self._places, self._sources = [0], [0]
        """Where each escape ends, in the plain text and in the source."""
        parts: list[str] = []
        for escape in escapes.finditer(source):
            before = source[self._sources[-1] : escape.start()]
            parts += (before, _character(escape))
            self._places.append(self._places[-1] + len(before) + 1)
            self._sources.append(escape.end())
        self.text = "".join([*parts, source[self._sources[-1] :]])

    def place_in_source(self, place: int) -> int:
        """Where a place of the plain text is in the source."""
        escape = bisect_right(self._places, place) - 1
        return self._sources[escape] + place - self._places[escape]


def _character(escape: re.Match[str]) -> str:
    written = escape[escape.lastindex or 0]
    return written if len(written) == 1 else chr(int(written, 16))
