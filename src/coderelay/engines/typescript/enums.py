"""A `const enum` that is used as an object is an enum like any other.

The stripper writes the values of a `const enum` where they are read, and drops the object. A
program may list it or index it all the same.
"""

import re
from collections.abc import Collection, Iterator

from coderelay.engines.typescript.tokens import Token, tokens

_CONST_ENUM = re.compile(r"\bconst\s+enum\b")


def const_enums_left(source: str, code: str) -> set[str]:
    """The names of those whose object the stripped code still needs."""
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
    """The source in which these are plain enums, every other character where it was."""
    characters = list(source)
    for const, name in _const_enums(source):
        if name.text in names:
            characters[const.start : const.end] = " " * len(const.text)
    return "".join(characters)


def _const_enums(source: str) -> Iterator[tuple[Token, Token]]:
    """The `const` and the name of each."""
    found = list(tokens(source))
    for const, enum, name in zip(found, found[1:], found[2:], strict=False):
        if (const.text, enum.text) == ("const", "enum"):
            yield const, name
