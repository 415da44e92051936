"""Finds programs that a model writes as text, although it was offered a tool for them.

A program in text is one fenced block in the offered language that calls a declared tool, with
nothing after it; or a `<tool_call>`. Text that may become one is held back until that is known. All
other text is for the client. See docs/design/program-in-words.md.
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


class ProgramInText:
    """Reads the text of an answer as it comes, and holds back what may be a program.

    There may be many small pieces, so each is read only once. Without `code_offered` nothing is
    held back.
    """

    def __init__(self, language: str, *, code_offered: bool) -> None:
        self._language = find_language(language)
        self._watching = code_offered
        self._held = StringIO()
        self._begun = False
        """Whether the held text begins with a whole mark, and not only with the start of one."""
        self._block: BlockReader | None = None

    def feed(self, text: str) -> str:
        """Take the next piece of the text. Returns what can be passed on to the client now."""
        if not self._watching:
            return text
        if self._begun:
            self._held.write(text)
            if self._block is not None:
                self._block.feed(text)
            released = ""
        else:
            released = self._look_for_mark(self.rest() + text)
        if self._is_no_program():
            self._watching = False
            released, self._held, self._block = released + self.rest(), StringIO(), None
        return released

    def rest(self) -> str:
        """The text that is held back."""
        return self._held.getvalue()

    def program(self, spellings: Collection[str]) -> str | None:
        """The source of the fenced program that was held back; None if there is no program. It must
        call one of the `spellings`, which are the names of tools in a program."""
        block, text = self._block, self.rest()
        if (
            block is None
            or block.place in (FencePart.TAG, FencePart.NO_BLOCK)
            or len(text) >= _LONGEST
        ):
            return None
        source = _lines(text)
        called = set(_CALLED.findall(source))
        return source if called & set(spellings) else None

    def calls(self) -> list[tuple[str, str]]:
        """The `<tool_call>`s in the text that was held back, as names and JSON arguments."""
        found = (_call(match[1].strip()) for match in _CALL.finditer(self.rest()))
        return [call for call in found if call is not None]

    def _look_for_mark(self, text: str) -> str:
        """Hold the text back from the first mark on. Returns the text before it."""
        start = _start(text)
        released, held = text[:start], text[start:]
        self._held = StringIO()
        self._held.write(held)
        self._begun = held.startswith(_MARKS)
        if held.startswith(BACKQUOTES):
            self._block = BlockReader()
            self._block.feed(held[len(BACKQUOTES) :])
        return released

    def _is_no_program(self) -> bool:
        """Whether the fenced block that is held back cannot be a program."""
        block = self._block
        if block is None or block.place in (FencePart.TAG, FencePart.NO_BLOCK):
            return False
        return block.place is FencePart.AFTER or not self._language.is_fence_tag(block.tag)


def _lines(text: str) -> str:
    """The lines inside a block. Its closing fence may be missing if the answer was cut off."""
    block = whole_block(text)
    if block is not None and block.lines:
        return block.lines.removesuffix("\n")
    return text[text.index("\n") + 1 :].rstrip()


def _start(text: str) -> int:
    """Where a mark begins in the text, or at its end the part of one; else the end of the text."""
    places = [place for mark in _MARKS if (place := text.find(mark)) >= 0]
    if places:
        return min(places)
    longest = max(len(mark) for mark in _MARKS) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(mark.startswith(text[-length:]) for mark in _MARKS):
            return len(text) - length
    return len(text)


def _call(text: str) -> tuple[str, str] | None:
    """The name and the arguments of a call, in either of the two forms that models write."""
    xml = _XML.match(text)
    if xml is not None:
        return xml[1], dump({xml[2]: xml[3]})
    try:
        call = read_model_json(text)
    except NotJson:
        return None
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        return None
    arguments = call.get("arguments", call.get("parameters", {}))
    return call["name"], arguments if isinstance(arguments, str) else dump(arguments)
