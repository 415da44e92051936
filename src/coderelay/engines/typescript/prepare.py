"""Turns a model's TypeScript into JavaScript for the guest, and maps places back to the source."""

import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

import wasmtime
from wasmtime import TrapCode

from coderelay.core import Failure, TimedOut
from coderelay.engines.code_frame import code_frame
from coderelay.engines.typescript.edits import Edited
from coderelay.engines.typescript.enums import const_enums_left, with_plain_enums
from coderelay.engines.typescript.forms import LINES_BEFORE, ImportFound, Shaped, enclose, shape
from coderelay.engines.typescript.namespaces import join_namespaces
from coderelay.engines.typescript.sourcemap import parse
from coderelay.engines.typescript.swc import Swc, Unstrippable
from coderelay.engines.wasm.trapped import Trapped

_CACHED = 128
# The stripper copies the constants of an enum to where they are used, so its output may be long.
_LONGEST = 512 * 1024
# Otherwise the stripper would replace a member by its first value, though a program may change it.
_ENUMS = {"tsEnumIsMutable": True}
_RETURN = "Return statement is not allowed here"
_NO_MODULES = "there are no modules to import: the tools are global functions, call them by name"
_RENAME = ": give it another name, or write ['constructor']"
_ADVICE = dict.fromkeys(
    (
        "'static' modifier cannot appear on a constructor declaration",
        "A constructor cannot be generator",
        "Class constructor can't be an accessor.",
        "Classes may not have a non-static field named 'constructor'",
        "Constructor can't be an async function",
    ),
    _RENAME,
)
"""Advice for what the stripper refuses, though JavaScript allows it for static members."""
_TOO_COMPLEX = Failure(
    "limit",
    "the source is nested too deeply or becomes too long: write it flatter",
    name="LimitError",
    limit="source",
)


class TooLong(Exception):
    """The stripper's output is far longer than the model's source."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Code for the guest, which can map its places back to the model's source.

    The source map is kept as text: once parsed, it is twenty times as large, and only programs
    that fail need it.
    """

    source: str
    code: str
    map: str | None = None
    edited: Edited | None = None
    """The input of the stripper, if that is not the shaped source itself."""

    def original(self, line: int, column: int) -> tuple[int, int] | None:
        """Return the place in the model's source for a place in the code, or None for code that we
        added.

        Both count from 1. QuickJS counts columns in bytes, the stripper in UTF-16 units, and the
        result counts in characters.
        """
        column = _convert(self.code, line, column, "utf-8", "utf-16-le")
        if self.map is not None:
            line, column = parse(self.map).original(line - 1, column)  # without the line we added
        if self.edited is not None:
            column = self.edited.original(line, column)
        line -= LINES_BEFORE
        if not 1 <= line <= self.source.count("\n") + 1:
            return None
        return line, _convert(self.source, line, column, "utf-16-le", "utf-32-le")

    def offset(self, line: int, column: int) -> int:
        """Return how many characters of the code are before a place that QuickJS reports."""
        starts = _line_starts(self.code)
        start = starts[line - 1] if line <= len(starts) else len(self.code) + 1
        return start + _convert(self.code, line, column, "utf-8", "utf-32-le") - 1

    def place(self, offset: int) -> tuple[int, int]:
        """Return the place of a character of the code, as QuickJS would report it."""
        start = self.code.rfind("\n", 0, offset) + 1
        return self.code.count("\n", 0, offset) + 1, len(self.code[start:offset].encode()) + 1


_UNITS = {"utf-8": 1, "utf-16-le": 2, "utf-32-le": 4}


def _convert(text: str, line: int, column: int, encoding: str, target: str) -> int:
    """Return a column of a line, which counts in units of one encoding, in units of another."""
    starts = _line_starts(text)
    if line > len(starts):
        return column
    end = starts[line] - 1 if line < len(starts) else len(text)
    units = text[starts[line - 1] : end].encode(encoding)
    before = units[: (column - 1) * _UNITS[encoding]].decode(encoding, "ignore")
    beyond = max(0, column - 1 - len(units) // _UNITS[encoding])
    return len(before.encode(target)) // _UNITS[target] + 1 + beyond


@lru_cache(8)
def _line_starts(text: str) -> Sequence[int]:
    """Return the offsets where the lines of a text begin. It is cached because an error has many
    frames, all in the same two texts."""
    return array("L", accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))


class Preparer:
    """Prepares sources, and caches the last ones, because a replay has the same source again."""

    def __init__(self, swc: Swc) -> None:
        self._swc = swc
        self.prepare = lru_cache(_CACHED)(self._prepare)

    def _prepare(self, source: str) -> Prepared | Failure:
        """Return the prepared source, or the failure of a source that cannot be read."""
        try:
            source.encode()
        except UnicodeEncodeError:
            message = "the source has a lone surrogate, which is not valid text: remove it"
            return Failure("syntax", message, name="SyntaxError")
        try:
            shaped = shape(source)
        except ImportFound as found:
            frame = code_frame(source, found.line, found.column)
            return Failure(
                "syntax",
                _NO_MODULES,
                name="SyntaxError",
                line=found.line,
                column=found.column,
                frame=frame,
            )
        try:
            try:
                return self._strip(source, shaped)
            except Unstrippable as error:
                if error.report.get("message") != _RETURN:
                    raise
                shaped = enclose(shaped)
                return self._strip(source, shaped)
        except Unstrippable as error:
            return _syntax_failure(source, error.report)
        except (wasmtime.Trap, Trapped) as trap:
            return _exhausted(trap)
        except TooLong:
            return _TOO_COMPLEX

    def _strip(self, source: str, shaped: Shaped) -> Prepared:
        try:
            output = self._swc.transform(shaped.text)
            return Prepared(source, output["code"])
        except Unstrippable as error:
            if error.report.get("code") != "UnsupportedSyntax":
                raise
        edited = Edited.of(shaped.text, join_namespaces(shaped.text))
        output = self._transform(edited.text)
        objects = const_enums_left(edited.text, output["code"])
        if objects:
            output = self._transform(with_plain_enums(edited.text, objects))
        return Prepared(source, "\n" + output["code"], output["map"], edited)

    def _transform(self, text: str) -> dict[str, str]:
        output = self._swc.transform(text, mode="transform", sourceMap=True, transform=_ENUMS)
        if len(output["code"]) + len(output["map"]) > _LONGEST:
            raise TooLong
        return output


def _syntax_failure(source: str, report: dict[str, Any]) -> Failure:
    message = report.get("message", "the source cannot be read")
    message += _ADVICE.get(message, "")
    if "startLine" not in report:
        return Failure("syntax", message, name="SyntaxError")
    lines, line = source.split("\n"), int(report["startLine"]) - LINES_BEFORE
    if line > len(lines):  # in the code that we added, so the source ends too early
        line, column = len(lines), len(lines[-1]) + 1
    else:
        column = _characters_before(lines[line - 1], int(report["startColumn"])) + 1
    frame = code_frame(source, line, column)
    return Failure("syntax", message, "SyntaxError", line=line, column=column, frame=frame)


def _characters_before(line: str, width: int) -> int:
    """Return how many characters are before a column of the stripper's report.

    The stripper counts as a terminal displays them: a tab as four, a wide character as two, and a
    character beyond U+FFFF as one more.
    """
    count = 0
    for character in line:
        if width <= 0:
            break
        wide = unicodedata.east_asian_width(character) in "WF"
        width -= 4 if character == "\t" else 1 + wide + (character > "\uffff")
        count += 1
    return count + max(0, width)


def _exhausted(trap: wasmtime.Trap | Trapped) -> Failure:
    if trap.trap_code is TrapCode.INTERRUPT:
        raise TimedOut("the source could not be read in time: the server is overloaded, try again")
    return _TOO_COMPLEX
