"""The forms in which a model may write its program, made one: a script with a value.

Nothing here moves a character of the model's source to another column, and each line goes down
by one: QuickJS miscounts the columns of a script's first line, so that line is ours.
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
    """A source in its one form, `LINES_BEFORE` the model's first line."""

    text: str


def shape(source: str) -> Shaped:
    """Take a fence, `export` and `import type` away, and call `main` where the program does not.

    Raises `ImportFound` for a program that wants a module."""
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
    """The form for a program with a `return` at its top level: the body of a function."""
    text = shaped.text.removesuffix(_CALL_MAIN)
    return Shaped(f"(async () => {{{text}\n}})()")


def unfence(source: str) -> str:
    """Take away a Markdown fence around the whole source; its first line stays, empty."""
    found = whole_block(source)
    if found is None or not found.lines:
        return source
    return "\n" * source.count("\n", 0, found.start) + found.lines.removesuffix("\n")


def _uncommand(text: str) -> str:
    """Make a comment of a first line for the shell; anywhere but there it is an error."""
    return "//" + text[2:] if text.startswith("#!") else text


@dataclass(frozen=True, slots=True)
class _Edit:
    """A stretch of the text that is to be blank, but for a replacement at its beginning."""

    start: int
    end: int
    replacement: str = ""


class _Tokens:
    """The tokens of a text, and what comes next behind each of them."""

    def __init__(self, text: str) -> None:
        self.all = list(tokens(text))
        self.closing = list(range(len(self.all)))
        """For each token the next of the same depth, which closes a bracket; itself where there is
        none."""
        self.string = list(range(len(self.all)))
        """For each token the next string from there on; itself where there is none."""
        nearest: dict[int, int] = {}
        string: int | None = None
        for at in range(len(self.all) - 1, -1, -1):
            token = self.all[at]
            if token.text[0] in "\"'":
                string = at
            self.closing[at] = nearest.get(token.depth, at)
            self.string[at] = at if string is None else string
            nearest[token.depth] = at


def _unexport(text: str, found: _Tokens) -> Iterator[_Edit]:
    """Blank out `export` at the top level: a script has nobody to export to."""
    every = found.all
    for place, token in enumerate(every):
        if token.text != "export" or token.depth or _is_property(every, place):
            continue
        after = every[place + 1 : place + 4]
        words = [token.text for token in after]
        if words[:1] == ["default"]:
            # A nameless function or an object is no statement; behind `0,` it is an expression.
            prefix = "0," if _is_nameless(every[place + 2 : place + 6]) else ""
            yield _Edit(token.start, after[0].end, prefix)
        elif words[:1] == ["{"]:
            closing = found.closing[place + 1]
            if every[closing + 1 : closing + 2] and every[closing + 1].text == "from":
                raise ImportFound(text, token.start)
            yield _Edit(token.start, every[closing].end)
        elif words[:1] == ["*"]:
            raise ImportFound(text, token.start)
        else:
            yield _Edit(token.start, token.end)


def _unimport(text: str, found: _Tokens) -> Iterator[_Edit]:
    """Blank out imports of types: no module is there, and a function's body may not have any."""
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
        yield _Edit(token.start, every[found.string[place]].end)


def _is_type(found: _Tokens, place: int) -> bool:
    """Whether an `import(…)` is, or may be, the name of a type or a method."""
    every = found.all
    before = every[place - 1].text if place else ""
    aliases = before == "=" and place > 2 and every[place - 3].text == "type"
    return aliases or before in _BEFORE_TYPE or (before in ("{", ",") and _is_method(found, place))


def _is_method(found: _Tokens, place: int) -> bool:
    after = found.closing[place + 1] + 1
    return after < len(found.all) and found.all[after].text == "{"


def _is_nameless(declaration: Sequence[Token]) -> bool:
    """Whether these tokens begin an object, or a function or class without a name."""
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


def _edited(text: str, edits: Sequence[_Edit]) -> str:
    """Make all edits at once, keeping every other character where it is."""
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        start = max(edit.start, done)  # one may reach into the next
        if start < edit.end:
            old = text[start + len(edit.replacement) : edit.end]
            blank = "\n".join(" " * len(line) for line in old.split("\n"))
            parts += [text[done:start], edit.replacement, blank]
            done = edit.end
    return "".join(parts) + text[done:]


def _is_plain(text: str) -> bool:
    """Whether the one `main` in this text surely defines a function: most programs are so, and
    reading all their tokens would cost more than running them."""
    found = _PLAIN_MAIN.search(text)
    if found is None:
        return False
    before = text[: found.start()]
    return "`" not in before and "/*" not in before


def _leaves_main_uncalled(text: str) -> bool:
    """Whether `main` is defined at the top level and named nowhere outside its own body."""
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
    """Where the body of `main` ends. A brace behind one of `_IN_TYPES` opens a type, not it."""
    body = False
    for before, token in zip(found[place:], found[place + 1 :], strict=False):
        if token.depth == 0 and token.text == "{" and before.text not in _IN_TYPES:
            body = True
        elif token.depth == 0 and token.text == "}" and body:
            return token.end
    return end
