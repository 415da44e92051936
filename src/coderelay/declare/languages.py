"""A language declares tools in its own way; this is the table of ways."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coderelay.core import Tool, ToolName, UnknownLanguage
from coderelay.declare import python, typescript
from coderelay.declare.argument_errors import Wording
from coderelay.declare.tool_names import names


@dataclass(frozen=True, slots=True)
class Language:
    """How a language writes tools: all of them declared, or one of them on a line."""

    declare: Callable[[Sequence[Tool], Sequence[ToolName]], str]
    signature: Callable[[Tool, str], str]
    line: Callable[[Tool, str], str]
    parameters: Callable[[Tool, str, int], dict[str, str]]
    call: Callable[[Tool, str], str]
    wording: Wording


LANGUAGES = {
    "typescript": Language(
        typescript.declare,
        typescript.signature,
        typescript.line,
        typescript.parameters,
        typescript.call,
        typescript.WORDING,
    ),
    "python": Language(
        python.declare,
        python.signature,
        python.line,
        python.parameters,
        python.call,
        python.WORDING,
    ),
}


def find(language: str) -> Language:
    """The language of this name."""
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise UnknownLanguage(f"tools cannot be declared in {language!r}: choose one of {known}")
    return LANGUAGES[language]


def declarations(tools: Sequence[Tool], language: str) -> str:
    """The text that tells a model which tools a program may call, and with what: all of them."""
    return sendable(find(language).declare(tools, names(tools, language)))


def sendable(text: str) -> str:
    """The text without halves of surrogate pairs, which cannot be sent."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
