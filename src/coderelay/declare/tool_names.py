"""Every tool has a name in a program, and no name is shared.

Names are given in tool order, so a tool that is added at the end renames none before it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from coderelay.core import Tool, ToolName, UnknownLanguage
from coderelay.core.unicode import normalize
from coderelay.declare import reserved_names
from coderelay.declare.schema_reader import property_names
from coderelay.declare.word_split import split


@dataclass(frozen=True, slots=True)
class Style:
    """How a language spells identifiers. `extra` are the letters it knows beside Unicode's."""

    join: Callable[[Sequence[str]], str]
    number: str
    reserved: frozenset[str]
    extra: str = ""

    def spells(self, name: str) -> bool:
        """Whether a program could write this name and mean a tool by it."""
        plain = name.translate({ord(letter): "x" for letter in self.extra})
        return (
            plain.isidentifier()
            and normalize("NFKC", name) == name  # Python reads names in this form
            and not name.startswith("__")
        )


def camel(words: Sequence[str]) -> str:
    """`web search` → `webSearch`."""
    return words[0].lower() + "".join(map(_capital, words[1:]))


def snake(words: Sequence[str]) -> str:
    """`web search` → `web_search`."""
    return "_".join(words).lower()


@lru_cache(maxsize=4096)
def pascal(text: str) -> str:
    """The name of a type: `web_search` → `WebSearch`; empty where the text has no letter."""
    name = normalize("NFKC", "".join(map(_capital, split(text))))
    return name if ("x" + name).isidentifier() else ""


STYLES = {
    "typescript": Style(join=camel, number="", reserved=reserved_names.TYPESCRIPT, extra="$"),
    "python": Style(join=snake, number="_", reserved=reserved_names.PYTHON),
}


def names(
    tools: Sequence[Tool], language: str, *, taken: Iterable[str] = ()
) -> tuple[ToolName, ...]:
    """How a program in a language reaches each tool, in tool order; no tool gets a name that is
    taken already."""
    if language not in STYLES:
        known = ", ".join(STYLES)
        raise UnknownLanguage(f"there are no names in {language!r}: choose one of {known}")
    style = STYLES[language]
    claims = Claims(style.reserved.union(taken), number=style.number)
    return tuple(_name(tool, style, claims) for tool in tools)


class Claims:
    """The names that are given, each only once."""

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


def _name(tool: Tool, style: Style, claims: Claims) -> ToolName:
    identifiers = [claims.claim(_identifier(tool.name, style))]
    if style.spells(tool.name) and tool.name not in claims:
        identifiers.append(claims.claim(tool.name))
    return ToolName(tool.name, tuple(identifiers), property_names(tool.parameters))


def _identifier(name: str, style: Style) -> str:
    """The language's spelling of a wire name, whatever that is made of."""
    words = split(name)
    for candidate in (words, ["tool", *words]):  # a name may not begin with a digit
        if candidate:
            spelled = normalize("NFKC", style.join(candidate))
            if style.spells(spelled):
                return spelled
    return "tool"


def _capital(word: str) -> str:
    return word[0].upper() + word[1:].lower() if word.isupper() else word[0].upper() + word[1:]
