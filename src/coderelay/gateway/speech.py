"""Some models write their program as text. What may be one is held back until that is known.

A program in words is one fenced block in the offered language that calls a declared tool, with
nothing after it; or a `<tool_call>`. Anything else is what it looks like: words for the client.
See docs/design/program-in-words.md.
"""

import json
import re
from collections.abc import Collection, Mapping

from coderelay.core import Json

_MARKS = ("```", "<tool_call>")
_TAGS = {
    "typescript": frozenset({"", "ts", "typescript", "js", "javascript", "tsx", "run_typescript"}),
    "python": frozenset({"", "py", "python", "python3", "run_python"}),
}
_FENCE = re.compile(r"```([^\n`]*)\n(.*?)(?:\n[ \t]*```\s*|\s*)\Z", re.DOTALL)
_OPENED = re.compile(r"```([^\n`]*)\n")
_CLOSE = re.compile(r"\n[ \t]*```")
_MORE = re.compile(r"\s*[^\s`]")
_INDENT = 100
_LONGEST = 200_000
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_XML = re.compile(r"\s*<function=([^>\s]+)>\s*<parameter=(\w+)>\n?(.*?)\n?</parameter>", re.DOTALL)


class Speech:
    """Text as it comes: what can be told at once, and what must wait."""

    def __init__(self, language: str, *, code_offered: bool) -> None:
        self._tags = _TAGS.get(language, frozenset())
        self._watching = code_offered
        self._held = ""
        self._searched = 0

    def feed(self, text: str) -> str:
        """The part of the text that can be told now."""
        if not self._watching:
            return text
        told, self._held = "", self._held + text
        if not self._held.startswith(_MARKS):
            start = _start(self._held)
            told, self._held = self._held[:start], self._held[start:]
        if self._is_words():
            self._watching = False
            told, self._held = told + self._held, ""
        return told

    def rest(self) -> str:
        """What was held back to the end."""
        return self._held

    def program(self, spellings: Collection[str]) -> str | None:
        """The fenced program that was held back, if it is one."""
        match = _FENCE.fullmatch(self._held) if len(self._held) < _LONGEST else None
        if match is None or match[1].strip().lower() not in self._tags:
            return None
        called = set(re.findall(r"[\w$]+(?=\s*\()", match[2]))
        return match[2] if called & set(spellings) else None

    def calls(self) -> list[tuple[str, str]]:
        """The `<tool_call>`s that were held back, as names and arguments."""
        found = (_call(match[1]) for match in _CALL.finditer(self._held))
        return [call for call in found if call is not None]

    def _is_words(self) -> bool:
        """Whether a fenced block in what is held is surely no program."""
        opened = _OPENED.match(self._held)
        if opened is None:
            return False
        if opened[1].strip().lower() not in self._tags:
            return True
        closed = _CLOSE.search(self._held, max(opened.end() - 1, self._searched))
        if closed is None:
            self._searched = len(self._held) - _INDENT  # not from the start again: pieces are many
            return False
        return _MORE.match(self._held, closed.end()) is not None


def _start(text: str) -> int:
    """Where something begins that may be a program, or may yet become the beginning of one."""
    places = [place for mark in _MARKS if (place := text.find(mark)) >= 0]
    if places:
        return min(places)
    longest = max(len(mark) for mark in _MARKS) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(mark.startswith(text[-length:]) for mark in _MARKS):
            return len(text) - length
    return len(text)


def _call(text: str) -> tuple[str, str] | None:
    xml = _XML.match(text)
    if xml is not None:
        return xml[1], json.dumps({xml[2]: xml[3]})
    try:
        said: Json = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, Mapping) or not isinstance(said.get("name"), str):
        return None
    arguments = said.get("arguments", said.get("parameters", {}))
    return said["name"], arguments if isinstance(arguments, str) else json.dumps(arguments)
