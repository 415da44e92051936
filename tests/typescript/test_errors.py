"""A failure refers to the source that the model wrote."""

import pytest

from coderelay.core import CallError, Raised
from tests.typescript.driving import drive

# source with ‸ before the place that the failure names
PLACES = {
    "at the top level": "const a = 1\n  throw new ‸Error('x')",
    "on the first line": "let f: any = 5; ‸f()",
    "in a helper": "function a() {\n  b()\n}\nfunction b() {\n  throw new ‸Error('x')\n}\na()",
    "in an async function": (
        "async function a() {\n  await get({})\n  throw new ‸Error('x')\n}\nawait a()"
    ),
    "in a callback": "[1].map(x => {\n  throw new ‸Error('x')\n})",
    "in a constructor": "class A {\n  constructor() {\n    throw new ‸Error('x')\n  }\n}\nnew A()",
    "in a getter": "const o = {\n  get x() { throw new ‸Error('x') }\n}\no.x",
    "in a getter of the value": "const o = {\n  get x() { throw new ‸Error('x') }\n}\no",
    "in a getter of an argument": "await get({\n  get x() { throw new ‸Error('x') }\n})",
    "in a setter": "const o = { set x(v) {\n throw new ‸Error('x') } }\no.x = 1",
    "in toJSON": "({\n  toJSON() { throw new ‸Error('x') }\n})",
    "in a generator": "function* g() {\n  yield 1\n  throw new ‸Error('x')\n}\n[...g()]",
    "in a timer that main waits for": (
        "await new Promise((_, no) => setTimeout(() => {\n  no(new ‸Error('x'))\n}, 1))"
    ),
    "in a microtask": "await Promise.resolve().then(() => {\n  throw new ‸Error('x')\n})",
    "in a class of one's own": (
        "class My extends Error {}\nfunction f() {\n  throw new ‸My('x')\n}\nf()"
    ),
    "in a class with a constructor": (
        "class A extends Error {\n  constructor(m) { super(m); this.name = 'A' }\n}\n"
        "class B extends A {}\n\nthrow new ‸B('x')"
    ),
    "in main": "async function main() {\n  const x: any = null\n  return ‸x.y\n}",
    "with top-level return": "const x: any = null\nif (x) return 1\nreturn ‸x.y",
    "with top-level return on the first line": "return ‸nope",
    "after types": "const x: Record<string, { a: number }> = {};   const y: string = ‸nope",
    "after a type over lines": "type A = {\n  a: number\n}\nlet b = 1; ‸nope",
    "beside an enum": "enum E { A }\nlet x = 1;   let y: string = ‸nope",
    "behind an enum on a line": "enum E { A, B = 'b' } let y: number = ‸nope",
    "in a namespace": (
        "namespace N {\n  export function f() {\n    throw new ‸Error('x')\n  }\n}\nN.f()"
    ),
    "with parameter properties": (
        "class P {\n  constructor(private x: number) {\n    if (x) throw new "
        "‸Error('x')\n  }\n}\nnew P(1)"
    ),
    "beside an enum, with return": "enum E { A }\n\nif (E.A) return 1\nreturn ‸nope",
    "in an exported main": "export default async function main() {\n  return ‸nope\n}",
    "in a fence": "```ts\n\n  ‸nope\n```",
    "after characters beyond ASCII": "const s: 'é😀' = 'é😀中'; ‸nope",
    "after characters beyond ASCII, with an enum": "enum E { A } const s: '😀' = '中'; ‸nope",
    "after tabs": "\t\tlet x\t=\t‸nope",
    "with windows lines": "let a = 1;\r\nlet b: number = 2;\r\n  ‸nope",
    "behind a first line for the shell": "#!/usr/bin/env node\n‸nope",
    "in a property of undefined": "const a: any = { b: 1 }\nconst c = ‸a.c.d",
    "in an assignment to a constant": "const a = 1\n‸a = 2",
    "in a tool": "const a = 1\nawait ‸get({ fail: 'x' })",
    "in a tool on the first line": "await ‸get({ fail: 'x' })",
    "in a tool, later": "const p = ‸get({ fail: 'x' })\nawait get(1)\nawait p",
    "in a tool, caught and thrown on": (
        "try {\n  await ‸get({ fail: 'x' })\n} catch (e) {\n  throw e\n}"
    ),
    "in a tool in a helper": (
        "const f = async () => {\n  return await ‸get({ fail: 'x' })\n}\nawait f()"
    ),
    "in a tool after another": "await get(1)\nawait get(2)\nawait ‸get({ fail: 'x' })",
    "in one of several tools": "await Promise.all([\n  get(1),\n  ‸get({ fail: 'x' }),\n])",
    "in an argument that is no data": "const a = 1\nawait ‸get(Symbol.iterator)",
    "in a tool called over lines": "const q = 1\nawait ‸get({\n  fail: q,\n  other: q,\n})",
    "in a tool of many, over lines": (
        "const q = [1]\nawait Promise.all(q.map(x => ‸get({\n  fail: String(x),\n})))"
    ),
    "in a tool with type arguments": (
        "const q = 1\nawait tools.‸get<Array<string>>(\n  { fail: q },\n)"
    ),
    "in an error made over lines": "const q = 1\nthrow new ‸Error(\n  `a ${q}`,\n)",
    "in a finally": "try { get(1) } finally {\n  ‸nope\n}",
    "in a syntax error": "const a = 1\nlet x = (‸;",
    "in a syntax error after tabs": "\t\tlet x = (‸;",
    "in a syntax error after wide characters": "'中😀'; let x = (‸;",
    "in a syntax error with return": "return (‸;",
    "in a syntax error in a fence": "```\nlet x = (‸;\n```",
    "in a string without end": "const a = 1\nconst b = ‸'abc",
    "in a program without end": "function main() { return 1‸",
    "in a program without end, over lines": "const main = async () => {\n  await get(1)\n‸",
    "in an early error": "let x = 1\nlet x ‸= 2",
}


@pytest.mark.parametrize("marked", PLACES.values(), ids=PLACES)
def test_a_failure_names_its_line_and_column(marked: str) -> None:
    before = marked.split("‸")[0]
    error = drive(marked.replace("‸", "")).error
    assert (error.line, error.column) == (before.count("\n") + 1, len(before.split("\n")[-1]) + 1)


def test_a_frame_shows_the_lines_around_the_place() -> None:
    error = drive("// one\n// two\n// three\n  nope()\n// five\n// six\n// seven").error
    assert error.frame == "\n".join(
        [
            "  2 | // two",
            "  3 | // three",
            "> 4 |   nope()",
            "    |   ^",
            "  5 | // five",
            "  6 | // six",
        ]
    )


def test_a_stack_has_only_the_models_own_frames() -> None:
    source = """function check(x: number) {
  throw new RangeError('too far')
}
async function main() {
  await get(1);
  [1].forEach(check)
}"""
    error = drive(source).error
    assert error.stack == "at check (program.ts:2:13)\nat main (program.ts:6:7)"
    assert (error.kind, error.name, error.message) == ("exception", "RangeError", "too far")


def test_a_stack_is_short() -> None:
    error = drive("function f(n: number): number { return n ? f(n - 1) : nope }\nf(100)").error
    assert len(error.stack.splitlines()) == 10


# source, name, message
THROWN = [
    ("throw new Error('m')", "Error", "m"),
    ("throw new TypeError()", "TypeError", ""),
    ("class My extends Error { name = 'My' }\nthrow new My('m')", "My", "m"),
    ("throw 'text'", "Thrown", "text"),
    ("throw { a: 1 }", "Thrown", '{"a":1}'),
    ("throw null", "Thrown", "null"),
    ("throw undefined", "Thrown", "undefined"),
    ("throw 5n", "Thrown", "5n"),
    ("throw Symbol('s')", "Thrown", "Symbol(s)"),
    ("throw () => 1", "Thrown", "[Function anonymous]"),
    (
        "throw Promise.reject(1).catch(() => 1)",
        "TypeError",
        "cannot throw a promise: it was used without `await`: write `await …`",
    ),
    (
        "throw new Error('out', { cause: new TypeError('in') })",
        "Error",
        "out (caused by TypeError: in)",
    ),
    ("throw new Error('out', { cause: 'text' })", "Error", "out"),
    (
        (
            "let e = new Error('0'); for (let i = 1; i < 9; i++) e = new Error(i, { "
            "cause: e }); throw e"
        ),
        "Error",
        "8 (caused by Error: 7 (caused by Error: 6 (caused by Error: 5 (caused by Error: 4))))",
    ),
    (
        "throw new AggregateError([1, 2, 3, 4, 5, 6], 'many')",
        "AggregateError",
        "many; 1; 2; 3; 4; … 2 more",
    ),
    (
        "throw new AggregateError([new Error('a'), 5], 'many')",
        "AggregateError",
        "many; Error: a; 5",
    ),
    (
        "await Promise.any([get({ fail: 'one' }), get({ fail: 'two' })])",
        "AggregateError",
        "ToolError: one; ToolError: two",
    ),
    ("throw new Error('a\\nb\\0\\u2028')", "Error", "a\nb\0\u2028"),
    ("throw new Error('\\ud800')", "Error", "\ud800"),
    ("throw new Error('x'.repeat(20000))", "Error", "x" * 8000 + "…"),
    (
        "throw { get message() { throw 1 }, __proto__: Error.prototype }",
        "Thrown",
        "an error that cannot be shown",
    ),
    (
        "throw new Proxy({}, { getPrototypeOf() { throw 1 } })",
        "Thrown",
        "an error that cannot be shown",
    ),
    (
        "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy",
        "Thrown",
        "an error that cannot be shown",
    ),
    ("nope", "ReferenceError", "nope is not defined"),
    ("null.x", "TypeError", "cannot read property 'x' of null"),
    ("await Promise.reject(new RangeError('r'))", "RangeError", "r"),
    ("throw new DOMException('d', 'AbortError')", "AbortError", "d"),
    ("throw new ToolError('mine')", "ToolError", "mine"),
]


@pytest.mark.parametrize(("source", "name", "message"), THROWN)
def test_thrown_values_are_reported_like_this(source: str, name: str, message: str) -> None:
    error = drive(source).error
    assert (error.kind, error.name, error.message) == ("exception", name, message)


@pytest.mark.parametrize(
    ("source", "nearest"),
    [
        ("webSerch({})", "webSearch"),
        ("await web_serch({})", "webSearch"),
        ("sendmail({})", "sendMail"),
        ("gett({})", "get"),
        ("Get({})", "get"),
    ],
)
def test_a_name_that_nothing_has_suggests_the_nearest_tools(source: str, nearest: str) -> None:
    message = drive(source).error.message
    assert message.endswith(f"there is no such tool or variable; nearest tools: {nearest}")


@pytest.mark.parametrize("source", ["fetch('x')", "require('x')", "process.exit()", "x", "nope.y"])
def test_a_name_like_no_tool_suggests_nothing(source: str) -> None:
    assert drive(source).error.message.endswith("is not defined")


def test_a_call_that_the_host_refused_is_a_failure_of_its_arguments() -> None:
    error = CallError("query: expected string", name="ArgumentsError", kind="arguments")
    failure = drive("let a = 1\nawait get({ query: 1 })", lambda call: Raised(error)).error
    assert (failure.kind, failure.name, failure.line) == ("arguments", "ArgumentsError", 2)


def test_the_stack_of_a_tool_error_has_none_of_our_frames() -> None:
    stack = drive("try { await get({ fail: 'x' }) } catch (e) { e.stack }").value
    assert isinstance(stack, str)
    assert stack.split()[:2] == ["at", "<eval>"]


def test_a_long_path_is_cut_in_the_middle() -> None:
    error = drive("let o = {}; for (let i = 0; i < 300; i++) o = { a: o }\no").error
    assert error.message.startswith("value.a.a.a….a.a.a is nested more than 256 levels deep")


def test_a_wrapped_tool_error_tells_its_cause() -> None:
    source = (
        "try { await get({ fail: 'down' }) } catch (e) { throw new Error('step 2', { cause: e }) }"
    )
    assert drive(source).error.message == "step 2 (caused by ToolError: down)"


SYNTAX = [
    ("const x = {;", "Unexpected token `;`"),
    ("foo(", "Expression expected"),
    ("let a = 'abc", "Unterminated string constant"),
    ("/*", "Unterminated block comment"),
    ("export default `a\\", "Unterminated template"),
    ("if (x {}", "Expected ')', got '{'"),
    ("const a", "'const' declarations must be initialized"),
    ("break", "A 'break' statement can only be used within"),
    ("const x: = 5", "Unexpected token `=`"),
    ("let x = 1; let x = 2", "invalid redefinition of lexical identifier"),
]


@pytest.mark.parametrize(("source", "message"), SYNTAX)
def test_a_syntax_error_says_what_is_wrong(source: str, message: str) -> None:
    error = drive(source).error
    assert (error.kind, error.name) == ("syntax", "SyntaxError")
    assert message in error.message
    assert error.line == 1


def test_a_syntax_error_in_evaluated_text_is_an_exception_of_the_program() -> None:
    error = drive("eval('(')").error
    assert (error.kind, error.name, error.line) == ("exception", "SyntaxError", 1)


def test_a_stack_that_a_program_wrote_itself_gains_it_nothing() -> None:
    source = (
        "const e = new Error('x')\n"
        "e.stack = 'at a (program.ts:99:1)\\nat b (/etc/passwd:1:1)\\n' + 'at '.repeat(99999)\n"
        "throw e"
    )
    error = drive(source).error
    assert (error.line, error.stack, error.frame) == (None, "", "")
