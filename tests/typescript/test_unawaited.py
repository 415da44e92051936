"""A promise that is used as if it were its value fails at that place, and the failure says which
call lacks its `await`."""

import re

import pytest

from coderelay.core import Failed
from tests.typescript.driving import LIMITS, drive, echo, replay, start

CALL = "the call get(…) on line 1 was used without `await`: write `await get(…)`"
NO_CALL = "it was used without `await`: write `await …`"
UNDER_WAY = f"{NO_CALL}. Calls under way: get(…)"

# What a program does with `w`, the promise of a call on line 1, with ‸ before the place that the
# failure names. Then what the message says that cannot be done.
MISUSES = {
    "a property": ("const t = ‸w.temperature", "read property 'temperature' of a promise"),
    "a property, optionally": ("‸w?.temperature", "read property 'temperature' of a promise"),
    "a property, not null": ("‸w!.temperature", "read property 'temperature' of a promise"),
    "a property of a cast": (
        "(w as any).‸temperature as number",
        "read property 'temperature' of a promise",
    ),
    "a property in a condition": (
        "return ‸w.temperature > 10 ? 'warm' : 'cold'",
        "read property 'temperature' of a promise",
    ),
    "a property over lines": (
        "return {\n  a: 1,\n  b: ‸w.b,\n  c: 2,\n}",
        "read property 'b' of a promise",
    ),
    "a method": ("‸w.map((x) => x)", "read property 'map' of a promise"),
    "a length": ("for (let i = 0; i < ‸w.length; i++) {}", "read property 'length' of a promise"),
    "an index": ("‸w[0]", "read property '0' of a promise"),
    "an index, optionally": ("‸w?.[0]", "read property '0' of a promise"),
    "a property that is written into": ("‸w.a.b = 1", "read property 'a' of a promise"),
    "a property in a callback": ("[1].map((x) => ‸w.x)", "read property 'x' of a promise"),
    "a parameter's property": (
        "const f = (x) => ‸x.a\nconst r = f(w)",
        "read property 'a' of a promise",
    ),
    "hasOwnProperty": ("‸w.hasOwnProperty('a')", "read property 'hasOwnProperty' of a promise"),
    "toString": ("‸w.toString()", "read property 'toString' of a promise"),
    "less than": ("if (w < ‸10) {}", "convert a promise to text or a number"),
    "more than": ("if (10 > ‸w) {}", "convert a promise to text or a number"),
    "equal to a number": ("if (w == ‸10) {}", "convert a promise to text or a number"),
    "unequal to text": ("if (w != ‸'a') {}", "convert a promise to text or a number"),
    "a sum": ("1 + ‸w", "convert a promise to text or a number"),
    "a sum of text": ("'a' + ‸w", "convert a promise to text or a number"),
    "a product": ("2 * ‸w", "convert a promise to text or a number"),
    "a sign": ("-‸w", "convert a promise to text or a number"),
    "a step": ("‸w++", "convert a promise to text or a number"),
    "an assigned sum": ("let n = 0\nn += ‸w", "convert a promise to text or a number"),
    "Number": ("‸Number(w)", "convert a promise to text or a number"),
    "Math": ("Math.‸max(\n  1,\n  w,\n)", "convert a promise to text or a number"),
    "a template": ("`it is ${‸w}`", "convert a promise to text or a number"),
    "a template over lines": (
        "const v = 1\nreturn `a ${v}\nb ${‸w}\nc ${v}`",
        "convert a promise to text or a number",
    ),
    "a template in a template": (
        "const v = 1\nreturn `a ${v}\nb ${`c ${‸w}`}\nd ${v}`",
        "convert a promise to text or a number",
    ),
    "String": ("‸String(w)", "convert a promise to text or a number"),
    "join": ("[w].‸join()", "convert a promise to text or a number"),
    "a key": ("({})[‸w]", "convert a promise to text or a number"),
    "a Date": ("new ‸Date(w)", "convert a promise to text or a number"),
    "a URL": ("new ‸URL(w)", "convert a promise to text or a number"),
    "an Error": ("new ‸Error(w)", "convert a promise to text or a number"),
    "JSON": ("JSON.‸stringify(w)", "write a promise as JSON"),
    "JSON over lines": ("JSON.‸stringify(\n  w,\n  null,\n  2,\n)", "write a promise as JSON"),
    "JSON of what holds it": ("JSON.‸stringify({ a: [w] })", "write a promise as JSON"),
    "a spread into a list": ("[1, ...‸w]", "iterate over a promise"),
    "a spread into a call": ("Math.max(...‸w)", "iterate over a promise"),
    "for of": ("for (const x of ‸w) {\n  x\n}", "iterate over a promise"),
    "for await": ("for await (const x of ‸w) {\n  x\n}", "iterate over a promise"),
    "for of a pattern": ("for (const { a } of ‸w) {\n  a\n}", "iterate over a promise"),
    "a Set": ("new ‸Set(w)", "iterate over a promise"),
    "Array.from": ("Array.‸from(w)", "iterate over a promise"),
    "Promise.all": ("await Promise.‸all(w)", "iterate over a promise"),
    "a spread into an object": ("({ a: 1, ...‸w })", "copy the properties of a promise"),
    "a spread over lines": (
        "return {\n  a: 1,\n  ...‸w,\n  b: 2,\n}",
        "copy the properties of a promise",
    ),
    "Object.assign": ("Object.‸assign({}, w)", "copy the properties of a promise"),
    "Object.keys": ("Object.keys(‸w)", "list the properties of a promise"),
    "Object.values": ("Object.values(‸w)", "list the properties of a promise"),
    "Object.entries": (
        "for (const [k, v] of Object.entries(‸w)) {\n  k\n}",
        "list the properties of a promise",
    ),
    "Object.hasOwn": ("Object.hasOwn(‸w, 'a')", "look for 'a' in a promise"),
    "an object's pattern": ("const ‸{ a } = w\nreturn a", "read property 'a' of a promise"),
    "an object's pattern over lines": (
        "const ‸{\n  a,\n  b,\n} = w\nreturn a",
        "read property 'a' of a promise",
    ),
    "an object's pattern with text": (
        "const ‸{ 'a-b': a } = w\nreturn a",
        "read property 'a-b' of a promise",
    ),
    "an object's pattern behind others": (
        "const { a } = { a: 1 }\nlet b = 2, c = 3\nconst ‸{ d } = w\nreturn d",
        "read property 'd' of a promise",
    ),
    "the rest of an object's pattern": (
        "const ‸{ ...rest } = w\nreturn rest",
        "copy the properties of a promise",
    ),
    "a list's pattern": ("const ‸[a] = w\nreturn a", "iterate over a promise"),
    "an assigned pattern": ("let a\n;(‸{ a } = w)", "read property 'a' of a promise"),
    "a parameter's pattern": (
        "const f = (‸{ a }) => a\nf(w)",
        "read property 'a' of a promise",
    ),
    "a callback's pattern": ("[w].map((‸{ a }) => a)", "read property 'a' of a promise"),
    "beside an enum": (
        "enum E { A }\nreturn ‸w.temperature",
        "read property 'temperature' of a promise",
    ),
}


def advice_for(misuse: str) -> str:
    """What the failure says of the call. Of a property it says how to read it of the value."""
    read = re.match(r"read property '(.+)' of a promise", misuse)
    if read is None:
        return CALL
    access = {"0": "[0]", "a-b": '["a-b"]'}.get(read[1], f".{read[1]}")
    return CALL.replace("`await get(…)`", f"`(await get(…)){access}`")


def unmark(marked: str) -> tuple[str, int, int]:
    """A source, and the line and column of its mark."""
    before = marked.split("‸")[0]
    return marked.replace("‸", ""), before.count("\n") + 1, len(before.split("\n")[-1]) + 1


@pytest.mark.parametrize(("marked", "misuse"), MISUSES.values(), ids=MISUSES)
def test_a_call_used_as_its_value_fails_there_and_says_to_await_it(
    marked: str, misuse: str
) -> None:
    source, line, column = unmark(f"const w = get({{ city: 'Paris' }});\n{marked}")
    error = drive(source).error
    assert (error.kind, error.name) == ("exception", "TypeError")
    assert error.message == f"cannot {misuse}: {advice_for(misuse)}"
    assert (error.line, error.column) == (line, column)
    assert f"> {line} | {source.splitlines()[line - 1]}" in error.frame


# The same without a variable between call and use.
DIRECT = {
    "a property": ("‸get({\n  city: 'Paris',\n}).temperature", "read property 'temperature' of a"),
    "a property after an argument": (
        "const city = 'Paris'\nget({\n  city: city,\n}).‸temperature",
        "read property 'temperature' of a",
    ),
    "an index": ("‸get({})[0]", "read property '0' of a"),
    "for of": ("for (const x of ‸get({})) {}", "iterate over a"),
    "a pattern": ("const ‸{ a } = get({\n  city: 'Paris',\n})", "read property 'a' of a"),
    "a template": ("`a ${1}\nb ${‸get({})}\nc ${2}`", "convert a"),
}


@pytest.mark.parametrize(("marked", "misuse"), DIRECT.values(), ids=DIRECT)
def test_a_call_used_where_it_is_made_fails_there(marked: str, misuse: str) -> None:
    source, line, column = unmark(marked)
    error = drive(source).error
    assert error.message.startswith(f"cannot {misuse} promise")
    assert "the call get(…) on line " in error.message
    assert re.search(r"write `(await get\(…\)|\(await get\(…\)\)\S+)`", error.message)
    assert (error.line, error.column) == (line, column)


# The language does not tell which promise these look at, so all that it may be are named.
UNKNOWN = {
    "in": ("if ('error' in ‸w) {}", f"look for 'error' in a promise: {UNDER_WAY}"),
    "for in": ("for (const k in ‸w) {\n}", f"list the properties of a promise: {UNDER_WAY}"),
    "several calls": (
        "webSearch({}); sendMail({}); get({})\n'a' in ‸w",
        f"look for 'a' in a promise: {UNDER_WAY}, webSearch(…), sendMail(…)",
    ),
    "no call under way": ("await get({})\n'a' in ‸w", f"look for 'a' in a promise: {NO_CALL}"),
}


@pytest.mark.parametrize(("marked", "message"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_looks_into_an_unknown_promise_names_the_calls_under_way(
    marked: str, message: str
) -> None:
    source, line, column = unmark(f"const w = get({{}});\n{marked}")
    error = drive(source).error
    assert (error.message, error.line, error.column) == (f"cannot {message}", line, column)


# Promises that are no call's, with what the message says.
OTHERS = {
    "an async function": ("(async () => 1)().x", "read property 'x' of a promise"),
    "an async function of the program": (
        "async function total() { return 1 }\nreturn total() + 1",
        "convert a promise to text or a number",
    ),
    "all calls": ("const all = Promise.all([get(1)])\nall.length", "read property 'length' of a"),
    "what follows a call": ("get(1).then((x) => x).a", "read property 'a' of a promise"),
    "a promise of the program": ("[...new Promise(() => {})]", "iterate over a promise"),
    "a listing": ("Object.keys(Promise.resolve({ a: 1 }))", "list the properties of a promise"),
    "a tool that a search found": ("tools.other({}).a", "read property 'a' of a promise"),
}


@pytest.mark.parametrize(("source", "misuse"), OTHERS.values(), ids=OTHERS)
def test_any_promise_used_as_its_value_fails(source: str, misuse: str) -> None:
    error = drive(source).error
    assert error.name == "TypeError" and error.line is not None
    assert error.message.startswith(f"cannot {misuse}")
    assert re.search(r"was used without `await`: write `\(?await ", error.message)


def test_a_program_can_catch_the_failure_and_read_it() -> None:
    source = """const w = get({})
try {
  return w.temperature
} catch (error) {
  return [error instanceof TypeError, error.name, error.message, error.stack.includes('harness')]
}"""
    message = (
        "cannot read property 'temperature' of a promise: the call get(…) was used without "
        "`await`: write `(await get(…)).temperature`"
    )
    assert drive(source).value == [True, "TypeError", message, False]


def test_a_tool_that_is_looked_up_by_text_is_named_as_programs_write_it() -> None:
    error = drive("const found = tools['web_search']({})\nfound.length").error
    assert "the call webSearch(…) on line 1 was used without" in error.message
    assert "write `(await webSearch(…)).length`" in error.message


def test_the_line_of_a_call_over_lines_is_where_it_begins() -> None:
    source = "const a = 1\nconst w = get({\n  a,\n  b: [\n    a,\n  ],\n})\nw.x"
    assert "the call get(…) on line 2 was used without `await`" in drive(source).error.message


def test_a_call_within_an_argument_is_named_and_the_call_around_it_is_the_place() -> None:
    error = drive("const w = get({})\nawait sendMail({ body: w })").error
    assert (error.kind, error.line, error.column) == ("arguments", 2, 7)
    assert error.message == (
        "send-mail: arguments.body is the call get(…) on line 1, which was used without `await`: "
        "write `await get(…)`"
    )


def test_a_call_within_the_value_is_named_and_is_the_place() -> None:
    error = drive("const a = 1\nconst w = get({ a })\nreturn { rows: [w] }").error
    assert (error.kind, error.line, error.column) == ("exception", 2, 11)
    assert error.message == (
        "value.rows[0] is the call get(…) on line 2, which was used without `await`: "
        "write `await get(…)`"
    )


def test_a_misused_call_is_still_made_and_a_replay_has_the_same_outcome() -> None:
    source = "const w = get({ n: 1 })\nsendMail({ n: 2 })\nreturn w.n > 0 ? 'a' : 'b'"
    ran = drive(source)
    assert ran.names == [["get", "send-mail"]]
    assert advice_for("read property 'n' of a promise") in ran.error.message
    assert replay(source, ran.journal) == ran.outcome
    run = start(source, limits=LIMITS)
    try:
        assert not isinstance(run.proceed([]), Failed)
        assert run.proceed(ran.journal) == ran.outcome
    finally:
        run.close()


def test_a_misused_call_that_fails_is_reported_as_an_unhandled_rejection() -> None:
    ran = drive("const w = get({ fail: 'no' })\nw.n")
    assert advice_for("read property 'n' of a promise") in ran.error.message
    assert ran.logs == [("error", "Unhandled rejection: ToolError: no")]


def test_a_misuse_in_a_task_that_nobody_awaits_is_logged() -> None:
    ran = drive("const f = async () => get({}).n\nf()\nreturn 1", echo)
    assert ran.value == 1
    assert ran.logs == [
        (
            "error",
            "Unhandled rejection: TypeError: cannot read property 'n' of a promise: "
            "the call get(…) was used without `await`: write `(await get(…)).n`",
        )
    ]
