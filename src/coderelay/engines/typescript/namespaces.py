"""Lets each block of a namespace use the names that other blocks of it export.

In TypeScript, `x` in one block of the namespace `m` means `m.x` if another block exports `x`. The
stripper reads each block alone. So each block gets declarations, without values, of those names.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from coderelay.engines.typescript.edits import Edit
from coderelay.engines.typescript.syntax import Syntax

_KEYWORD = re.compile(r"\b(?:namespace|module)\b")
_KEYWORDS = ("namespace", "module")
_DEEPEST = 16  # blocks of namespaces that are nested more deeply are not joined
_MODIFIERS = ("abstract", "async", "const")
_VARIABLES = ("const", "let", "var")
_NAMED = ("function", "class", "enum", *_KEYWORDS)
_STATEMENTS = frozenset(
    "const do export for if import let return switch throw try var while".split()
)
_IN_TYPES = ("<", ">", "|", "&", "[", ".", "(")

_Path = tuple[int | str, ...]
"""The bracket around a namespace, and the names of the namespaces down to it."""


@dataclass(slots=True)
class _Block:
    """A block of a namespace, with the tokens that open and close it.

    In `namespace a.b {}` the dot opens a block of `a`, which closes after the block of `b`.
    """

    path: _Path
    opening: int
    closing: int
    exported: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)


def join_namespaces(text: str) -> list[Edit]:
    """Return the edits that declare, in each block, the names that other blocks export."""
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
            # If two blocks close at the same place, the inner one closes first.
            declared = _declare_names(syntax, block, names)
            edits += [(edit.start, -block.opening, edit) for edit in declared]
    return [edit for _, _, edit in sorted(edits, key=lambda each: each[:2])]


def _used(syntax: Syntax, block: _Block, names: set[str]) -> set[str]:
    return {
        syntax.text(at)
        for at in range(block.opening + 1, block.closing)
        if syntax.text(at) in names and syntax.text(at - 1) != "."
    }


def _declare_names(syntax: Syntax, block: _Block, names: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits that declare names in a block, as exported and without a value."""
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
    """Yield all blocks, each before the blocks inside it."""
    paths: dict[int, _Path] = {}  # by the bracket that opens a block
    for at in range(len(syntax.tokens)):
        names = _named(syntax, at)
        if not names:
            continue
        opening, around = names[-1] + 1, syntax.around[at]
        closing = syntax.partner[opening]
        path = paths.get(around, (around,))
        if len(path) + len(names) > _DEEPEST:
            paths[opening] = (around,) * _DEEPEST  # so that those inside it are too deep, as well
            continue
        for name in names[:-1]:
            path = (*path, syntax.text(name))
            inner = syntax.text(name + 2)
            yield _Block(path, name + 1, closing, {inner}, {inner})
        path = paths[opening] = (*path, syntax.text(names[-1]))
        block = _Block(path, opening, closing)
        _find_declared(syntax, block)
        yield block


def _named(syntax: Syntax, at: int) -> list[int]:
    """Return the tokens of the names of a namespace that begins at a token, such as two for
    `namespace a.b {`, or an empty list."""
    if syntax.text(at) not in _KEYWORDS or syntax.text(at - 1) in (".", "declare"):
        return []
    names = [at + 1]
    while syntax.text(names[-1] + 1) == ".":
        names.append(names[-1] + 2)
    opens = syntax.text(names[-1] + 1) == "{" and names[-1] + 1 in syntax.partner
    return names if opens and all(map(syntax.is_word, names)) else []


def _find_declared(syntax: Syntax, block: _Block) -> None:
    """Set the names that a block declares, and those that it exports."""
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
    """Yield the names that a declaration declares. `at` is its keyword."""
    if syntax.text(at) not in _VARIABLES:
        at += 1 + (syntax.text(at + 1) == "*")
        yield from [syntax.text(at)] * syntax.is_word(at)
        return
    bracket = syntax.around[at]
    expected = syntax.text(at + 1) != "enum"  # a name or a pattern is next, as after each comma
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
    """Yield the names in a pattern, without keys and default values."""
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
