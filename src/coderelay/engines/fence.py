"""Reads fenced code blocks of Markdown. All readers of fences are here.

Models write their programs between lines of three backquotes or tildes. Every reader takes linear
time, because a model may write anything.
"""

from dataclasses import dataclass
from enum import Enum, auto

BACKQUOTES = "```"
_MARKS = (BACKQUOTES, "~~~")
_BLANK = " \t"
_LONGEST_TAG = 40


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A fenced block. `tag` is the text after the opening mark, usually a language's name."""

    mark: str
    tag: str
    start: int
    """Where the lines inside begin in the text."""
    lines: str
    """The lines inside, the last one with its line end."""


def whole_block(text: str) -> FencedBlock | None:
    """Return the block if the text is one block with nothing but white space around it, else None.

    Fences inside are part of the block: only the last line of the text closes it.
    """
    opening = len(text) - len(text.lstrip())
    mark = text[opening : opening + 3]
    end_of_tag = text.find("\n", opening)
    if mark not in _MARKS or end_of_tag < 0:
        return None
    start, end = end_of_tag + 1, len(text.rstrip())
    closing = text.rfind("\n", 0, end) + 1
    if closing < start or text[closing:end].lstrip(_BLANK) != mark:
        return None
    tag = text[opening + 3 : end_of_tag].strip()
    return FencedBlock(mark, tag, start, text[start:closing])


def first_block(text: str) -> str | None:
    """Return the lines of the first fenced block in a text, or None if no block is closed."""
    at = text.find(BACKQUOTES)
    while at >= 0:
        start = text.find("\n", at, at + len(BACKQUOTES) + _LONGEST_TAG) + 1
        if start:
            end = text.find(BACKQUOTES, start)
            return text[start:end] if end >= 0 else None
        at = text.find(BACKQUOTES, at + 1)
    return None


class FencePart(Enum):
    """The part of a block that the reader has reached."""

    TAG = auto()
    """In the first line, after the opening mark."""
    NO_BLOCK = auto()
    """The first line has more backquotes: this is not a block, but code within a sentence."""
    INSIDE = auto()
    CLOSED = auto()
    """After the closing mark, with nothing but white space so far."""
    MORE_BACKQUOTES = auto()
    """There were backquotes after the closing mark, so it may not be the one that closes."""
    AFTER = auto()
    """There was other text after the closing mark."""


class BlockReader:
    """Reads a block whose text comes in pieces. The first piece starts after the opening mark."""

    def __init__(self) -> None:
        self.place = FencePart.TAG
        self._tag: list[str] = []
        self._mark: int | None = None
        """How many backquotes the line begins with, or None if it cannot close the block."""

    @property
    def tag(self) -> str:
        """The text after the opening mark, as far as it has come."""
        return "".join(self._tag).strip()

    def feed(self, text: str) -> None:
        """Read the next piece of the text."""
        at = 0
        while at < len(text):
            match self.place:
                case FencePart.TAG:
                    at = self._read_tag(text, at)
                case FencePart.INSIDE:
                    at = self._read_inside(text, at)
                case FencePart.CLOSED:
                    at = self._read_behind(text, at)
                case FencePart.NO_BLOCK | FencePart.MORE_BACKQUOTES | FencePart.AFTER:
                    return

    def _read_tag(self, text: str, at: int) -> int:
        end = text.find("\n", at)
        tag = text[at:] if end < 0 else text[at:end]
        self._tag.append(tag)
        if "`" in tag:
            self.place = FencePart.NO_BLOCK
        elif end >= 0:
            self.place, self._mark = FencePart.INSIDE, 0
        return len(text) if end < 0 else end + 1

    def _read_inside(self, text: str, at: int) -> int:
        """Read to the end of the line, or to the end of a mark that closes the block."""
        while self._mark is not None and at < len(text):
            letter = text[at]
            at += 1
            if letter == "`":
                self._mark += 1
                if self._mark == len(BACKQUOTES):
                    self.place = FencePart.CLOSED
                    return at
            elif letter == "\n":
                self._mark = 0
            elif letter not in _BLANK or self._mark:
                self._mark = None
        if self._mark is None:
            end = text.find("\n", at)
            if end < 0:
                return len(text)
            at, self._mark = end + 1, 0
        return at

    def _read_behind(self, text: str, at: int) -> int:
        rest = text[at:].lstrip()
        if rest:
            self.place = FencePart.MORE_BACKQUOTES if rest[0] == "`" else FencePart.AFTER
        return len(text)
