"""Splits a JavaScript or TypeScript source into tokens, without comments and template texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))
  | (?P<word>[A-Za-z_$\u0080-\U0010ffff][\w$\u0080-\U0010ffff]*)
  | (?P<string>"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?)
  | (?P<number>\d[\w.]*)
  | (?P<sign>=>|\.\.\.|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE = re.compile(r"(?:\\.|[^`\\$]|\$(?!\{))*+(`|\$\{|\\?\Z)", re.DOTALL)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*+\]|[^/\\\[\n])++/\w*")
_BEFORE_REGEX = frozenset(
    "return typeof case in of delete void throw new instanceof await yield do else".split()
)
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a sign, a number, a string or a regular expression. `depth` counts the brackets
    around it."""

    text: str
    start: int
    depth: int

    @property
    def end(self) -> int:
        """The offset in the source where the token ends."""
        return self.start + len(self.text)


def tokens(source: str, templates: list[range] | None = None) -> Iterator[Token]:
    """Yield all tokens except white space, comments and the text of templates.

    The ranges of templates that contain expressions are added to `templates`, if it is not None.
    """
    at, depth = 0, 0
    previous = ""
    within: list[tuple[int, int]] = []  # open templates: the depth at which one goes on, its start
    no_regex_before = 0  # a slash before this is no regular expression: the line has no end of one
    while at < len(source):
        if source[at] == "`" or (source[at] == "}" and within and within[-1][0] == depth - 1):
            start = at
            if source[at] == "}":
                depth, start = within.pop()
            found = _TEMPLATE.match(source, at + 1)
            assert found is not None
            if found[1] == "${":
                within.append((depth, start))
                depth += 1
            elif templates is not None and source[at] == "}":
                templates.append(range(start, found.end()))
            at, previous = found.end(), "${" if found[1] == "${" else "`"
            continue
        match = _TOKEN.match(source, at)
        assert match is not None
        if match.lastgroup == "skip":
            at = match.end()
            continue
        text = match[0]
        if text == "/" and at >= no_regex_before and _regex_may_follow(previous):
            literal = _REGEX.match(source, at)
            if literal is None:
                no_regex_before = _line_end(source, at)
            text = literal[0] if literal else text
        if text in _CLOSING:
            depth = max(0, depth - 1)
        yield Token(text, at, depth)
        if text in _OPENING:
            depth += 1
        at, previous = at + len(text), text


def _line_end(source: str, at: int) -> int:
    end = source.find("\n", at)
    return len(source) if end < 0 else end


def _regex_may_follow(previous: str) -> bool:
    """Return whether a slash begins a regular expression. After a value it is a division."""
    if previous in _BEFORE_REGEX:
        return True
    return not (
        previous[-1:].isalnum() or previous[-1:] in ("_", "$", ")", "]", "}", "`", '"', "'")
    )
