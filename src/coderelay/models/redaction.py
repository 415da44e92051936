"""A key is in nothing that a client is told: what an upstream says of a failure may repeat it."""

import re
from bisect import bisect_right
from collections.abc import Iterator

HIDDEN = "***"

_JSON = r"\\u([0-9A-Fa-f]{4})|\\(.)"
_URL = r"%([0-9A-Fa-f]{2})"
_ESCAPES = tuple(re.compile(each, re.DOTALL) for each in (_JSON, _URL, f"{_JSON}|{_URL}"))
"""The escapes of JSON, of a URL, and of both: a key may have what looks like an escape itself."""


def scrub(text: str, *secrets: str | None) -> str:
    """The text without the secrets, as they are or as JSON or a URL would escape them."""
    for secret in filter(None, secrets):
        text = text.replace(secret, HIDDEN)
        for escapes in _ESCAPES:
            text = _without(text, secret, escapes)
    return text


def scrub_bytes(data: bytes, secret: str | None) -> bytes:
    """`scrub` for a text of an unknown encoding that has ASCII in it."""
    if not secret:
        return data
    in_utf8 = secret.encode("utf-8", "replace").decode("latin-1")
    return scrub(data.decode("latin-1"), secret, in_utf8).encode("latin-1")


def _without(text: str, secret: str, escapes: re.Pattern[str]) -> str:
    plain = _Plain(text, escapes)
    parts, end = [], 0
    for found in _places(plain.text, secret):
        parts.append(text[end : plain.place_in_source(found)])
        end = plain.place_in_source(found + len(secret))
    return HIDDEN.join([*parts, text[end:]])


def _places(text: str, secret: str) -> Iterator[int]:
    place = text.find(secret)
    while place >= 0:
        yield place
        place = text.find(secret, place + len(secret))


class _Plain:
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
