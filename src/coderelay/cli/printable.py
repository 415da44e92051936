"""Text from programs, tools and files, made safe to print: it cannot control the terminal."""

import json
from unicodedata import category

from coderelay.core import Json

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Controls, invisible format characters such as those that change the direction of a line, lone
surrogates, and the separators of lines and paragraphs."""


def printable(text: str) -> str:
    """The text with invisible characters as escapes, except line ends and tabs."""
    if text.isprintable():
        return text
    return "".join(_seen(character) for character in text)


def one_line(value: Json, width: int) -> str:
    """A value as JSON on one line, shortened to a width."""
    text = printable(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= width else text[: width - 1] + "…"


def pretty(value: Json) -> str:
    """A value as indented JSON."""
    return printable(json.dumps(value, ensure_ascii=False, indent=2))


def _seen(character: str) -> str:
    if character in "\n\t" or category(character) not in _UNSEEN:
        return character
    return character.encode("unicode_escape").decode("ascii")
