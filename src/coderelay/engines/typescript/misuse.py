"""Where a promise was used as if it were its value, told from where QuickJS says it was.

The messages are those of `harness/unawaited.js` in the guest.
"""

import re
from collections.abc import Collection, Iterable, Iterator

from coderelay.engines.typescript.callsite import called_at, iterated, one_line, taken_apart
from coderelay.engines.typescript.syntax import Syntax

_MISUSE = re.compile(
    r"cannot (?:(?P<reads>read property '(?P<key>[^\n]{0,200})' of)|(?P<converts>convert)"
    r"|(?P<iterates>iterate over)|(?P<copies>copy the properties of)|[^\n]{0,200}?) a promise"
    r"[^:\n]{0,30}: [^\n]{0,300} was used without `await`: write `\(?await "
)
_TEMPLATE = "concat"
"""The method by which QuickJS puts a template together."""


def misused_at(
    syntax: Syntax, at: int, *, message: str, function: str, native: str, call: int | None
) -> int | None:
    """Where a promise was misused at a token in a function, or in a native one called there. It may
    be the promise of a `call`, whose token is given. None where two lines are possible."""
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
        places = (*_reads(syntax, at, key), *taken_apart(syntax, at, function, sought))
        return _chosen(syntax, places, sought, call)
    if found["iterates"]:
        places = tuple(iterated(syntax, at, function))
        if not places and not any(syntax.holds(each, "[") for each in syntax.patterns):
            return at  # no place iterates here, so a function that was called does
        return _chosen(syntax, places, "[", call)
    if found["copies"]:
        spread = (each for each in syntax.operand_of(at) if syntax.text(each - 1) == "...")
        places = (*spread, *taken_apart(syntax, at, function, ["..."]))
        return _chosen(syntax, places, ["..."], call)
    return at


def is_misuse(message: str) -> bool:
    """Whether an error with this message says that a promise was used as if it were its value."""
    return _MISUSE.match(message) is not None


def _reads(syntax: Syntax, at: int, key: str) -> Iterator[int]:
    """Where `a.key` or `a[…]` is read at a token: at most one place."""
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
    """QuickJS places a template at the last thing filled in. Over several lines, the one that is
    sought is the call itself or the variable that holds it."""
    offset = syntax.tokens[at].start if at >= 0 else 0
    around = next((each for each in syntax.templates if offset in each), None)
    if around is None:
        return at
    inside = [each for each, token in enumerate(syntax.tokens) if token.start in around]
    if one_line(syntax, inside) is not None:
        return at
    variable = _variable(syntax, call)
    return one_line(syntax, (each for each in inside if _is_call(syntax, each, call, variable)))


def _chosen(
    syntax: Syntax, places: Iterable[int], sought: Collection[str], call: int | None
) -> int | None:
    """The one line that these places are on, or, where there are none, all patterns with one of the
    tokens sought. Of several lines it is that to which the variable of the call goes."""
    found = list(places) or [
        pattern for pattern in syntax.patterns if syntax.holds(pattern, sought)
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
    """The first token of what is taken apart by a pattern; any other place is its own."""
    return syntax.partner[place] + 2 if syntax.pattern_around(place) == place else place


def _is_call(syntax: Syntax, at: int, call: int | None, variable: str | None) -> bool:
    """Whether a token is a call, or the variable that it was assigned to."""
    return at == call or (variable is not None and syntax.text(at) == variable)


def _variable(syntax: Syntax, call: int | None) -> str | None:
    """The variable that a call was assigned to, if it was."""
    if call is None:
        return None
    start = call
    while syntax.text(start - 1) == ".":  # `tools.get`
        start -= 2
    assigned = syntax.text(start - 1) == "=" and syntax.is_name(start - 2)
    return syntax.text(start - 2) if assigned else None
