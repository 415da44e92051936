"""Blocks of one namespace see what the others export.

TypeScript takes `x` in one block of a namespace for `m.x` where another block exports it; the
stripper looks at each block alone. So each is told of those names, in declarations without a value.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from coderelay.engines.typescript.edits import Edit
from coderelay.engines.typescript.syntax import Syntax

_KEYWORD = re.compile(r"\b(?:namespace|module)\b")
_KEYWORDS = ("namespace", "module")
_DEEPEST = 16  # namespaces within each other; further in, each block stays alone
_MODIFIERS = ("abstract", "async", "const")
_VARIABLES = ("const", "let", "var")
_NAMED = ("function", "class", "enum", *_KEYWORDS)
_STATEMENTS = frozenset(
    "const do export for if import let return switch throw try var while".split()
)
_IN_TYPES = ("<", ">", "|", "&", "[", ".", "(")

_Path = tuple[int | str, ...]
"""The bracket around a namespace, and the names that lead to it."""


@dataclass(slots=True)
class _Block:
    """A block of a namespace, from the token that opens it to the one that closes it. In
    `namespace a.b {}` the dot opens a block of `a`, which closes behind the other."""

    path: _Path
    opening: int
    closing: int
    exported: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)


def join_namespaces(text: str) -> list[Edit]:
    """The edits by which each block of a namespace knows what the others export."""
    if len(_KEYWORD.findall(text)) < 2:
        return []
    syntax = Syntax(text)
    groups: dict[_Path, list[_Block]] = defaultdict(list)
    for block in _blocks(syntax):
        groups[block.path].append(block)
    edits: list[tuple[int, int, Edit]] = []
    for group in groups.values():
        exported = set[str]().union(*(block.exported for block in group))
        for block in group if len(group) > 1 else ():
            names = sorted(_used(syntax, block, exported) - block.declared)
            # Where two blocks close at one place, the inner one does so first.
            edits += [(edit.start, -block.opening, edit) for edit in _tell(syntax, block, names)]
    return [edit for _, _, edit in sorted(edits, key=lambda each: each[:2])]


def _used(syntax: Syntax, block: _Block, names: set[str]) -> set[str]:
    return {
        syntax.text(at)
        for at in range(block.opening + 1, block.closing)
        if syntax.text(at) in names and syntax.text(at - 1) != "."
    }


def _tell(syntax: Syntax, block: _Block, names: Sequence[str]) -> Iterator[Edit]:
    """Declare names in a block, as exported and without a value."""
    if not names:
        return
    declared = f";export declare let {', '.join(names)}"
    opening, closing = syntax.tokens[block.opening], syntax.tokens[block.closing]
    if opening.text == ".":
        yield Edit(opening.start, 1, "{export namespace ")
        yield Edit(closing.end, 0, declared + "}")
    else:
        yield Edit(closing.start, 0, declared)


def _blocks(syntax: Syntax) -> Iterator[_Block]:
    """All blocks; one that is around others comes before them."""
    paths: dict[int, _Path] = {}  # by the bracket that opens a block
    for at in range(len(syntax.tokens)):
        names = _named(syntax, at)
        if not names:
            continue
        opening, around = names[-1] + 1, syntax.around[at]
        closing = syntax.partner[opening]
        path = paths.get(around, (around,))
        if len(path) + len(names) > _DEEPEST:
            paths[opening] = (around,) * _DEEPEST  # and so are those within it
            continue
        for name in names[:-1]:
            path = (*path, syntax.text(name))
            inner = syntax.text(name + 2)
            yield _Block(path, name + 1, closing, {inner}, {inner})
        path = paths[opening] = (*path, syntax.text(names[-1]))
        block = _Block(path, opening, closing)
        _declare(syntax, block)
        yield block


def _named(syntax: Syntax, at: int) -> list[int]:
    """The names of the namespace that a token begins: two for `namespace a.b {`."""
    if syntax.text(at) not in _KEYWORDS or syntax.text(at - 1) in (".", "declare"):
        return []
    names = [at + 1]
    while syntax.text(names[-1] + 1) == ".":
        names.append(names[-1] + 2)
    opens = syntax.text(names[-1] + 1) == "{" and names[-1] + 1 in syntax.partner
    return names if opens and all(map(syntax.is_word, names)) else []


def _declare(syntax: Syntax, block: _Block) -> None:
    """Note what a block declares, and what of it is exported."""
    for at in range(block.opening + 1, block.closing):
        inside = syntax.around[at] == block.opening
        if syntax.text(at) == "var" or (inside and syntax.text(at) in (*_VARIABLES, *_NAMED)):
            names = list(_declared(syntax, at))
            block.declared.update(names)
            if inside and _is_exported(syntax, at):
                block.exported.update(names)


def _is_exported(syntax: Syntax, at: int) -> bool:
    while syntax.text(at - 1) in _MODIFIERS:
        at -= 1
    return syntax.text(at - 1) == "export"


def _declared(syntax: Syntax, at: int) -> Iterator[str]:
    """The names that a declaration declares, from its keyword on."""
    if syntax.text(at) not in _VARIABLES:
        at += 1 + (syntax.text(at + 1) == "*")
        yield from [syntax.text(at)] * syntax.is_word(at)
        return
    bracket = syntax.around[at]
    expected = syntax.text(at + 1) != "enum"  # a name or a pattern: first, and behind each comma
    at += 1
    while at < len(syntax.tokens) and syntax.around[at] == bracket:
        text = syntax.text(at)
        if text == ";" or text in _STATEMENTS:
            return
        if expected and text in ("{", "["):
            yield from _in_pattern(syntax, at)
        elif expected and syntax.is_word(at) and syntax.text(at + 1) not in _IN_TYPES:
            yield text
        expected = text == ","
        at = syntax.partner.get(at, at) + 1 if text in ("{", "[", "(") else at + 1


def _in_pattern(syntax: Syntax, opening: int) -> Iterator[str]:
    """The names in a pattern. Keys and default values that are expressions are passed over."""
    at, end = opening + 1, syntax.partner.get(opening, opening)
    while at < end and syntax.text(at) not in _STATEMENTS:
        after = syntax.partner.get(at, at) + 1
        is_key = syntax.text(after) == ":"
        begins = syntax.text(at - 1) in ("{", "[", ",", ":", "...")
        if begins and syntax.is_word(at) and not is_key:
            yield syntax.text(at)
        is_default = syntax.text(at) == "="
        at = after if is_key else at + 1
        while is_default and at < end and syntax.text(at) not in (",", "]", "}"):
            at = syntax.partner.get(at, at) + 1
