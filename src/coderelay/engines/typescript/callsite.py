"""Where a call begins. QuickJS places a call at the last thing evaluated for it, an argument."""

from collections.abc import Collection, Sequence

from coderelay.engines.typescript.forms import unfence
from coderelay.engines.typescript.tokens import Token, tokens


def call_of(
    source: str, line: int, column: int, callees: Collection[str]
) -> tuple[int, int] | None:
    """The place of the innermost call of one of these, around a place in the source or at it."""
    text = unfence(source)
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return None
    offset = sum(len(each) + 1 for each in lines[: line - 1]) + column - 1
    found = [token for token in tokens(text) if token.start <= offset]
    start = _callee(found, callees)
    if start is None:
        return None
    return text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)


def _callee(found: Sequence[Token], callees: Collection[str]) -> int | None:
    """Where the callee starts, going out from the last of these tokens, bracket by bracket."""
    if not found or found[-1].text in callees:
        return found[-1].start if found else None
    depth = found[-1].depth
    for place in range(len(found) - 1, 0, -1):
        token = found[place]
        if token.text == "(" and token.depth < depth:
            before = found[_before_types(found, place - 1)]
            if before.text in callees:
                return before.start
        depth = min(depth, token.depth)
    return None


def _before_types(found: Sequence[Token], place: int) -> int:
    """The place before the type arguments that end here: of `f` in `f<A<B>>(`."""
    if found[place].text != ">":
        return place
    open_ = 0
    for at in range(place, -1, -1):
        open_ += {">": 1, "<": -1}.get(found[at].text, 0)
        if open_ == 0:
            return max(at - 1, 0)
    return place
