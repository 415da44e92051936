"""Where an error is, told from where QuickJS says it is.

QuickJS places a call at the last thing evaluated for it, an argument, and destructuring at
whatever came before it. The place is sought from there; where two lines are possible there is
none: a wrong line costs a model more than no line.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from coderelay.engines.typescript.syntax import CallSite, Syntax

_NO_CALL = re.compile(r"not a (?:function|constructor)\Z")
_READ = re.compile(r"cannot (?:read|set) property '(.+)' of (?:undefined|null)\Z")
_OBJECT = "Cannot convert undefined or null to object"
_ITERATED = re.compile(r"cannot read property 'Symbol.iterator' of |value is not iterable\Z")
_IMPLICIT = re.compile(r"(?:toString|valueOf|toJSON|next|then|return|concat)\Z|get |set |\[")
_FUNCTIONS = frozenset(
    "String Number Boolean Array Object Date Symbol BigInt Error TypeError RangeError Map Set "
    "Promise RegExp parseInt parseFloat isNaN structuredClone text setTimeout JSON.stringify "
    "JSON.parse Object.keys Object.values Object.entries Object.assign Object.fromEntries "
    "Math.max Math.min Math.round Math.floor Math.ceil Math.abs Array.from Array.isArray "
    "Promise.all console.log console.error encodeURIComponent".split()
)


def made_at(
    syntax: Syntax, at: int, makers: Sequence[str], *, tools: Collection[str]
) -> int | None:
    """The call of a tool, or the outermost of a class, that made an error at a token."""
    calls = _last_in(syntax, at)
    for name in makers:
        called = [call for call in calls if syntax.text(call.callee) == name]
        if called:
            return called[0 if name in tools else -1].callee
    return None


def called_at(syntax: Syntax, at: int, name: str) -> int | None:
    """The call of a function by this name that was under way at a token; the token itself where
    none need be."""
    calls = _last_in(syntax, at)
    named = [call for call in calls if syntax.text(call.callee) == name]
    if named:
        return one_line(syntax, (call.callee for call in named))
    calls = [call for call in calls if syntax.shown(call) not in _FUNCTIONS]
    if not calls or _IMPLICIT.match(name):
        return None if name in syntax.generators else at  # a loop enters it, and has no place
    return one_line(syntax, (call.callee for call in calls))


def thrown_at(
    syntax: Syntax, at: int, function: str, message: str, known: Collection[str]
) -> tuple[int | None, str]:
    """Where the language itself threw an error with this message, and the message, which says
    more where that is possible."""
    if _NO_CALL.match(message):
        return _no_call(syntax, at, message, known)
    if message == _OBJECT:
        return one_line(syntax, taken_apart(syntax, at, function, ["{"])), message
    if _ITERATED.match(message):
        return one_line(syntax, iterated(syntax, at, function)), message
    read = _READ.match(message)
    return (_read(syntax, at, read[1]) if read else at), message


def _last_in(syntax: Syntax, at: int) -> list[CallSite]:
    """The calls for which nothing is evaluated behind a token but the call itself."""
    function = syntax.function_of(at)
    return [
        call
        for call in syntax.calls_around(at)
        if not syntax.marks_between(max(at, call.callee), call.closing, function)
    ]


def _no_call(
    syntax: Syntax, at: int, message: str, known: Collection[str]
) -> tuple[int | None, str]:
    if any(syntax.text(operand - 1) == "of" for operand in syntax.operand_of(at)):
        return at, message  # `for await`
    tagged = syntax.is_word(at) and syntax.code.startswith("`", syntax.tokens[at].end)
    if tagged or (syntax.text(at - 1) == "new" and syntax.text(at + 1) != "("):
        return at, message
    calls = {
        call.callee: syntax.shown(call)
        for call in _last_in(syntax, at)
        if not _is_function(syntax, call, known)
    }
    names = " or ".join(dict.fromkeys(calls.values())) if all(calls.values()) else ""
    return one_line(syntax, calls), f"{names} is {message}" if names else message


def _is_function(syntax: Syntax, call: CallSite, known: Collection[str]) -> bool:
    shown = syntax.shown(call)
    return shown in _FUNCTIONS or shown in known or shown in syntax.function_names


def iterated(syntax: Syntax, at: int, name: str) -> Iterable[int]:
    """Where something may be iterated with nothing else placed before it."""
    yield from syntax.operand_of(at)
    if syntax.text(at) == "yield":
        yield at
    yield from taken_apart(syntax, at, name, ["["])


def taken_apart(syntax: Syntax, at: int, name: str, sought: Collection[str]) -> Iterable[int]:
    """Where something may be destructured with nothing else placed before it, by a pattern in
    which one of these tokens is."""
    at = syntax.late.get(at, at)
    for start in syntax.entered(at, name):
        yield from _next_apart(syntax, start, start, sought)
    function = syntax.function_of(at)
    if (function < 0) == (name == "<eval>"):
        yield from _next_apart(syntax, at, function, sought)


def _next_apart(syntax: Syntax, at: int, function: int, sought: Collection[str]) -> Iterable[int]:
    """The same, in a function and behind a token or around it."""
    around = syntax.pattern_around(at)
    if around is not None:
        yield around
    seen = at
    for pattern in syntax.patterns_behind(at, function):
        if syntax.marks_between(seen, pattern, function):
            break
        seen = pattern
        if syntax.holds(pattern, sought):
            yield pattern
    if "[" in sought:
        operand = syntax.operand_behind(at, function)
        if operand is not None and not syntax.marks_between(at, operand + 1, function):
            yield operand


def _read(syntax: Syntax, at: int, name: str) -> int | None:
    """The token itself, or the property's behind the call whose argument it is."""
    for each in range(at + 1, len(syntax.tokens)):
        if syntax.text(each) == name and syntax.text(each - 1) == ".":
            return each if syntax.tokens[each].depth < syntax.tokens[at].depth else at
    return at


def one_line(syntax: Syntax, found: Iterable[int]) -> int | None:
    """The first of these places, if all are on one line."""
    places = list(found)
    lines = {syntax.line_of(place) for place in places}
    return places[0] if len(lines) == 1 else None
