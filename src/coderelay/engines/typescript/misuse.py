"""Finds the place where a program used a promise as if it were its value.

It starts from the place that QuickJS reports. The messages are those of `harness/unawaited.js` in
the guest.
"""

import re
from collections.abc import Collection, Iterable, Iterator

from coderelay.engines.typescript.callsite import called_at, destructured_at, iterated_at, one_line
from coderelay.engines.typescript.syntax import Syntax

_MISUSE = re.compile(
    r"cannot (?:(?P<reads>read property '(?P<key>[^\n]{0,200})' of)|(?P<converts>convert)"
    r"|(?P<iterates>iterate over)|(?P<copies>copy the properties of)|[^\n]{0,200}?) a promise"
    r"[^:\n]{0,30}: [^\n]{0,300} was used without `await`: write `\(?await "
)
_TEMPLATE = "concat"
"""The method that QuickJS calls to build the text of a template."""


def misused_at(
    syntax: Syntax, at: int, *, message: str, function: str, native: str, call: int | None
) -> int | None:
    """Return the token where a promise was misused, or None if two lines are possible.

    `at` is the token that QuickJS reports, in `function`; `native` is the name of a native function
    that was called there, if one was. `call` is the token of the call that made the promise.
    """
    found = _MISUSE.match(message)
    if native and native != _TEMPLATE:
        return called_at(syntax, at, native)
    if found is None:
        return at
    if found["converts"]:
        return _in_template(syntax, at, call)
    if found["reads"]:
        key = found["key"]
        sought = (key, f"'{key}'", f'"{key}"')
        places = (*_reads(syntax, at, key), *destructured_at(syntax, at, function, sought))
        return _on_one_line(syntax, places, sought, call)
    if found["iterates"]:
        places = tuple(iterated_at(syntax, at, function))
        if not places and not any(syntax.contains(each, "[") for each in syntax.patterns):
            return at  # nothing is iterated_at here, so a function that was called here does it
        return _on_one_line(syntax, places, "[", call)
    if found["copies"]:
        spread = (each for each in syntax.operand_of(at) if syntax.text(each - 1) == "...")
        places = (*spread, *destructured_at(syntax, at, function, ["..."]))
        return _on_one_line(syntax, places, ["..."], call)
    return at


def is_misuse(message: str) -> bool:
    """Return whether a message says that a promise was used as if it were its value."""
    return _MISUSE.match(message) is not None


def _reads(syntax: Syntax, at: int, key: str) -> Iterator[int]:
    """Yield the token where `a.key` or `a[…]` is read at a token, if there is one."""
    here = syntax.function_of(at)
    each = max(at, 0) + 1
    while each < len(syntax.tokens) and not syntax.marks_between(each - 1, each + 1, here):
        before = syntax.text(each - 1)
        is_value = before in (")", "]") or syntax.is_name(each - 1)
        if syntax.text(each) == key and before == ".":
            yield each if syntax.tokens[each].depth < syntax.tokens[at].depth else at
            return
        if syntax.text(each) == "[" and (is_value or before == "."):
            yield at
            return
        if syntax.text(each) == "(" and is_value:
            each = syntax.partner.get(each, each)
        each += 1


def _in_template(syntax: Syntax, at: int, call: int | None) -> int | None:
    """Return the token of a promise in a template, or None if two lines are possible.

    QuickJS reports the last expression of a template. If the template has several lines, the
    promise is the call itself or the variable that it was assigned to.
    """
    offset = syntax.tokens[at].start if at >= 0 else 0
    around = next((each for each in syntax.templates if offset in each), None)
    if around is None:
        return at
    inside = [each for each, token in enumerate(syntax.tokens) if token.start in around]
    if one_line(syntax, inside) is not None:
        return at
    variable = _variable(syntax, call)
    return one_line(syntax, (each for each in inside if _is_call(syntax, each, call, variable)))


def _on_one_line(
    syntax: Syntax, places: Iterable[int], sought: Collection[str], call: int | None
) -> int | None:
    """Return the first of these places if all are on one line, and else None.

    If there are no places, those are all patterns that contain one of the tokens `sought`. If they
    are on several lines, only those that use the call or its variable count.
    """
    found = list(places) or [
        pattern for pattern in syntax.patterns if syntax.contains(pattern, sought)
    ]
    chosen = one_line(syntax, found)
    if chosen is not None:
        return chosen
    variable = _variable(syntax, call)
    return one_line(
        syntax,
        (each for each in found if _is_call(syntax, _value(syntax, each), call, variable)),
    )


def _value(syntax: Syntax, place: int) -> int:
    """Return the first token of the value that a pattern destructures; any other place itself."""
    return syntax.partner[place] + 2 if syntax.pattern_around(place) == place else place


def _is_call(syntax: Syntax, at: int, call: int | None, variable: str | None) -> bool:
    """Return whether a token is the call, or the variable that it was assigned to."""
    return at == call or (variable is not None and syntax.text(at) == variable)


def _variable(syntax: Syntax, call: int | None) -> str | None:
    """Return the name of the variable that a call was assigned to, or None."""
    if call is None:
        return None
    start = call
    while syntax.text(start - 1) == ".":  # `tools.get`
        start -= 2
    assigned = syntax.text(start - 1) == "=" and syntax.is_name(start - 2)
    return syntax.text(start - 2) if assigned else None
