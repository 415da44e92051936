"""User code shares its interpreter with our harness. Whatever it replaces, it gains nothing."""

import pytest

from coderelay.core import (
    Call,
    CallError,
    Completed,
    Failed,
    Raised,
    Result,
    Returned,
    Suspended,
)
from tests.typescript.driving import Ran, drive, replay

# Run before an honest program. Each must leave it as it is.
TAMPERING = {
    "nothing": "",
    "Map.prototype": (
        "for (const k of ['get', 'set', 'has', 'delete', 'forEach', 'size', 'clear'])"
        " Object.defineProperty(Map.prototype, k, { value() { throw 'Map ' + k } })"
    ),
    "WeakMap.prototype": (
        "for (const k of ['get', 'set', 'has']) WeakMap.prototype[k] = () => { throw k }"
    ),
    "Set.prototype": (
        "for (const k of ['forEach', 'has', 'add']) Set.prototype[k] = () => { throw k }"
    ),
    "Array.prototype": (
        "for (const k of Object.getOwnPropertyNames(Array.prototype)) if (k !== 'length')"
        " Object.defineProperty(Array.prototype, k, { value() { throw 'Array ' + k } })"
    ),
    "array iteration": (
        "Array.prototype[Symbol.iterator] = () => { throw 'iterator' };"
        "Object.getPrototypeOf([].values?.() ?? {}).next = () => { throw 'next' }"
    ),
    "array indices": (
        "for (let i = 0; i < 20; i++) Object.defineProperty(Array.prototype, i,"
        " { set(v) {}, get() {}, configurable: true })"
    ),
    "object indices": (
        "for (let i = 0; i < 20; i++) Object.defineProperty(Object.prototype, i,"
        " { set(v) { throw 'index' }, get() { throw 'index' }, configurable: true })"
    ),
    "object setters": (
        "for (const k of ['name', 'message', 'stack', 'kind', 'makers', 'resolve', "
        "'reject', 'error', 'tool',"
        " 'id', 'callback', 'rest', 'due', 'period', 'root', 'trail', 'open', 'seed', 'tools'])"
        " Object.defineProperty(Object.prototype, k, { set(v) { throw k }, get() { "
        "throw k }, configurable: true })"
    ),
    "object descriptors": (
        "for (const k of ['get', 'set', 'value', 'writable', 'enumerable', 'configurable'])"
        " Object.prototype[k] = 1"
    ),
    "Promise.prototype": (
        "for (const k of ['then', 'catch', 'finally'])"
        " Object.defineProperty(Promise.prototype, k, { value() { throw k } })"
    ),
    "Promise's own": (
        "for (const k of ['resolve', 'reject', 'all', 'race', 'withResolvers', 'try'])"
        " Object.defineProperty(Promise, k, { value() { throw k } })"
    ),
    "Promise itself": "globalThis.Promise = class { constructor() { throw 'Promise' } }",
    "JSON": "JSON.parse = JSON.stringify = () => { throw 'JSON' }; globalThis.JSON = null",
    "Reflect and Object": (
        "for (const o of [Reflect, Object]) for (const k of Object.getOwnPropertyNames(o))"
        " if (typeof o[k] === 'function' && k !== 'defineProperty')"
        " Object.defineProperty(o, k, { value() { throw k } })"
    ),
    "Function.prototype": (
        "for (const k of ['call', 'apply', 'bind']) Function.prototype[k] = () => { throw k }"
    ),
    "String.prototype": (
        "for (const k of Object.getOwnPropertyNames(String.prototype)) if (k !== 'length')"
        " String.prototype[k] = () => { throw k }"
    ),
    "Number and Boolean": (
        "for (const o of [Number, Boolean]) { o.prototype.toString = "
        "o.prototype.valueOf = () => { throw 1 } }"
    ),
    "RegExp.prototype": "RegExp.prototype.exec = RegExp.prototype.test = () => { throw 'exec' }",
    "Date": (
        "Date.now = () => { throw 'now' }; Date.prototype.toISOString = () => { "
        "throw 'iso' }; globalThis.Date = null"
    ),
    "Math": "Math.random = () => 4; globalThis.Math = null",
    "Error": (
        "Error.stackTraceLimit = 10; Error.prepareStackTrace = () => { throw 'prepare' };"
        "Error.captureStackTrace = () => { throw 'capture' }; globalThis.Error = "
        "null; globalThis.ToolError = null"
    ),
    "Symbol": "globalThis.Symbol = null",
    "Proxy": "globalThis.Proxy = null",
    "toJSON everywhere": (
        "Object.prototype.toJSON = undefined; Array.prototype.toJSON = () => 'pwn'; "
        "String.prototype.toJSON = () => 'pwn'"
    ),
    "globals": (
        "const keep = ['get', 'console', 'globalThis', 'undefined', 'NaN', 'Infinity'];"
        "for (const k of Object.getOwnPropertyNames(globalThis)) if "
        "(!keep.includes(k)) globalThis[k] = null"
    ),
    "timers": (
        "globalThis.setTimeout = null; globalThis.queueMicrotask = null; "
        "globalThis.performance = null"
    ),
    "frozen prototypes": (
        "for (const o of [Object, Array, Promise, Map, Error]) Object.freeze(o.prototype)"
    ),
    "no prototypes": (
        "Object.setPrototypeOf(Array.prototype, null); Object.setPrototypeOf(Error.prototype, null)"
    ),
}

HONEST = """
const first = await get({ n: 1, list: [1, { a: 'b' }], big: 12345678901234567890n })
let caught = ''
try { await get({ fail: 'no' }) } catch (e) { caught = e.message }
console.log('seen', first.n, [1, { a: 2 }])
return { first, caught, pair: [await get(2), await get('x')] }
"""


def answer(call: Call) -> Result:
    if isinstance(call.arguments, dict) and "fail" in call.arguments:
        return Raised(CallError("no"))
    return Returned(call.arguments)


@pytest.fixture(scope="module")
def expected() -> Ran:
    return drive(HONEST, answer)


@pytest.mark.parametrize("tampering", TAMPERING.values(), ids=TAMPERING)
def test_an_honest_program_is_the_same_after_tampering(tampering: str, expected: Ran) -> None:
    ran = drive(f"{tampering};\n{HONEST}", answer)
    assert ran.value == expected.value
    assert ran.logs == expected.logs
    assert ran.arguments == expected.arguments


@pytest.mark.parametrize("tampering", TAMPERING.values(), ids=TAMPERING)
def test_a_replay_after_tampering_is_the_live_run(tampering: str) -> None:
    source = f"{tampering};\n{HONEST}"
    ran = drive(source, answer)
    assert replay(source, ran.journal) == ran.outcome
    half = replay(source, ran.journal[:2])
    assert isinstance(half, Suspended)
    assert half.fuel < ran.outcome.fuel


# What a hostile program may do to itself: end in any way, but the same way live and replayed.
HOSTILE = {
    "a then for every object": (
        "Object.prototype.then = function (r) { r('pwn') }; await get({ a: 1 })"
    ),
    "a then that never settles": "Object.prototype.then = () => {}; await get({ a: 1 })",
    "a then that throws": (
        "Object.defineProperty(Object.prototype, 'then', { get() { throw 1 } }); "
        "await get({ a: 1 })"
    ),
    "a then that calls": (
        "let n = 0; Object.defineProperty(Object.prototype, 'then',"
        " { get() { if (n++ < 3) get('from then ' + n); return undefined } }); await get({ a: 1 })"
    ),
    "a promise's own constructor": (
        "const p = get(1); p.constructor = { [Symbol.species]: function (f) { f(() "
        "=> {}, () => {}) } }; p"
    ),
    "a promise that lies of its class": "const p = get(1); Object.setPrototypeOf(p, null); p",
    "a subclass of Promise": (
        "class P extends Promise { then(a, b) { return super.then(x => a('pwn'), b) "
        "} }; P.resolve(get(1))"
    ),
    "Promise's species": (
        "Object.defineProperty(Promise, Symbol.species, { get() { throw 'species' } "
        "}); await get(1)"
    ),
    "a setter of indices that throws": (
        "Object.defineProperty(Array.prototype, 0, { set(v) { throw 'index' }, "
        "configurable: true }); await get({ a: 1 })"
    ),
    "constructor of all promises": (
        "Object.defineProperty(Promise.prototype, 'constructor', { get() { throw 'c' "
        "} }); await get(1)"
    ),
    "a getter that tampers while it is encoded": (
        "await get({ get a() { Array.prototype.push = null; JSON.stringify = null; "
        "return 1 }, b: 2 })"
    ),
    "a getter that calls while it is encoded": (
        "await get({ get a() { get('inner'); return 'outer' } })"
    ),
    "a proxy that lies of its keys": (
        "await get(new Proxy({}, { ownKeys: () => ['a', 'a'.repeat(3)],"
        " getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),"
        " get: (t, k) => (k === 'toJSON' ? undefined : String(k)) }))"
    ),
    "an array that changes its length": (
        "const a = [1, 2, 3]; Object.defineProperty(a, 0, { get() { a.length = 1; "
        "return 0 } }); await get(a)"
    ),
    "an error that changes": (
        "const e = new Error('x'); Object.defineProperty(e, 'message', { get: () => "
        "Math.random() }); throw e"
    ),
    "an error that calls": (
        "throw { get message() { get('from message'); return 'm' }, __proto__: Error.prototype }"
    ),
    "a rejection that calls when it is shown": (
        "Promise.reject({ get a() { get('from a log'); return 1 } }); 1"
    ),
    "a log that calls": "console.log({ get a() { get('from a log'); return 1 } }); 1",
    "a value that calls": "({ get a() { get('from a value'); return 1 } })",
    "a value that changes what was called": "const a = { n: 1 }; get(a); a.n = 2; a",
    "a timer that tampers": (
        "setTimeout(() => { Map.prototype.get = null }, 1); await new Promise(r => "
        "setTimeout(r, 2)); await get(1)"
    ),
    "a delay that calls": (
        "setTimeout(() => {}, { valueOf() { get('from a delay'); return 1 } }); 1"
    ),
    "throwing in every callback": (
        "for (const f of [setTimeout, queueMicrotask]) f(() => { throw { get a() { "
        "throw 1 } } }); await 1; 1"
    ),
    "deleting the tools": (
        "for (const k of ['get', 'tools', 'console', 'text']) delete globalThis[k]; typeof get"
    ),
    "naming tools oddly": (
        "await Promise.all(['', '__proto__', 'constructor ', '\\0', '\\ud800', "
        "'get\\n', '😀'].map(n => tools[n](n)))"
    ),
    "a random order": (
        "const a = []; for (const i of [1, 2, 3].sort(() => Math.random() - 0.5)) "
        "a.push(await get(i)); a"
    ),
    "order of keys": (
        "Object.keys(Object.fromEntries((await get(['b', 'a', '1', 'c'])).map(k => [k, 1])))"
    ),
    "stack overflow in a call": (
        "const f = () => { try { return f() } catch { return get({ a: 1 }) } }; await f()"
    ),
    "stack overflow in a getter of a call": (
        "const o = { get a() { return get(o), 1 } }; try { await get(o) } catch (e) { e.name }"
    ),
    "memory that ends in a call": (
        "const a = []; try { for (;;) a.push(new Uint8Array(1e6)) } catch {} await get({ a: 1 })"
    ),
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_program_ends_the_same_live_and_replayed(source: str) -> None:
    ran = drive(source, answer)
    assert isinstance(ran.outcome, Completed | Failed)
    assert replay(source, ran.journal) == ran.outcome
    assert [call.index for batch in ran.batches for call in batch] == list(range(len(ran.journal)))
