"""A hostile program gets no results of others, no forged names and no unchecked values."""

from typing import ClassVar

import pytest

from coderelay.core import (
    Call,
    CallError,
    Entry,
    Raised,
    Result,
    Returned,
    Suspended,
)
from tests.typescript.driving import Ran, drive, start


def answer(call: Call) -> Result:
    if isinstance(call.arguments, dict) and "fail" in call.arguments:
        return Raised(CallError("no"))
    return Returned(call.arguments)


def seen(source: str, *results: object) -> Ran:
    """Run with these results, in order."""
    return drive(source, lambda call: Returned(results[call.index]))


class TestResultsBeforeTheirDelivery:
    SPIES: ClassVar = {
        "an index setter": (
            "Object.defineProperty(Object.prototype, 1, { set(v) { console.log(v) }, get() {} })"
        ),
        "array methods": (
            "Array.prototype.push = Array.prototype.shift = function (v) { console.log(v) }"
        ),
        "JSON.parse": (
            "const parse = JSON.parse; JSON.parse = (...a) => { console.log(a); return "
            "parse(...a) }"
        ),
        "a reviver": (
            "RegExp.prototype.exec = function (t) { console.log(t); return null }; "
            "BigInt = x => console.log(x)"
        ),
        "Map.get": (
            "const g = Map.prototype.get; Map.prototype.get = function (k) { "
            "console.log(k); return g.call(this, k) }"
        ),
        "Reflect.apply": "Reflect.apply = Function.prototype.call = (...a) => console.log(a)",
        "then": (
            "const t = Promise.prototype.then; Promise.prototype.then = function (a, b) "
            "{ return t.call(this, v => { console.log(v); a(v) }, b) }"
        ),
    }

    @pytest.mark.parametrize("spy", SPIES.values(), ids=SPIES)
    def test_nothing_of_a_result_is_seen_by_a_spy(self, spy: str) -> None:
        secret = 98765432109876543210
        run = start(f"{spy};\nget(1); get(2); await undefined; const x = await get(3); 0")
        waiting = run.proceed([])
        assert isinstance(waiting, Suspended)
        entries = [Entry(c.name, c.arguments, Returned({"s": secret})) for c in waiting.calls]
        assert all(str(secret) not in log.text for log in run.proceed(entries).logs)
        run.close()

    def test_a_journal_that_is_longer_than_the_batch_is_not_in_the_guest_yet(self) -> None:
        source = (
            "await get(1); const all = "
            "JSON.stringify(Object.getOwnPropertyNames(globalThis)); await get(2); all"
        )
        ran = seen(source, "one", "SECRET")
        assert "SECRET" not in ran.value


class TestEncodings:
    DEEP = "let deep = 1; for (let i = 0; i < 400; i++) deep = [deep];"
    SWAPS: ClassVar = {
        "a getter": "let n = 0; const v = { get a() { return n++ ? deep : 1 } }",
        "a proxy": (
            "let n = 0; const v = new Proxy({ a: 1 }, { get: (t, k) => (k === 'a' && n++ "
            "? deep : t[k]) })"
        ),
        "a proxy of an array": (
            "let n = 0; const v = new Proxy([1], { get: (t, k) => (k === '0' && n++ ? "
            "deep : t[k]) })"
        ),
        "an index setter": (
            "for (let i = 0; i < 9; i++) Object.defineProperty(Array.prototype, i, { get() {},"
            " set(o) { try { o.a = deep } catch {} } }); const v = { a: 1 }"
        ),
        "a prototype of arrays": (
            "Object.setPrototypeOf(Array.prototype, new Proxy({}, { has: () => false,"
            " set(t, k, o) { try { o.a = deep } catch {} return true } })); const v = { a: 1 }"
        ),
        "a patched iterator": (
            "Uint8Array.prototype.__proto__[Symbol.iterator] = function* () { yield deep "
            "}; const v = new Uint8Array([1])"
        ),
    }

    @pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
    def test_what_was_checked_is_what_is_written(self, swap: str) -> None:
        ran = drive(f"{self.DEEP} {swap}; await get(v); v", answer)
        assert ran.arguments in ([[{"a": 1}]], [[[1]]])

    def test_a_getter_is_called_once(self) -> None:
        assert drive("let n = 0; await get({ get a() { return n++ } }); n", answer).value == 1


class TestNames:
    def test_the_host_sees_the_true_name_of_an_undeclared_tool(self) -> None:
        forged = drive("await tools.delete_everything({})", answer)
        assert forged.names == [["delete_everything"]]

    @pytest.mark.parametrize(
        "forging",
        [
            "Object.defineProperty(get, 'name', { value: 'web_search' })",
            "Object.setPrototypeOf(get, webSearch)",
            "String.prototype.toString = () => 'web_search'",
            "tools.get = webSearch; globalThis.webSearch = null",
            "Object.defineProperty(tools, 'get', { value: webSearch, configurable: true })",
        ],
    )
    def test_a_tools_function_is_bound_to_its_name(self, forging: str) -> None:
        source = f"const mine = get; {forging};\nawait mine({{ a: 1 }})"
        assert drive(source, answer).names == [["get"]]

    def test_a_very_long_name_is_not_a_declared_one(self) -> None:
        (name,) = drive("await tools['get' + ' '.repeat(5000)]({})", answer).names[0]
        assert name != "get" and len(name) > 256


class TestResultsMeetTheirCalls:
    def test_calls_made_while_others_are_encoded_get_their_own_results(self) -> None:
        source = (
            "let inner; const outer = await get({ get a() { inner = get('inner'); return "
            "'outer' } }); [outer, await inner]"
        )
        ran = drive(source, answer)
        assert ran.arguments == [["inner", {"a": "outer"}]]
        assert ran.value == [{"a": "outer"}, "inner"]

    def test_calls_whose_encoding_fails_take_no_result(self) -> None:
        source = (
            "const bad = get({ get a() { get('x'); throw 1 } }).catch(() => 'bad'); "
            "const good = get('good');"
            "await Promise.all([bad, good])"
        )
        ran = drive(source, answer)
        assert ran.arguments == [["x", "good"]]
        assert ran.value == ["bad", "good"]

    def test_calls_made_during_delivery_are_the_next_batch(self) -> None:
        source = (
            "let n = 0; Object.defineProperty(Object.prototype, 'then', { configurable: true,"
            " get() { if (n++ === 1) get('during'); return undefined } })\n"
            "const all = await Promise.all([get({ a: 1 }), get({ b: 2 })]); JSON.stringify(all)"
        )
        ran = drive(source, answer)
        assert ran.value == '[{"a":1},{"b":2}]'
        assert ran.arguments[0] == [{"a": 1}, {"b": 2}]

    def test_a_result_is_each_calls_own_object(self) -> None:
        source = "const [a, b] = await Promise.all([get({ n: 1 }), get({ n: 1 })]); a.n = 2; [a, b]"
        assert drive(source, answer).value == [{"n": 2}, {"n": 1}]

    def test_a_settled_call_cannot_be_settled_again(self) -> None:
        source = (
            "const p = get(1); let r; const q = new Promise(x => { r = x }); p.then(r); r('mine');"
            "[await p, await q]"
        )
        assert drive(source, answer).value == [1, "mine"]


def test_encodings_do_not_disturb_each_other() -> None:
    source = """
    const show = () => { try { get(Symbol()) } catch {} ; console.log({ deep: [1] }) }
    const inner = { get x() { show(); return 1 } }
    const outer = { a: inner, b: { get y() { return get(inner), 2 } } }
    await get(outer)
    return outer
    """
    ran = drive(source, answer)
    assert ran.value == {"a": {"x": 1}, "b": {"y": 2}}
    assert {"a": {"x": 1}, "b": {"y": 2}} in [a for batch in ran.arguments for a in batch]


def test_a_programs_globals_are_gone_with_it() -> None:
    drive("globalThis.leak = 1; Object.prototype.leak = 2; Math.random = () => 0; get = null")
    assert drive("[typeof leak, ({}).leak ?? 0, Math.random() > 0, typeof get]").value == [
        "undefined",
        0,
        True,
        "function",
    ]
