"""The index that a model is shown where the declarations of all tools would be too long.

The index exceeds its budget by one line at most. The more tools there are, the less it says: each
tool with its first sentence; names only; some names of each group; in the end only the groups, as
many as there is room for. Tools are in tool order and groups in the order of their first tool. So
equal tools give an equal text, and the provider's prompt cache can be used.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coderelay.core import Tool, ToolName
from coderelay.core.json_values import size
from coderelay.languages.naming import split_words
from coderelay.schemas.schema_notes import lines

DECLARATION_TOKENS = 6_000
"""How many tokens the declarations may take before an index replaces them."""

_BYTES = 4
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s|(?<=[。！？])")
_NAMESPACE = re.compile(r"^(.+)(?:__|[./:])(?=[^./:_])")
_LONGEST_TEXT = 2_000
_TITLE = 60
_OTHERS = "others"
_LISTED = (1_000, 500, 250, 120, 60, 30, 16, 8, 4, 2, 1, 0)


def tokens(text: str) -> int:
    """An estimate of how many tokens a text has: one for each four bytes. The tokenizer of the
    model is not known here."""
    return -(-size(text) // _BYTES)


def first_sentence(description: str, length: int = 100) -> str:
    """The first sentence of a description, on one line."""
    found = next((line for line in lines(description[:_LONGEST_TEXT].strip()) if line), "")
    sentence = _SENTENCE.split(found, maxsplit=1)[0].strip()
    return sentence if len(sentence) <= length else sentence[: length - 1].rstrip() + "…"


def index(tools: Sequence[Tool], names: Sequence[ToolName], budget: int) -> str:
    """The index of the tools, under their names in a program, in about `budget` tokens."""
    groups = _groups(tools, [name.identifiers[0] for name in names])
    for text in _shorter_and_shorter(groups):
        if tokens(text) <= budget:
            return text
    return _cut(groups, budget)


@dataclass(frozen=True, slots=True)
class _ToolGroup:
    title: str
    tools: Sequence[tuple[str, str]]
    """Name and description."""

    def sentences(self) -> str:
        """A line for each tool."""
        rows = []
        for name, description in self.tools:
            sentence = first_sentence(description)
            rows.append(f"- {name}: {sentence}" if sentence else f"- {name}")
        return "\n".join([self._head(), *rows])

    def names(self, most: int) -> str:
        """One line, with `most` names at most."""
        listed = [name for name, _ in self.tools[:most]]
        if len(self.tools) > most > 0:
            listed.append(f"… {len(self.tools) - most} more")
        return f"{self._head()} {', '.join(listed)}" if listed else self._head()[:-1]

    def _head(self) -> str:
        return f"{self.title} ({len(self.tools)}):"


def _shorter_and_shorter(groups: Sequence[_ToolGroup]) -> Iterator[str]:
    yield "\n".join(group.sentences() for group in groups)
    for most in _LISTED:
        yield "\n".join(group.names(most) for group in groups)


def _cut(groups: Sequence[_ToolGroup], budget: int) -> str:
    """The titles of as many groups as there is room for, and how many are left out."""
    rows: list[str] = []
    room = budget * _BYTES
    for place, group in enumerate(groups):
        row = group.names(0)
        room -= size(row) + 1
        if room < 0:
            rest = sum(len(each.tools) for each in groups[place:])
            rows.append(f"… {len(groups) - place} more groups with {rest} tools")
            break
        rows.append(row)
    return "\n".join(rows)


def _groups(tools: Sequence[Tool], identifiers: Sequence[str]) -> list[_ToolGroup]:
    """The tools in groups: by namespace, or else by the first words of their names."""
    found: dict[str, list[tuple[str, str]]] = {}
    for key, tool, identifier in zip(_keys(tools), tools, identifiers, strict=True):
        found.setdefault(key, []).append((identifier, tool.description))
    several = {key: members for key, members in found.items() if len(members) > 1}
    alone = [members[0] for members in found.values() if len(members) == 1]
    groups = [_ToolGroup(" ".join(lines(key))[:_TITLE], several[key]) for key in several]
    return [*groups, _ToolGroup(_OTHERS, alone)] if alone else groups


def _keys(tools: Sequence[Tool]) -> Iterator[str]:
    """The key of each tool's group: its namespace, or its name up to the first word in which names
    differ."""
    spaces = [_NAMESPACE.match(tool.name) for tool in tools]
    words = [split_words(tool.name) for tool in tools]
    plain = [each for each, space in zip(words, spaces, strict=True) if space is None]
    shared = 0
    while len(plain) > 1 and all(len(each) > shared + 1 for each in plain):
        if len({each[shared].lower() for each in plain}) > 1:
            break
        shared += 1
    for space, each, tool in zip(spaces, words, tools, strict=True):
        if space is not None:
            yield space[1]
        else:
            yield "_".join(each[: shared + 1]).lower() or tool.name
