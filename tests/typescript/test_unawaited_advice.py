"""What a failure advises where a promise was used without `await`, and the uses that are seen only
where the program shows, copies, clones, iterates or throws a promise."""

import pytest

from tests.typescript.driving import drive, replay
from tests.typescript.test_unawaited import CALL, NO_CALL, UNDER_WAY, unmark

# A program that reads a property, and what it is told to write. `await` binds less than the dot,
# so a program that has an `await` already must be shown the brackets.
ADVICE = {
    "an await of the property": ("await get({}).temperature", "(await get(…)).temperature"),
    "an await in brackets": ("(await get({}).tags).length", "(await get(…)).tags"),
    "a variable": ("const w = get({})\nw.a", "(await get(…)).a"),
    "a method": ("await get({}).map((x) => x)", "(await get(…)).map"),
    "an index": ("get({})[0]", "(await get(…))[0]"),
    "a key that is no name": ("get({})['a-b']", '(await get(…))["a-b"]'),
    "a long key": ("get({})['x'.repeat(500)]", "(await get(…))[…]"),
    "a pattern": ("const { a } = get({})", "(await get(…)).a"),
    "all calls": ("await Promise.all([get({})]).map((x) => x)", "(await …).map"),
    "an async function": ("const f = async () => 1\nf().a", "(await …).a"),
    "another spelling": ("web_search({}).x", "(await web_search(…)).x"),
    "another spelling, in tools": ("tools.web_search({}).x", "(await web_search(…)).x"),
    "another spelling in the value": ("return [web_search({})]", "await web_search(…)"),
    "another spelling in an argument": (
        "await get({ a: web_search({}) })",
        "await web_search(…)",
    ),
    "a call that was awaited before": (
        "const w = get({})\nawait w\nreturn w + 1",
        "await get(…)",
    ),
}


@pytest.mark.parametrize(("source", "written"), ADVICE.values(), ids=ADVICE)
def test_a_failure_says_what_to_write_instead(source: str, written: str) -> None:
    message = drive(source).error.message
    assert message.endswith(f"was used without `await`: write `{written}`")


def test_a_call_is_named_in_one_spelling_throughout_a_message() -> None:
    assert drive("web_search({}).x").error.message == (
        "cannot read property 'x' of a promise: the call web_search(…) on line 1 was used without "
        "`await`: write `(await web_search(…)).x`"
    )


# What a program does with `w`, a call's promise, or with others; and what the failure says.
SEEN = {
    "text": ("‸text('a',\n  w,\n)", f"show a promise to the model: {CALL}"),
    "text of what holds it": ("‸text({ a: [w] })", f"show a promise to the model: {CALL}"),
    "text that is filled in": ("‸text('%s %j', 1, w)", f"show a promise to the model: {CALL}"),
    "text of another promise": (
        "‸text(Promise.resolve(1))",
        f"show a promise to the model: {NO_CALL}",
    ),
    "a clone": ("‸structuredClone(w)", f"clone a promise: {CALL}"),
    "a clone of what holds it": ("‸structuredClone({ w })", f"clone a promise: {UNDER_WAY}"),
    "Object.assign of another": (
        "const p = w.then((x) => x)\nObject.‸assign({}, p)",
        f"copy the properties of a promise: {NO_CALL}",
    ),
    "Object.assign of an async function": (
        "const f = async () => 1\nconst base = {}\nObject.‸assign(base,\n  f(),\n  base)",
        f"copy the properties of a promise: {NO_CALL}",
    ),
    "a spread of then": (
        "({ ...‸w.then((x) => x) })",
        f"copy the properties of a promise: {NO_CALL}",
    ),
    "a spread of catch": (
        "({ ...‸w.catch(() => 1) })",
        f"copy the properties of a promise: {NO_CALL}",
    ),
    "a spread of finally": (
        "({ ...‸w.finally(() => 1) })",
        f"copy the properties of a promise: {NO_CALL}",
    ),
    "a spread of all": (
        "return {\n  a: 1,\n  ...‸Promise.all([w]),\n}",
        f"copy the properties of a promise: {NO_CALL}",
    ),
    "a spread of race": (
        "({ ...‸Promise.race([w]) })",
        f"copy the properties of a promise: {NO_CALL}",
    ),
    "the names of properties": (
        "Object.getOwnPropertyNames(‸w)",
        f"list the properties of a promise: {CALL}",
    ),
    "Array.fromAsync": ("await Array.fromAsync(‸w)", f"iterate over a promise: {CALL}"),
    "parameters of a URL": ("new URLSearchParams(‸w)", f"iterate over a promise: {CALL}"),
    "a typed array": ("new ‸Uint8Array(w)", f"iterate over a promise: {CALL}"),
    "entries": ("Object.‸fromEntries(w)", f"iterate over a promise: {CALL}"),
    "yield*": (
        "function* g() { yield* ‸w }\nfor (const x of g()) {}",
        f"iterate over a promise: {CALL}",
    ),
    "an iteration deep in calls": (
        "const f = (n) => n ? f(n - 1) : [...‸w]\nf(30)",
        f"iterate over a promise: {CALL}",
    ),
    "an iteration after a question": (
        "const asked = w[Symbol.iterator]\nfor (const x of ‸w) {}",
        f"iterate over a promise: {CALL}",
    ),
}


@pytest.mark.parametrize(("marked", "message"), SEEN.values(), ids=SEEN)
def test_a_promise_that_is_shown_copied_or_iterated_fails_there(marked: str, message: str) -> None:
    source, line, column = unmark(f"const w = get({{}});\n{marked}")
    ran = drive(source)
    assert (ran.error.name, ran.error.message) == ("TypeError", f"cannot {message}")
    assert (ran.error.line, ran.error.column) == (line, column)
    assert replay(source, ran.journal) == ran.outcome


def test_a_promise_that_is_thrown_is_not_shown_as_a_message() -> None:
    error = drive("const a = 1\nthrow get({ a })").error
    assert (error.name, error.line) == ("TypeError", 2)
    assert error.message == f"cannot throw a promise: {CALL.replace('line 1', 'line 2')}"


@pytest.mark.parametrize("misuse", ["throw w", "[...w]"])
def test_a_task_that_nobody_awaits_is_logged_with_the_advice(misuse: str) -> None:
    ran = drive(f"const w = get({{}})\nconst f = async () => {{ {misuse} }}\nf()\nreturn 1")
    assert ran.value == 1
    [(level, line)] = ran.logs
    assert level == "error" and "the call get(…) was used without `await`" in line


def test_an_error_at_another_place_keeps_its_own_message() -> None:
    source = "const w = get({})\nconst asked = w[Symbol.iterator]\nconst none = 5;\n[...none]"
    error = drive(source).error
    assert (error.message, error.line) == ("value is not iterable", 4)


def test_nothing_is_shown_to_the_model_of_a_line_with_a_promise() -> None:
    ran = drive("const w = get({})\ntext('before')\ntry { text('a', w) } catch {}\ntext(await w)")
    assert ran.logs == [("text", "before"), ("text", "{}")]
