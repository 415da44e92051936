"""Some models write their program as text. What may be one is held back until that is known.

A program in words is one fenced block in the offered language that calls a declared tool, with
nothing after it; or a `<tool_call>`. Anything else is what it looks like: words for the client.
See docs/design/program-in-words.md.
"""

import re
from collections.abc import Collection, Mapping
from io import StringIO

from coderelay.core.json_values import NotJson, dump
from coderelay.engines.fence import BACKQUOTES, BlockReader, FencePart, whole_block
from coderelay.gateway.model_json import read_model_json
from coderelay.languages.language_registry import find_language

_TOOL_CALL = "<tool_call>"
_MARKS = (BACKQUOTES, _TOOL_CALL)
_LONGEST = 200_000
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_XML = re.compile(r"<function=([^>\s]+)>\s*<parameter=(\w+)>\n?(.*?)\n?</parameter>", re.DOTALL)
# Without the look behind, each letter of a long word would be tried as its beginning.
_CALLED = re.compile(r"(?<![\w$])([\w$]++)\s*+\(")


class Speech:
    """Text as it comes: what can be told at once, and what must wait.

    Tokens are many and small, so each is read only once.
    """

    def __init__(self, language: str, *, code_offered: bool) -> None:
        self._language = find_language(language)
        self._watching = code_offered
        self._held = StringIO()
        self._begun = False
        """Whether what is held begins with a mark, and not only with what may become one."""
        self._block: BlockReader | None = None

    def feed(self, text: str) -> str:
        """The part of the text that can be told now."""
        if not self._watching:
            return text
        if self._begun:
            self._held.write(text)
            if self._block is not None:
                self._block.feed(text)
            told = ""
        else:
            told = self._look_for_mark(self.rest() + text)
        if self._is_words():
            self._watching = False
            told, self._held, self._block = told + self.rest(), StringIO(), None
        return told

    def rest(self) -> str:
        """What was held back to the end."""
        return self._held.getvalue()

    def program(self, spellings: Collection[str]) -> str | None:
        """The fenced program that was held back, if it is one."""
        block, text = self._block, self.rest()
        if (
            block is None
            or block.place in (FencePart.TAG, FencePart.NO_BLOCK)
            or len(text) >= _LONGEST
        ):
            return None
        if not self._language.is_fence_tag(block.tag):
            return None
        source = _lines(text)
        called = set(_CALLED.findall(source))
        return source if called & set(spellings) else None

    def calls(self) -> list[tuple[str, str]]:
        """The `<tool_call>`s that were held back, as names and arguments."""
        found = (_call(match[1].strip()) for match in _CALL.finditer(self.rest()))
        return [call for call in found if call is not None]

    def _look_for_mark(self, text: str) -> str:
        """Hold the text from the first mark on. The answer is what stands before it."""
        start = _start(text)
        told, held = text[:start], text[start:]
        self._held = StringIO()
        self._held.write(held)
        self._begun = held.startswith(_MARKS)
        if held.startswith(BACKQUOTES):
            self._block = BlockReader()
            self._block.feed(held[len(BACKQUOTES) :])
        return told

    def _is_words(self) -> bool:
        """Whether a fenced block in what is held is surely no program."""
        block = self._block
        if block is None or block.place in (FencePart.TAG, FencePart.NO_BLOCK):
            return False
        return block.place is FencePart.AFTER or not self._language.is_fence_tag(block.tag)


def _lines(text: str) -> str:
    """The lines of a block that may lack its end: the answer may have stopped there."""
    block = whole_block(text)
    if block is not None and block.lines:
        return block.lines.removesuffix("\n")
    return text[text.index("\n") + 1 :].rstrip()


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
        return xml[1], dump({xml[2]: xml[3]})
    try:
        said = read_model_json(text)
    except NotJson:
        return None
    if not isinstance(said, Mapping) or not isinstance(said.get("name"), str):
        return None
    arguments = said.get("arguments", said.get("parameters", {}))
    return said["name"], arguments if isinstance(arguments, str) else dump(arguments)
