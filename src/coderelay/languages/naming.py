"""How languages spell names: words joined in a style, and no name used twice."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from coderelay.core.unicode import normalize

_SEPARATORS = re.compile(r"[\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

HOST_NAMES = frozenset(
    "main text console tools searchTools search_tools describeTool describe_tool ToolError".split()
)
"""The names that programs of every language need for themselves or get from the host."""


def split_words(name: str) -> list[str]:
    """The words of a name, split at separators and at the humps of camelCase."""
    parts = _SEPARATORS.split(normalize("NFKC", name))
    return [word for part in parts for word in split_humps(part) if word]


def split_humps(word: str) -> list[str]:
    """`webSearch` → `web`, `Search`."""
    return _HUMP.split(word)


def camel(words: Sequence[str]) -> str:
    """`web search` → `webSearch`."""
    return words[0].lower() + "".join(map(_capital, words[1:]))


def snake(words: Sequence[str]) -> str:
    """`web search` → `web_search`."""
    return "_".join(words).lower()


@lru_cache(maxsize=4096)
def pascal(text: str) -> str:
    """The name of a type: `web_search` → `WebSearch`; empty where the text has no letter."""
    name = normalize("NFKC", "".join(map(_capital, split_words(text))))
    return name if ("x" + name).isidentifier() else ""


def _capital(word: str) -> str:
    return word[0].upper() + word[1:].lower() if word.isupper() else word[0].upper() + word[1:]


@dataclass(frozen=True, slots=True)
class NamingStyle:
    """How a language spells the names of tools.

    - `join` makes a name of words.
    - `number` stands between a name and the number that makes it unique.
    - `reserved` are the names that no tool may take, because programs need them. They are written
      out rather than taken from the interpreter at hand: servers that run on different versions of
      Python must give a tool the same name. `HOST_NAMES` must be among them.
    - `extra` are the characters that names may have besides those that Unicode lists for them.
    """

    join: Callable[[Sequence[str]], str]
    number: str
    reserved: frozenset[str]
    extra: str = ""

    def identifier(self, name: str) -> str:
        """The language's spelling of a tool's name, whatever characters that is made of."""
        words = split_words(name)
        for candidate in (words, ["tool", *words]):  # a name may not begin with a digit
            if candidate:
                spelled = normalize("NFKC", self.join(candidate))
                if self.allows(spelled):
                    return spelled
        return "tool"

    def allows(self, name: str) -> bool:
        """Whether a program could write this name and mean a tool by it."""
        plain = name.translate({ord(letter): "x" for letter in self.extra})
        return (
            plain.isidentifier()
            and normalize("NFKC", name) == name  # Python reads names in this form
            and not name.startswith("__")
        )


class Claims:
    """The names that are in use. A name can be claimed only once."""

    def __init__(self, taken: Iterable[str] = (), *, number: str = "") -> None:
        self._taken = set(taken)
        self._number = number
        self._counts: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def claim(self, base: str) -> str:
        """The base, or the base with the first number from 2 on that makes it a new name."""
        name, count = base, self._counts.get(base, 1)
        while name in self._taken:
            count += 1
            name = f"{base}{self._number}{count}"
        self._counts[base] = count
        self._taken.add(name)
        return name
