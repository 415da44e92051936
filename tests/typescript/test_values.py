"""Values pass between a program and the host exactly, in one documented form, or not at all."""

import json
import math
import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from coderelay.core import CallError, Entry, InvalidJournal, Json, Raised, Returned, Suspended
from coderelay.core.json_values import MAX_DEPTH
from tests.typescript.driving import LIMITS, drive, start

integers = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.integers(-(10**40), 10**40),
    st.sampled_from([2**53, -(2**53), 2**53 + 1, 2**63, 2**64 - 1, 10**308, 10**400]),
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    integers,
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(), max_size=20),
    st.sampled_from(
        ["", "\0", "\u2028\u2029", "\ud800", "\udc00x", "😀", "\\u0041", '"\\/', "1e5"]
    ),
)
keys = st.one_of(
    st.text(st.characters(), max_size=8),
    st.sampled_from(
        ["__proto__", "constructor", "then", "toJSON", "length", "", "0", "-1", "\ud800"]
    ),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=20,
)
relaxed = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def equal(left: Json, right: Json) -> bool:
    """Whether two values are the same JSON: 1 and 1.0 are, True and 1 are not."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right) and isinstance(left, str) == isinstance(right, str)


@relaxed
@given(values)
def test_what_a_tool_returns_the_program_can_return_unchanged(value: Json) -> None:
    assert equal(drive("await get()", lambda call: Returned(value)).value, value)


@relaxed
@given(values)
def test_what_a_tool_returns_the_program_can_pass_on_unchanged(value: Json) -> None:
    ran = drive("await get([await get([1])]); 0", lambda call: Returned(value))
    assert equal(ran.arguments[1][0], [value])


@settings(relaxed, max_examples=60)
@given(values)
def test_a_value_means_the_same_to_the_program_as_its_json_text(value: Json) -> None:
    text = json.dumps(value)
    assume(not re.search(r"\d{16}", text))  # JSON.parse would round those
    source = "const [v, t] = await get(); JSON.stringify(v) === JSON.stringify(JSON.parse(t))"
    assert drive(source, lambda call: Returned([value, text])).value is True


@settings(relaxed, max_examples=60)
@given(st.text(st.characters(), max_size=30))
def test_a_message_and_a_log_keep_every_character(text: str) -> None:
    ran = drive(
        "const t = await get(); console.log(t); try { await get() } catch (e) { e.message }",
        lambda call: Returned(text) if call.index == 0 else Raised(CallError(text)),
    )
    assert (ran.value, ran.logs) == (text, [("log", text)])


INTEGERS = [
    2**53 - 1,
    2**53,
    2**53 + 1,
    -(2**53) - 1,
    2**63,
    2**64 - 1,
    10**400,
    123456789012345678,
]


@pytest.mark.parametrize("integer", INTEGERS)
def test_an_integer_beyond_2_to_the_53_is_a_bigint_and_exact_both_ways(integer: int) -> None:
    ran = drive(
        "const x = (await get()).n; await get({ x }); [x, typeof x]",
        lambda c: Returned({"n": integer}),
    )
    kind = "number" if abs(integer) < 2**53 else "bigint"
    assert ran.value == [integer, kind]
    assert ran.arguments[1] == [{"x": integer}]
    assert isinstance(ran.arguments[1][0]["x"], int)


FLOATS = [0.1, 1e-320, 5e-324, 1.7976931348623157e308, 1e21, 1e16, 123456789.123456789, 1e300, -2.5]


@pytest.mark.parametrize("number", FLOATS)
def test_a_fraction_stays_a_number(number: float) -> None:
    ran = drive("const x = await get(); [x, typeof x]", lambda call: Returned(number))
    assert ran.value == [number, "number"]


FORMS: dict[str, tuple[str, Json]] = {
    "undefined": ("undefined", None),
    "null": ("null", None),
    "a property that is undefined": ("({ a: undefined, b: 1 })", {"b": 1}),
    "an item that is undefined": ("[undefined, 1]", [None, 1]),
    "a hole": ("[, 1]", [None, 1]),
    "a Date": ("new Date(0)", "1970-01-01T00:00:00.000Z"),
    "a Date inside": ("({ at: new Date(86400000) })", {"at": "1970-01-02T00:00:00.000Z"}),
    "a Map": ("new Map([['a', 1], ['b', new Map([['c', 2]])]])", {"a": 1, "b": {"c": 2}}),
    "a Map with a key of __proto__": ("new Map([['__proto__', 1]])", {"__proto__": 1}),
    "a Set": ("new Set([1, 'a', [2]])", [1, "a", [2]]),
    "a BigInt": ("2n ** 64n", 2**64),
    "a small BigInt": ("5n", 5),
    "NaN": ("[NaN, { a: NaN }]", ["NaN", {"a": "NaN"}]),
    "infinities": ("[Infinity, -Infinity]", ["Infinity", "-Infinity"]),
    "minus zero": ("-0", 0),
    "a large number": ("1e21", 1e21),
    "an Error": ("new RangeError('far')", {"name": "RangeError", "message": "far"}),
    "an Error of one's own": (
        "class My extends Error { name = 'My'; code = 5 }; new My('m')",
        {"name": "My", "message": "m"},
    ),
    "a RegExp": ("/a+/gi", "/a+/gi"),
    "typed arrays": ("[new Uint8Array([1, 255]), new Float64Array([0.5])]", [[1, 255], [0.5]]),
    "big typed arrays": ("new BigInt64Array([2n ** 62n])", [2**62]),
    "an instance": ("class P { x = 1; #y = 2; get z() { return 3 } }; new P()", {"x": 1}),
    "a getter": ("({ get a() { return 1 } })", {"a": 1}),
    "toJSON": ("({ a: 1, toJSON() { return { b: 2 } } })", {"b": 2}),
    "toJSON on an instance": ("class M { toJSON() { return 'm' } }; [new M()]", ["m"]),
    "a URL": ("new URL('https://a.example/b?c=d')", "https://a.example/b?c=d"),
    "boxed values": (
        "[new Number(1), new String('s'), new Boolean(false), Object(5n)]",
        [1, "s", False, 5],
    ),
    "an object without a prototype": ("Object.assign(Object.create(null), { a: 1 })", {"a": 1}),
    "a key of __proto__": ('JSON.parse(\'{"__proto__":{"a":1}}\')', {"__proto__": {"a": 1}}),
    "symbol keys": ("({ [Symbol('s')]: 1, a: 2 })", {"a": 2}),
    "hidden properties": ("Object.defineProperty({}, 'a', { value: 1 })", {}),
    "inherited properties": ("Object.create({ a: 1 })", {}),
    "a Proxy": ("new Proxy({ a: 1 }, {})", {"a": 1}),
    "a Proxy of an array": ("new Proxy([1, 2], {})", [1, 2]),
    "a frozen object": ("Object.freeze({ a: [Object.freeze([1])] })", {"a": [[1]]}),
    "one object twice": (
        "const a = { n: 1 }; [a, a, { a }]",
        [{"n": 1}, {"n": 1}, {"a": {"n": 1}}],
    ),
    "lone surrogates": ("['\\ud800', '\\udc00\\ud800']", ["\ud800", "\udc00\ud800"]),
    "line separators and NUL": ("'\\u2028\\u2029\\0'", "\u2028\u2029\0"),
    "index keys": ("({ b: 1, 1: 2, a: 3, 0: 4 })", {"0": 4, "1": 2, "b": 1, "a": 3}),
    "arguments": ("(function () { return arguments })(1, 2)", {"0": 1, "1": 2}),
}


@pytest.mark.parametrize(("source", "value"), FORMS.values(), ids=FORMS)
def test_a_value_has_this_form(source: str, value: Json) -> None:
    result = drive(source).value
    assert equal(result, value)
    assert not (isinstance(result, float) and math.isnan(result))


@pytest.mark.parametrize(("source", "value"), FORMS.values(), ids=FORMS)
def test_an_argument_has_the_same_form_as_a_value(source: str, value: Json) -> None:
    *before, last = source.split("; ")
    ran = drive("; ".join([*before, f"await get({{ v: ({last}) }}); 0"]))
    expected = {} if source == "undefined" else {"v": value}
    assert equal(ran.arguments[0][0], expected)


REFUSED = {
    "a promise": ("({ a: [Promise.resolve(1)] })", ".a[0] is a Promise: await it"),
    "a call": (
        "({ a: [get(1)] })",
        ".a[0] is the call get(…) on line 1, which was used without `await`: write `await get(…)`",
    ),
    "a function": ("({ f() {} })", ".f is a function: give data only"),
    "a class": ("({ C: class {} })", ".C is a function: give data only"),
    "a symbol": ("[Symbol('s')]", "[0] is a symbol: give data only"),
    "a cycle": ("const a: any = { b: {} }; a.b.c = a; a", ".b.c is a value that contains itself"),
    "a cycle through a Map": (
        "const m = new Map(); m.set('m', m); m",
        ".m is a value that contains",
    ),
    "a Map with other keys": ("new Map([[1, 2]])", " is a Map with a key that is no string"),
    "an invalid Date": ("({ d: new Date(NaN) })", ".d is an invalid Date"),
    "an ArrayBuffer": ("new ArrayBuffer(8)", " is an ArrayBuffer: give an array of numbers"),
    "a DataView": ("new DataView(new ArrayBuffer(8))", " is a DataView"),
    "a WeakMap": ("new WeakMap()", " is a WeakMap: give data only"),
    "a generator": ("(function* () {})()", " is an iterator: give [...it]"),
    "a Map's values": ("({ v: new Map().values() })", ".v is an iterator: give [...it]"),
    "an async generator": ("(async function* () {})()", " is an async iterator: collect"),
    "a long integer": ("10n ** 5000n", " is an integer of over 4000 digits: give it as a string"),
    "an odd key": ("({ 'a b': { '0': Symbol() } })", '["a b"]["0"] is a symbol'),
    "too deep": (f"[...Array({MAX_DEPTH + 1})].reduce(inner => [inner], 0)", "256 levels"),
}


@pytest.mark.parametrize(("source", "message"), REFUSED.values(), ids=REFUSED)
def test_a_value_that_has_no_form_fails_and_says_where(source: str, message: str) -> None:
    error = drive(source).error
    assert (error.kind, error.name) == ("exception", "TypeError")
    assert error.message.startswith("value") and message in error.message


@pytest.mark.parametrize(("source", "message"), REFUSED.values(), ids=REFUSED)
def test_an_argument_that_has_no_form_rejects_the_call(source: str, message: str) -> None:
    *before, last = source.split("; ")
    program = "\n".join([*before, f"await webSearch({last})"])
    error = drive(program).error
    assert (error.kind, error.name) == ("arguments", "ArgumentsError")
    assert error.message.startswith("web_search: arguments") and message in error.message
    assert error.line == len(before) + 1


def test_a_refused_call_can_be_caught_and_takes_no_index() -> None:
    ran = drive("try { await get(Symbol()) } catch (e) { await get(e.message) }")
    assert [call.index for call in ran.batches[0]] == [0]
    assert ran.value == "get: arguments is a symbol: give data only"


def test_the_deepest_value_that_is_allowed_passes_both_ways() -> None:
    source = f"let d: any = 0; for (let i = 0; i < {MAX_DEPTH}; i++) d = [d]; await get(d)"
    depth, value = 0, drive(source).value
    while isinstance(value, list):
        depth, value = depth + 1, value[0]
    assert depth == MAX_DEPTH


ARGUMENTS = [
    ("get()", {}),
    ("get(undefined)", {}),
    ("get(null)", None),
    ("get('s')", "s"),
    ("get([1])", [1]),
    ("get(1, 'two')", [1, "two"]),
    ("get({ a: undefined })", {}),
    ("get.call(null, { a: 1 })", {"a": 1}),
    ("get?.({ a: 1 })", {"a": 1}),
    ("tools.get({ a: 1 })", {"a": 1}),
    ("[{ a: 1 }].map(x => get(x))[0]", {"a": 1}),
]


@pytest.mark.parametrize(("call", "arguments"), ARGUMENTS)
def test_a_call_has_these_arguments(call: str, arguments: Json) -> None:
    assert drive(f"await {call}").arguments == [[arguments]]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("webSearch({})", "web_search"),
        ("web_search({})", "web_search"),
        ("tools.webSearch({})", "web_search"),
        ("tools.web_search({})", "web_search"),
        ("sendMail({})", "send-mail"),
        ("tools['send-mail']({})", "send-mail"),
        ("tools.unheardOf({})", "unheardOf"),
        ("tools['']({})", ""),
        ("tools.__proto__({})", "__proto__"),
        ("tools.hasOwnProperty({})", "hasOwnProperty"),
    ],
)
def test_a_tool_is_known_by_these_names(call: str, name: str) -> None:
    assert drive(f"await {call}").names == [[name]]


def test_naming_the_tools_object_itself_calls_nothing() -> None:
    ran = drive(
        "console.log(tools); try { `${tools}` } catch {}; JSON.stringify(tools); await tools; 1"
    )
    assert (ran.value, ran.batches) == (1, ())


LOGS = {
    "console.log('a', 1, 2n, null, undefined, true)": "a 1 2n null undefined true",
    "console.log({ a: [1, 'x'], b: new Map([['k', 1]]), c: new Set([1]) })": (
        '{"a":[1,"x"],"b":Map {"k" => 1},"c":Set {1}}'
    ),
    "console.log(new Error('e'), /r/g, new Date(0))": 'Error: e /r/g "1970-01-01T00:00:00.000Z"',
    "console.log(() => 1, class A {}, Symbol('s'), Promise.resolve())": (
        "[Function anonymous] [Function A] Symbol(s) Promise {}"
    ),
    "const a = []; a.push(a); console.log(a)": "[[Circular]]",
    "console.log({ get a() { throw 1 } })": "[a value that cannot be shown]",
    "console.log(new Array(300).fill(0))": "[" + ",".join(["0"] * 200) + ", … 100 more]",
    "console.log(NaN, -0, Infinity)": "NaN 0 Infinity",
}


@pytest.mark.parametrize(("source", "line"), LOGS.items())
def test_a_log_shows_a_value_like_this(source: str, line: str) -> None:
    assert drive(source).logs == [("log", line)]


def test_every_console_method_has_its_level() -> None:
    source = """
    for (const level of ['debug', 'error', 'info', 'log', 'trace', 'warn']) console[level](level)
    console.assert(true, 'no'); console.assert(false, 'yes'); console.dir({ a: 1 })
    console.table([1])
    console.count(); console.count('x'); console.count(); console.countReset(); console.count()
    console.group('G'); console.log('in'); console.group(); console.log('deeper')
    console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log('out')
    console.time('t'); console.timeLog('t'); console.timeEnd('t')
    """
    assert drive(source).logs == [
        *[(level, level) for level in ("debug", "error", "info", "log", "trace", "warn")],
        ("error", "Assertion failed: yes"),
        ("log", '{"a":1}'),
        ("log", "[1]"),
        *[("info", text) for text in ("default: 1", "x: 1", "default: 2", "default: 1")],
        *[("log", text) for text in ("G", "  in", "    deeper", "out")],
        *[("info", text) for text in ("t: 0 ms", "t: 0 ms")],
    ]


def test_a_result_that_is_not_json_is_our_callers_mistake() -> None:
    run = start("await get(1)", limits=LIMITS)
    waiting = run.proceed([])
    assert isinstance(waiting, Suspended)
    (call,) = waiting.calls
    with pytest.raises(InvalidJournal, match="is not a JSON value"):
        run.proceed([Entry(call.name, call.arguments, Returned(float("nan")))])
