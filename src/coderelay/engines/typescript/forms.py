"""Turns the forms in which a model may write its program into one: a script with a value.

A model may write a Markdown fence, `export`, types from modules, or a function `main` that is never
called. No character of its source moves to another column. All lines move down by one, because
QuickJS miscounts the columns of a script's first line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coderelay.engines.fence import whole_block
from coderelay.engines.typescript.tokens import Token, tokens

_MENTIONS = re.compile(r"\b(?:main|export|import)\b")
_CALL_MAIN = "\n;(async () => (typeof main === 'function' ? main() : main))();"
_PLAIN_MAIN = re.compile(r"^(?:async )?function main\(", re.MULTILINE)
LINES_BEFORE = 1
_DECLARING = ("const", "let", "var")
_BEFORE_TYPE = (":", "<", "|", "&", "typeof", "as", "extends", "satisfies", "keyof")
_IN_TYPES = ("<", "|", "&", ":", ",", "=", "?")


class ImportFound(Exception):
    """The program imports a module, at this line and column."""

    def __init__(self, text: str, start: int) -> None:
        self.line = text.count("\n", 0, start) + 1 - LINES_BEFORE
        self.column = start - text.rfind("\n", 0, start)


@dataclass(frozen=True, slots=True)
class Shaped:
    """A source as a script with a value, with `LINES_BEFORE` lines before the model's first."""

    text: str


def shape(source: str) -> Shaped:
    """Remove a fence, `export` and `import type`, and call `main` if the program does not.

    Raises `ImportFound` for a program that imports a module.
    """
    text = "\n" + _uncommand(unfence(source))
    mentions = _MENTIONS.findall(text)
    if not mentions:
        return Shaped(text)
    if mentions == ["main"] and _is_plain(text):
        return Shaped(text + _CALL_MAIN)
    found = _Tokens(text)
    text = _edited(text, [*_unexport(text, found), *_unimport(text, found)])
    return Shaped(text + _CALL_MAIN) if _leaves_main_uncalled(text) else Shaped(text)


def enclose(shaped: Shaped) -> Shaped:
    """Make a program with a `return` at its top level the body of a function."""
    text = shaped.text.removesuffix(_CALL_MAIN)
    return Shaped(f"(async () => {{{text}\n}})()")


def unfence(source: str) -> str:
    """Remove a Markdown fence around the whole source. Its first line becomes empty."""
    found = whole_block(source)
    if found is None or not found.lines:
        return source
    return "\n" * source.count("\n", 0, found.start) + found.lines.removesuffix("\n")


def _uncommand(text: str) -> str:
    """Turn a first line that starts with `#!` into a comment, because it is not the first line any
    more, and an error anywhere else."""
    return "//" + text[2:] if text.startswith("#!") else text


@dataclass(frozen=True, slots=True)
class _Blanked:
    """A range of the text that becomes blank, except for a replacement at its beginning."""

    start: int
    end: int
    replacement: str = ""


class _Tokens:
    """The tokens of a text, and what comes after each of them."""

    def __init__(self, text: str) -> None:
        self.all = list(tokens(text))
        self.closing = list(range(len(self.all)))
        """For each token the next one of the same depth, which closes a bracket, or the token
        itself if there is none."""
        self.string = list(range(len(self.all)))
        """For each token the next string, or the token itself if there is none."""
        nearest: dict[int, int] = {}
        string: int | None = None
        for at in range(len(self.all) - 1, -1, -1):
            token = self.all[at]
            if token.text[0] in "\"'":
                string = at
            self.closing[at] = nearest.get(token.depth, at)
            self.string[at] = at if string is None else string
            nearest[token.depth] = at


def _unexport(text: str, found: _Tokens) -> Iterator[_Blanked]:
    """Yield the edits that remove `export` at the top level, because a script exports nothing."""
    every = found.all
    for place, token in enumerate(every):
        if token.text != "export" or token.depth or _is_property(every, place):
            continue
        after = every[place + 1 : place + 4]
        words = [token.text for token in after]
        if words[:1] == ["default"]:
            # A function without a name, or an object, is not a statement; after `0,` it is an
            # expression.
            prefix = "0," if _is_nameless(every[place + 2 : place + 6]) else ""
            yield _Blanked(token.start, after[0].end, prefix)
        elif words[:1] == ["{"]:
            closing = found.closing[place + 1]
            if every[closing + 1 : closing + 2] and every[closing + 1].text == "from":
                raise ImportFound(text, token.start)
            yield _Blanked(token.start, every[closing].end)
        elif words[:1] == ["*"]:
            raise ImportFound(text, token.start)
        else:
            yield _Blanked(token.start, token.end)


def _unimport(text: str, found: _Tokens) -> Iterator[_Blanked]:
    """Yield the edits that remove imports of types. There are no modules, and the body of a
    function cannot have imports."""
    every = found.all
    for place, token in enumerate(every):
        if token.text != "import" or _is_property(every, place):
            continue
        words = [token.text for token in every[place + 1 : place + 4]]
        if words[:1] == ["("] and not _is_type(found, place):
            raise ImportFound(text, token.start)
        if words[1:3] == ["=", "require"]:
            raise ImportFound(text, token.start)
        if token.depth or words[:1] in (["("], ["."]) or "=" in words[1:3]:
            continue  # a type, a method, or an alias of a namespace
        if words[:1] != ["type"] or words[1:2] in (["from"], [","]):
            raise ImportFound(text, token.start)
        yield _Blanked(token.start, every[found.string[place]].end)


def _is_type(found: _Tokens, place: int) -> bool:
    """Return whether an `import(…)` is, or may be, a type or a method."""
    every = found.all
    before = every[place - 1].text if place else ""
    aliases = before == "=" and place > 2 and every[place - 3].text == "type"
    return aliases or before in _BEFORE_TYPE or (before in ("{", ",") and _is_method(found, place))


def _is_method(found: _Tokens, place: int) -> bool:
    after = found.closing[place + 1] + 1
    return after < len(found.all) and found.all[after].text == "{"


def _is_nameless(declaration: Sequence[Token]) -> bool:
    """Return whether these tokens begin an object, or a function or class without a name."""
    words = [token.text for token in declaration]
    if words[:1] == ["{"]:
        return True
    if words[:1] == ["async"]:
        words = words[1:]
    if words[:1] not in (["function"], ["class"]):
        return False
    return (words[1:2] != ["*"] and words[1:2] in (["("], ["<"], ["{"], ["extends"])) or (
        words[1:2] == ["*"] and words[2:3] in (["("], ["<"])
    )


def _edited(text: str, edits: Sequence[_Blanked]) -> str:
    """Return the text after all edits. No other character moves."""
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        start = max(edit.start, done)  # edits may overlap
        if start < edit.end:
            old = text[start + len(edit.replacement) : edit.end]
            blank = "\n".join(" " * len(line) for line in old.split("\n"))
            parts += [text[done:start], edit.replacement, blank]
            done = edit.end
    return "".join(parts) + text[done:]


def _is_plain(text: str) -> bool:
    """Return whether the only `main` in a text certainly defines a function.

    Most programs are like that, and reading all their tokens would take longer than running them.
    """
    found = _PLAIN_MAIN.search(text)
    if found is None:
        return False
    before = text[: found.start()]
    return "`" not in before and "/*" not in before


def _leaves_main_uncalled(text: str) -> bool:
    """Return whether `main` is defined at the top level and not used outside its own body."""
    found = list(tokens(text))
    defined: tuple[int, int] | None = None
    for place, token in enumerate(found):
        if token.text != "main" or _is_property(found, place):
            continue
        if defined is None and token.depth == 0 and _defines(found, place):
            defined = (token.start, _body_end(found, place, len(text)))
        elif defined is None or not defined[0] <= token.start < defined[1]:
            return False
    return defined is not None


def _is_property(found: Sequence[Token], place: int) -> bool:
    before = found[place - 1].text if place else ""
    after = found[place + 1].text if place + 1 < len(found) else ""
    return before in (".", "?.") or (after == ":" and before in ("{", ","))


def _defines(found: Sequence[Token], place: int) -> bool:
    before = found[place - 1].text if place else ""
    return before in ("function", "*", *_DECLARING)


def _body_end(found: Sequence[Token], place: int, end: int) -> int:
    """Return the offset where the body of `main` ends. A brace after one of `_IN_TYPES` opens a
    type, and not the body."""
    body = False
    for before, token in zip(found[place:], found[place + 1 :], strict=False):
        if token.depth == 0 and token.text == "{" and before.text not in _IN_TYPES:
            body = True
        elif token.depth == 0 and token.text == "}" and body:
            return token.end
    return end
