"""Finds the place of an error, starting from the place that QuickJS reports.

QuickJS reports a call at the last expression that was evaluated for it, which is an argument, and
destructuring at whatever came before it. If two lines are possible, the error gets no place: a
wrong line costs a model more than none.
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
    """Return the call that made an error at a token, or None: the call of a tool, or the outermost
    call of a class."""
    calls = _calls_completed_at(syntax, at)
    for name in makers:
        called = [call for call in calls if syntax.text(call.callee) == name]
        if called:
            return called[0 if name in tools else -1].callee
    return None


def called_at(syntax: Syntax, at: int, name: str) -> int | None:
    """Return the call, at a token, of the function with this name, or None if two lines are
    possible. Returns the token itself if the function can be called without a call in the code."""
    calls = _calls_completed_at(syntax, at)
    named = [call for call in calls if syntax.text(call.callee) == name]
    if named:
        return one_line(syntax, (call.callee for call in named))
    calls = [call for call in calls if syntax.callee_text(call) not in _FUNCTIONS]
    if not calls or _IMPLICIT.match(name):
        return None if name in syntax.generators else at  # a loop calls a generator at no place
    return one_line(syntax, (call.callee for call in calls))


def thrown_at(
    syntax: Syntax, at: int, function: str, message: str, known: Collection[str]
) -> tuple[int | None, str]:
    """Return the token where the language itself threw an error, or None, and the error's message,
    with the name of what was called if that is known."""
    if _NO_CALL.match(message):
        return _no_call(syntax, at, message, known)
    if message == _OBJECT:
        return one_line(syntax, destructured_at(syntax, at, function, ["{"])), message
    if _ITERATED.match(message):
        return one_line(syntax, iterated_at(syntax, at, function)), message
    read = _READ.match(message)
    return (_read(syntax, at, read[1]) if read else at), message


def _calls_completed_at(syntax: Syntax, at: int) -> list[CallSite]:
    """Return the calls around a token for which nothing is evaluated after it but the call."""
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
        call.callee: syntax.callee_text(call)
        for call in _calls_completed_at(syntax, at)
        if not _is_function(syntax, call, known)
    }
    names = " or ".join(dict.fromkeys(calls.values())) if all(calls.values()) else ""
    return one_line(syntax, calls), f"{names} is {message}" if names else message


def _is_function(syntax: Syntax, call: CallSite, known: Collection[str]) -> bool:
    text = syntax.callee_text(call)
    return text in _FUNCTIONS or text in known or text in syntax.function_names


def iterated_at(syntax: Syntax, at: int, name: str) -> Iterable[int]:
    """Yield the tokens where something may be iterated, if QuickJS reports the token `at`."""
    yield from syntax.operand_of(at)
    if syntax.text(at) == "yield":
        yield at
    yield from destructured_at(syntax, at, name, ["["])


def destructured_at(syntax: Syntax, at: int, name: str, sought: Collection[str]) -> Iterable[int]:
    """Yield the patterns that may be destructured if QuickJS reports the token `at`, and that
    contain one of the tokens `sought`. `name` is the function that QuickJS reports."""
    at = syntax.loop_steps.get(at, at)
    for start in syntax.functions_entered(at, name):
        yield from _destructured_in(syntax, start, start, sought)
    function = syntax.function_of(at)
    if (function < 0) == (name == "<eval>"):
        yield from _destructured_in(syntax, at, function, sought)


def _destructured_in(
    syntax: Syntax, at: int, function: int, sought: Collection[str]
) -> Iterable[int]:
    """Yield the patterns of a function that may be destructured at a token or right after it."""
    around = syntax.pattern_around(at)
    if around is not None:
        yield around
    seen = at
    for pattern in syntax.patterns_after(at, function):
        if syntax.marks_between(seen, pattern, function):
            break
        seen = pattern
        if syntax.contains(pattern, sought):
            yield pattern
    if "[" in sought:
        operand = syntax.operand_after(at, function)
        if operand is not None and not syntax.marks_between(at, operand + 1, function):
            yield operand


def _read(syntax: Syntax, at: int, name: str) -> int | None:
    """Return the token itself, or the property after the call that has the token as an argument."""
    for each in range(at + 1, len(syntax.tokens)):
        if syntax.text(each) == name and syntax.text(each - 1) == ".":
            return each if syntax.tokens[each].depth < syntax.tokens[at].depth else at
    return at


def one_line(syntax: Syntax, found: Iterable[int]) -> int | None:
    """Return the first of these places if all are on one line, and else None."""
    places = list(found)
    lines = {syntax.line_of(place) for place in places}
    return places[0] if len(lines) == 1 else None
