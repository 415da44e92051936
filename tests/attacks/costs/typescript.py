"""What a TypeScript program costs the host: its form, and the place of an error in it."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from coderelay.engines.typescript.edits import Edited
from coderelay.engines.typescript.enums import const_enums_left, with_plain_enums
from coderelay.engines.typescript.failure_report import Thrown
from coderelay.engines.typescript.forms import ImportFound, shape
from coderelay.engines.typescript.namespaces import join_namespaces
from coderelay.engines.typescript.prepare import Prepared
from coderelay.engines.typescript.sourcemap import parse
from coderelay.engines.typescript.stack import frames
from tests.attacks.costs import Case
from tests.attacks.costs.engines import SOURCE

SHAPE = "engines.typescript.forms.shape"
FAILURE = "engines.typescript.failure_report.Thrown.failure"
TEXT = 50_000


def repeated(piece: str, beginning: str = "", end: str = "") -> Callable[[int], str]:
    """A text of a size: the same piece again and again."""
    return lambda size: beginning + piece * (size // len(piece)) + end


def shaped(source: str) -> None:
    """Read a source as far as that goes."""
    with suppress(ImportFound):
        shape(source)


def forms(text: str, piece: str, beginning: str = "", end: str = "") -> Case:
    """A source whose form is to be found."""
    return Case(SHAPE, text, SOURCE, repeated(piece, beginning, end), shaped)


def placed(
    text: str,
    piece: str,
    message: str,
    *,
    beginning: str = "",
    end: str = "",
    column: int = 1,
    function: str = "f",
) -> Case:
    """An error in a code that is to be found in its source; the column counts from the end where
    it is negative."""

    def thrown(size: int) -> Any:
        code = repeated(piece, beginning, end)(size)
        at = column if column > 0 else len(code) + column
        line = f"    at {function} (program.ts:1:{at})\n"
        call = f"get\n{line}"
        return Thrown("TypeError", message, line * 20, unawaited=call), Prepared(code, code)

    return Case(
        FAILURE, text, SOURCE, thrown, lambda made: made[0].failure("", made[1], ()), fresh=True
    )


def joined(text: str, piece: str, *, end: str = "") -> Case:
    """Two blocks of a namespace that are to be told of each other."""

    def made(size: int) -> str:
        times = size // (len(piece) + len(end))
        return f"namespace m{{{piece * times}{end * times}}}namespace m{{a}}"

    return Case(
        "engines.typescript.namespaces.join_namespaces",
        text,
        SOURCE,
        made,
        lambda source: Edited.of(source, join_namespaces(source)),
    )


def read_map(mappings: str) -> None:
    """Read a source map that was not read before."""
    parse.cache_clear()
    parse(json.dumps({"mappings": mappings}))


ITERATED = "value is not iterable"
NO_FUNCTION = "not a function"
UNAWAITED = "was used without `await`: write `await get(…)`"
READ = f"cannot read property 'b' of a promise: the call get(…) {UNAWAITED}"
SPREAD = f"cannot copy the properties of a promise: get(…) {UNAWAITED}"
FILLED_IN = f"cannot convert a promise: the call get(…) {UNAWAITED}"

CASES = (
    forms("a mark, then spaces", " ", "```", "x"),
    forms("exports", "export "),
    forms("exports of nothing", "export {};"),
    forms("exports of lists that do not end", "export {"),
    forms("imports of types from nowhere", "import type x "),
    forms("imports that may be methods", ",import({", "{x"),
    forms("a template that does not end", "a", "main export `", "\\"),
    forms("slashes", "/ ", "main export "),
    forms("brackets of patterns", "/[", "main export "),
    forms("comments that do not end", "/*", "main export "),
    forms("words that are `main`", "main "),
    placed("spaces in the name of a call", " ", NO_FUNCTION, beginning="const a={};a.", end="b()"),
    placed("spread in spread", "[...", ITERATED, end="x", column=-1),
    placed("spread in spread, each on its own line", "[...\n", ITERATED),
    placed("calls in calls", "f(", NO_FUNCTION, end="x", column=-1),
    placed("numbers in a call in calls", "1,", NO_FUNCTION, beginning="f(" * 9 + "x,", column=19),
    placed("members of members", "a.", NO_FUNCTION, end="b(x)", column=-2),
    placed("patterns", "[]=", ITERATED),
    placed("functions of one name on a line", "f=()=>1;", ITERATED),
    placed("nameless functions on a line", "(()=>1);", ITERATED, function="<anonymous>"),
    placed("loops", "for(;;", ITERATED),
    placed("patterns with a promise", "const{b}=x\n;", READ, beginning="x=get();"),
    placed("patterns with a promise from a long name", "a.", READ, beginning="x=", end="get()"),
    placed("spread of a promise", "({...x});\n", SPREAD, beginning="x=get();"),
    placed("a template with promises", "${x}\n", FILLED_IN, beginning="x=get();`", column=-3),
    placed("stars", "*", NO_FUNCTION, beginning="x"),
    joined("blocks", "export let a}namespace m{a;"),
    joined("blocks of other names", "export let b}namespace n{a;"),
    joined("namespaces in namespaces", "export namespace m{", end="}"),
    joined("dots", "export let a}namespace m.a.b.c{a}namespace m{"),
    joined("variables", "export let a=1,b=2\n"),
    joined("variables that do not end", "let a=b\nc\n"),
    joined("patterns in patterns", "var [", end="]"),
    joined("functions in patterns", "var [a=function(){", end="}]=1;"),
    joined("functions in the keys of patterns", "var {[function(){", end="}]:a}=1;"),
    Case(
        "engines.typescript.enums.const_enums_left",
        "const enums",
        SOURCE,
        repeated("const enum A{};"),
        lambda source: const_enums_left(source, source),
    ),
    Case(
        "engines.typescript.enums.with_plain_enums",
        "const enums",
        SOURCE,
        repeated("const enum A{};"),
        lambda source: with_plain_enums(source, {"A"}),
    ),
    Case(
        FAILURE,
        "as many makers as fit, and a stack of them",
        TEXT,
        lambda size: (
            Thrown("E", "m", "at x (program.ts:1:1)\n" * (size // 22), makers="x\n" * (size // 2)),
            Prepared("x", "x"),
        ),
        lambda made: made[0].failure("", made[1], ()),
    ),
    Case(
        "engines.typescript.stack.frames",
        "a name of brackets",
        TEXT,
        repeated(" (", "at "),
        frames,
    ),
    Case("engines.typescript.stack.frames", "spaces", TEXT, repeated(" ", "", "at"), frames),
    Case("engines.typescript.stack.frames", "line ends", TEXT, repeated("\n"), frames),
    Case(
        "engines.typescript.stack.frames",
        "digits",
        TEXT,
        repeated("1", "at <null>:", ":"),
        frames,
    ),
    Case(
        "engines.typescript.sourcemap.parse",
        "one number that does not end",
        500_000,
        repeated("g"),
        read_map,
    ),
    Case(
        "engines.typescript.sourcemap.parse",
        "the shortest segments",
        100_000,
        repeated("AAAA,"),
        read_map,
    ),
)
