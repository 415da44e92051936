"""What a program can find out about its tools: which ones fit a query, and how one is declared."""

from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from coderelay.core import Json, Tool, ToolName, Work
from coderelay.core.nearest_names import Nearest
from coderelay.core.unicode import sendable
from coderelay.declare.host_functions import HOST_FUNCTIONS, SEARCH
from coderelay.declare.tool_index import first_sentence
from coderelay.declare.tool_search import Search
from coderelay.languages.language_registry import find_language
from coderelay.schemas.schema_notes import cut

_SIGNATURE, _SENTENCE, _DECLARATION = 300, 200, 64_000
_LISTED, _NAME = 300, 80
_LETTER_FUEL = 30
"""Fuel for each letter of a declaration."""


class ToolLookup:
    """Looks up tools by their names in a language. Its answers depend only on tools and names."""

    def __init__(self, tools: Sequence[Tool], names: Sequence[ToolName], language: str) -> None:
        self._tools = tools
        self._language = find_language(language)
        self._names = {name.name: name for name in names}
        self._identifiers = [each.identifiers[0] for each in names]
        self._hits: dict[str, dict[str, Json]] = {}
        self._described: dict[str, str] = {}

    def search(self, query: str, limit: int, work: Work) -> list[Json]:
        """The tools that fit a query, best first."""
        return [self._hit(tool).copy() for tool in self._search.search(query, limit, work)]

    def describe(self, name: str, work: Work) -> str | None:
        """The declaration of the tool with this name, in a program or on the wire; None where
        there is no such tool."""
        if name not in self._described:
            text = self._declaration(name)
            if text is None:
                return None
            self._described[name] = cut(sendable(text), _DECLARATION)
        described = self._described[name]
        work.add(_LETTER_FUEL * len(described))
        return described

    def unknown(self, name: str) -> str:
        """The message for a name that no tool has."""
        close = dict.fromkeys(self._spellings[each] for each in self._nearest.to(name))
        listed = ", ".join(close or islice(self._identifiers, _LISTED))
        some = "nearest" if close else "the tools are"
        message = f"there is no tool {cut(name, _NAME)!r}; {some}: {cut(listed, _LISTED)}"
        if not close and len(listed) > _LISTED:
            message += f" (find one with {SEARCH.identifiers(self._language)[0]})"
        return sendable(message)

    def _declaration(self, name: str) -> str | None:
        tool = self._by_spelling.get(name)
        if tool is not None:
            return self._language.tools.declare([tool], [self._names[tool.name]])
        own = (each for each in HOST_FUNCTIONS if name in each.identifiers(self._language))
        return next((each.declaration(self._language) for each in own), None)

    def _hit(self, tool: Tool) -> dict[str, Json]:
        if tool.name not in self._hits:
            identifier = self._names[tool.name].identifiers[0]
            line = sendable(self._language.tools.line(tool, identifier))
            self._hits[tool.name] = {
                "name": identifier,
                "signature": cut(line, _SIGNATURE),
                "description": sendable(first_sentence(tool.description, _SENTENCE)),
            }
        return self._hits[tool.name]

    @cached_property
    def _search(self) -> Search:
        return Search(self._tools)

    @cached_property
    def _nearest(self) -> Nearest:
        return Nearest(self._spellings)

    @cached_property
    def _spellings(self) -> dict[str, str]:
        """A tool's name in a program, by every name that the tool has."""
        wire = {name: each.identifiers[0] for name, each in self._names.items()}
        inside = {
            each: name.identifiers[0] for name in self._names.values() for each in name.identifiers
        }
        return wire | inside

    @cached_property
    def _by_spelling(self) -> dict[str, Tool]:
        by_identifier = {self._names[tool.name].identifiers[0]: tool for tool in self._tools}
        return {name: by_identifier[each] for name, each in self._spellings.items()}
