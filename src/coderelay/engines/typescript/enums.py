"""Turns a `const enum` that a program uses as an object into a plain enum.

The stripper replaces each member of a `const enum` by its value, and removes the object. But a
program may still list or index the object.
"""

import re
from collections.abc import Collection, Iterator

from coderelay.engines.typescript.tokens import Token, tokens

_CONST_ENUM = re.compile(r"\bconst\s+enum\b")


def const_enums_left(source: str, code: str) -> set[str]:
    """Return the names of the `const enum`s whose object the stripped code still uses."""
    if not _CONST_ENUM.search(source):
        return set()
    names = {name.text for _, name in _const_enums(source)}
    left = set()
    before = ""
    for token in tokens(code):
        if token.text in names and before != ".":
            left.add(token.text)
        before = token.text
    return left


def with_plain_enums(source: str, names: Collection[str]) -> str:
    """Return the source with these as plain enums. No other character moves."""
    characters = list(source)
    for const, name in _const_enums(source):
        if name.text in names:
            characters[const.start : const.end] = " " * len(const.text)
    return "".join(characters)


def _const_enums(source: str) -> Iterator[tuple[Token, Token]]:
    """Yield the tokens `const` and the name of each `const enum`."""
    found = list(tokens(source))
    for const, enum, name in zip(found, found[1:], found[2:], strict=False):
        if (const.text, enum.text) == ("const", "enum"):
            yield const, name
