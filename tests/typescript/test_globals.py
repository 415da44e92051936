"""What a program finds around it: the language, a few web functions, and nothing of the host."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.typescript.driving import drive

LANGUAGE = """
AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean
DOMException DataView Date DisposableStack Error EvalError Float16Array Float32Array Float64Array
Function Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN Number
Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol
SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet
decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN
parseFloat parseInt undefined unescape
""".split()
OURS = """
TextDecoder TextEncoder ToolError URL URLSearchParams atob btoa clearInterval clearTimeout console
crypto performance queueMicrotask setInterval setTimeout structuredClone text tools
""".split()
TOOLS = ["get", "webSearch", "web_search", "sendMail"]
ABSENT = """
Atomics Buffer Bun Deno FinalizationRegistry Intl SharedArrayBuffer WeakRef WebAssembly Worker
XMLHttpRequest __dirname alert document exports fetch gc global host import.meta localStorage module
navigator os print process require scriptArgs self setImmediate std window
""".replace("import.meta", "").split()


def test_the_globals_are_these_and_no_others() -> None:
    names = drive("Object.getOwnPropertyNames(globalThis)").value
    assert sorted(names) == sorted([*LANGUAGE, *OURS, *TOOLS])


def test_no_global_can_be_enumerated_or_hides_behind_a_symbol() -> None:
    source = "[Object.keys(globalThis), Object.getOwnPropertySymbols(globalThis).map(String)]"
    assert drive(source).value == [[], ["Symbol(Symbol.toStringTag)"]]


@pytest.mark.parametrize("name", ABSENT)
def test_there_is_no_such_global(name: str) -> None:
    assert drive(f"typeof {name}").value == "undefined"


@pytest.mark.parametrize(
    ("holder", "names"),
    [
        ("crypto", ["getRandomValues", "randomUUID"]),
        ("performance", ["now", "timeOrigin"]),
        ("get", ["length", "name"]),
    ],
)
def test_an_object_of_ours_has_only_these_properties(holder: str, names: list[str]) -> None:
    assert sorted(drive(f"Object.getOwnPropertyNames({holder})").value) == names


def test_the_harness_shows_no_source_of_its_own() -> None:
    source = "[get, console.log, setTimeout, structuredClone, Math.random].map(f => String(f))"
    assert all("[native code]" in shown for shown in drive(source).value)


CHANCE = (
    "[Math.random(), Math.random(), crypto.randomUUID(), "
    "[...crypto.getRandomValues(new Uint8Array(4))],"
    " Date.now(), new Date().toISOString(), performance.now(), performance.timeOrigin,"
    " [3, 1, 2].sort(() => Math.random() - 0.5)]"
)


def test_time_and_chance_are_these() -> None:
    first, second, uuid, numbers, now, iso, elapsed, origin, _ = drive(CHANCE).value
    assert (now, iso) == (1763200000000, "2025-11-15T09:46:40.000Z")
    assert (elapsed, origin) == (0, 1763200000000)
    assert 0 <= first < 1 and 0 <= second < 1 and first != second
    assert len(uuid) == 36 and uuid[14] == "4" and uuid[19] in "89ab"
    assert len(set(numbers)) > 1


def test_time_and_chance_are_the_same_in_another_process() -> None:
    root = Path(__file__).parents[2]
    code = f"from tests.typescript.driving import drive; print(drive({CHANCE!r}).outcome)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root}:{root / 'src'}", "TZ": "Asia/Tokyo"},
        check=True,
    )
    assert done.stdout.strip() == str(drive(CHANCE).outcome)


def test_chance_differs_by_the_programs_id() -> None:
    one, two = drive(CHANCE, id="one").value, drive(CHANCE, id="two").value
    assert one[:4] != two[:4]
    assert one[4:8] == two[4:8]


def test_chance_is_spread_evenly() -> None:
    source = (
        "const n = [0, 0, 0, 0]; for (let i = 0; i < 4000; i++) "
        "n[Math.floor(Math.random() * 4)]++; n"
    )
    assert all(900 < count < 1100 for count in drive(source).value)


def test_a_program_that_waits_by_looking_at_the_clock_gets_there() -> None:
    assert drive("const t = Date.now(); while (Date.now() - t < 5); 'done'").value == "done"


WEB: dict[str, object] = {
    (
        "new URL('../c?x=1&x=2#h', 'https://u:p@h.example:8080/a/b').href"
    ): "https://u:p@h.example:8080/c?x=1&x=2#h",
    "new URL('https://EXAMPLE.com:443/%7Efoo/../bar?q=ü#ß').href": "https://example.com/bar?q=%C3%BC#%C3%9F",
    "new URL('https://münchen.example').host": "xn--mnchen-3ya.example",
    "[...new URL('https://a.example/?x=1&y=2').searchParams]": [["x", "1"], ["y", "2"]],
    (
        "const u = new URL('https://a.example'); u.searchParams.set('q', 'a b&c'); u.href"
    ): "https://a.example/?q=a+b%26c",
    (
        "const u = new URL('https://a.example/x'); u.pathname = '/y z'; u.hash = 'h'; String(u)"
    ): "https://a.example/y%20z#h",
    "[URL.canParse('x:'), URL.canParse('nope')]": [True, False],
    "new URLSearchParams({ a: '1 2', b: 'ü&' }).toString()": "a=1+2&b=%C3%BC%26",
    "new URLSearchParams('?a=1&a=2&b').getAll('a')": ["1", "2"],
    "Array.from(new TextEncoder().encode('é€😀\\ud800'))": [
        195,
        169,
        226,
        130,
        172,
        240,
        159,
        152,
        128,
        239,
        191,
        189,
    ],
    "new TextEncoder().encodeInto('aé😀', new Uint8Array(4))": {"read": 2, "written": 3},
    "new TextDecoder().decode(new Uint8Array([239, 187, 191, 226, 130, 172]))": "€",
    (
        "new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array([239, 187, 191]))"
    ): "\ufeff",
    "new TextDecoder().decode(new Uint8Array([0xc0, 0x80, 0x41, 0xff]))": "\ufffd\ufffdA\ufffd",
    "new TextDecoder().decode(new Uint8Array([0xed, 0xa0, 0x80]))": "\ufffd\ufffd\ufffd",
    "new TextDecoder().decode(new Uint8Array([0xf0, 0x9f, 0x98]))": "\ufffd",
    "new TextDecoder().decode(new Uint8Array([0xf4, 0x90, 0x80, 0x80]))": "\ufffd" * 4,
    "new TextDecoder().decode(new Uint8Array([0x41, 0x42]).buffer)": "AB",
    "new TextDecoder().decode()": "",
    (
        "const d = new TextDecoder(); [0xe2, 0x82, 0xac].map(b => d.decode(new "
        "Uint8Array([b]), { stream: true }))"
    ): [
        "",
        "",
        "€",
    ],
    "btoa('é')": "6Q==",
    "atob(' 6Q = = ')": "é",
    "btoa(atob('AAECAwQ='))": "AAECAwQ=",
    (
        "structuredClone({ a: [1, new Date(0)], m: new Map([[1, new Set([2])]]) }).m.get(1).has(2)"
    ): True,
    "const a: any = {}; a.a = a; const b = structuredClone(a); b !== a && b.a === b": True,
    "structuredClone(new RangeError('x')) instanceof RangeError": True,
    "Object.prototype.toString.call(structuredClone(new Uint8Array(2)))": "[object Uint8Array]",
    "structuredClone(Object.create({ a: 1 }, { b: { value: 2, enumerable: true } }))": {"b": 2},
    "JSON.stringify({ a: [1, { b: 2 }] }, null, 1)": '{\n "a": [\n  1,\n  {\n   "b": 2\n  }\n ]\n}',
    "[...new Set([3, 1, 3])].toSorted()": [1, 3],
    (
        "new Date(2020, 0, 1).toISOString() + new Date().getTimezoneOffset()"
    ): "2020-01-01T00:00:00.000Z0",
    "'a-b-c'.replaceAll('-', '+')": "a+b+c",
    "[1, [2, [3]]].flat(Infinity)": [1, 2, 3],
    "Object.fromEntries(new Map([['a', 1]]))": {"a": 1},
    "'x'.padStart(3, 'ab')": "abx",
    "Array.from({ length: 3 }, (_, i) => i * i)": [0, 1, 4],
    "new Set([1, 2]).union(new Set([3])).size": 3,
    "[1, 2, 3].values().map(x => x * 2).toArray()": [2, 4, 6],
}


@pytest.mark.parametrize(("source", "value"), WEB.items())
def test_the_platform_gives_this(source: str, value: object) -> None:
    assert drive(source).value == value


THROWN = [
    ("new URL('nope')", "TypeError"),
    ("btoa('😀')", "InvalidCharacterError"),
    ("atob('Y')", "InvalidCharacterError"),
    ("structuredClone(() => 1)", "DataCloneError"),
    ("structuredClone(Symbol())", "DataCloneError"),
    ("new TextDecoder('latin1')", "RangeError"),
    ("new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]))", "TypeError"),
    ("setTimeout('code', 1)", "TypeError"),
    ("queueMicrotask(1)", "TypeError"),
    ("(1).toLocaleString('en-US', { style: 'currency' })", "TypeError"),
    ("(1).toLocaleString('en-US', { maximumFractionDigits: 101 })", "RangeError"),
]


@pytest.mark.parametrize(("source", "name"), THROWN)
def test_the_platform_refuses_this(source: str, name: str) -> None:
    assert drive(source).error.name == name
