"""A failure never names a wrong line, even if QuickJS reports one."""

import pytest

from tests.typescript.driving import drive

# source with ‸ at the line that the failure names; QuickJS itself names another, or an argument
LINES = {
    "an object pattern": "const r = await get(null);\ntext('x');\n‸const { a } = r;",
    "an array pattern": "const r = await get(null);\ntext('x');\n‸const [a] = r;",
    "a pattern in a pattern": "const i: any = {};\ntext('x');\n‸const { list: [first] } = i;",
    "a pattern over lines": "text('x')\nconst ‸{\n  a: { b },\n} = { a: undefined };",
    "a pattern with a rest": "text('x')\nconst ‸{\n  a,\n  ...rest\n} = null;",
    "a pattern of an answer": (
        "const f = async () => {\n  text('q');\n  ‸const { a } = await get(null);\n}\nawait f()"
    ),
    "a pattern first in a function": (
        "text('a');\nconst f = async () => {\n  ‸const { a } = await get(null);\n}\nawait f()"
    ),
    "a pattern first in a program with return": "‸const { a } = await get(null);\nreturn a;",
    "a pattern in main": (
        "async function main() {\n  const r = await get(null);\n  ‸const { a } = r;\n}"
    ),
    "a pattern in a method": "class A {\n  m(x) {\n    ‸const [a] = x;\n  }\n}\nnew A().m(1)",
    "a pattern after a closure": (
        "text('a');\nconst f = (x: any) => {\n  const { q } = x;\n};\n‸const { a } = null;"
    ),
    "a pattern beside an enum": "enum E { A }\ntext(E.A);\n\n‸const { a } = await get(null);",
    "a pattern after wide characters": "text('中😀');\n/* é */ ‸const { a } = await get(null);",
    "a parameter": "text('a');\nconst f = (‸{ a }) => a;\ntext('b');\nf(null);",
    "a parameter over lines": (
        "async function f(\n  ‸{ a }: any,\n  b?: any) {\n  return a\n}\nawait f(undefined);"
    ),
    "a callback's parameter": "text('a');\n[null].map(\n  (‸{ a }) => a,\n)",
    "a callback's first statement": "[1].map(\n  (a, b) => {\n    ‸const { c } = null;\n  })",
    "a pattern in a callback": (
        "await Promise.all([1].map(async (i: any) => {\n  text('q')\n  ‸const [a] = i;\n}));"
    ),
    "a pattern in a loop": (
        "for (const k of Object.keys({ a: 1 })) {\n  ‸const { b } = (k as any)[5];\n}"
    ),
    "a loop's pattern": "text('x');\n‸for (const [k, v] of [1]) {}",
    "a loop over a number": "text('x')\n‸for (const x of 5) {}",
    "a loop over a call's value": "const f = (x) => x;\ntext(1);\nfor (const x of ‸f(\n  5)) {}",
    "a caught error's pattern": "try {\n  null.x\n} catch (‸{ message: { z: { q } } }) {}",
    "an assigned pattern": "let a, b;\ntext('x');\n‸[a, b] = null;",
    "a spread": "const y = 1;\nconst x = [\n  1,\n  ‸...y\n];",
    "a spread call": "const f = () => 5;\nconst x = [\n  1,\n  ‸...f(),\n];",
    "no constructor above": "class B extends null {}\ntext('x');\n‸new B()",
    "no method": "const o: any = {};\n‸o.foo(\n  String(1),\n  2)",
    "no method, with a callback": "const a = ‸[1].mapp(\n  (x) => x,\n)",
    "no method in a chain": "const x = [1];\nx\n  .map(y => y)\n  ‸.foo(z =>\n    z)",
    "no method first in a chain": "const x = {};\nx\n  ‸.foo()\n  .bar()",
    "no optional method": "const g = {};\ntext('a')\n‸g?.foo(\n  1)",
    "no method by index": "const fs = [1];\n‸fs[0](\n  String(2))",
    "no function": "let a;\ntext('x');\n‸a(\n);",
    "no function in a condition": "let a;\ntext('x');\n‸if (a(\n  1)) {}",
    "no function, of an object": "let a, x = 1;\n‸a({\n  b: x,\n  c: [\n    x + 1],\n})",
    "no function, of an answer": "let a;\n‸a(\n  await get(1))",
    "no class": "const Q: any = 5;\n‸new Q(\n  String(1))",
    "a tag that is no function": "let g;\ntext('a')\n‸g`x`",
    "a method of the language": "text('a');\n‸Object.keys(\n  null)",
    "a parser of the language": "text('a');\n‸JSON.parse(\n  String('{'))",
    "a string's method": "text('a');\n‸'x'.repeat(\n  Number(-1))",
    "a property of a call's value": "const f = (x) => null;\nf(\n  String(1),\n)‸.foo;",
    "an error with a cause": "‸throw new Error('a',\n  { cause: new Error('b') })",
    "an argument without a name": "get(\n  String(1),\n  ‸nope)",
    "no method of an answer": ("const o = {v: await get(1)};\n(‸await get(o)).foo(\n  2)"),
    "no function, of a method": ("let foo;\n‸foo({\n  m() { return foo },\n  n: 1 })"),
    "no function, of an arrow": (
        "let foo;\n‸foo({\n  m: async (x) => {\n    return x },\n  n: 1 })"
    ),
    "no method at a chain's end": (
        "const xs = [{a:1}];\nconst r = xs\n  .filter((x) => x.a)\n"
        "  .map((x) => ({ ...x, b: 1 }))\n  ‸.toObject(\n    (x) => x.b,\n  );"
    ),
    "no method in a callback": (
        "const xs = [{a:1}];\nconst r = xs.map((x) => {\n  const y = x.a;\n"
        "  return ‸y.trim(\n  );\n});"
    ),
    "no method of an object": (
        "const xs = {items: [1]};\nconst n = ‸xs.map((x) => {\n  const y = x.a;\n"
        "  return String(y);\n});"
    ),
    "a loop over an object": ("const xs = {items: [1]};\nfor (const x of ‸xs) {\n  text(x);\n}"),
    "a loop with a pattern over an object": (
        "const xs = {items: [1]};\nfor (const [k, v] of ‸xs) {\n  text(k);\n}"
    ),
    "a loop over a function": (
        "const xs = {items: [1]};\nconst y = 1;\n\nfor (const x of ‸xs.items.entries) {\n"
        "  const { a } = x;\n}"
    ),
    "a pattern after a call": (
        "const f = async (x) => {\n  const r = await get(x);\n  return r;\n};\n"
        "const q = await f(null);\nconst z = 5;\n‸const { a, b } = q;\ntext(a);"
    ),
    "a pattern of a chain": (
        "const f = async (x) => {\n  const r = await get(x);\n  return r;\n};\n"
        "const ‸[a, b] = await Promise.all([\n  f(1),\n  f(2),\n].map(x => x)).then(() => null);"
    ),
    "a pattern after a pattern": (
        "const [a, b] = await Promise.all([\n  get(1),\n  get({ x: null }),\n]);\n"
        "‸const { x: { y } } = b;"
    ),
    "a pattern in a branch": (
        "const r = await get({ a: 1 });\nif (r.a) {\n  const q = r.b;\n  ‸const { c } = q;\n}"
    ),
    "a pattern in a case": (
        "const r = await get({ a: 1 });\nswitch (r.a) {\n  case 1:\n    ‸const [c] = r.b;\n}"
    ),
    "a pattern in a while": (
        "const r = await get({ a: 1 });\nwhile (r.a) {\n  ‸const { c } = r.b;\n}"
    ),
    "a second parameter": (
        "const r = await get({ a: 1 });\nconst f = function ({ x }, ‸[y]) {\n  return x;\n"
        "};\nf(r, 1);"
    ),
    "a pattern in an object's method": (
        "const r = await get({ a: 1 });\nconst o = {\n  f(x) {\n    ‸const { c } = x.b;\n"
        "  },\n};\no.f(r);"
    ),
    "a pattern after an await in a method": (
        "const r = await get({ a: 1 });\nclass Q {\n  async f(x) {\n    await get(1);\n"
        "    ‸const { c } = x.b;\n  }\n}\nawait new Q().f(r);"
    ),
    "an assigned object pattern": (
        "const r = await get({ a: 1 });\nlet c;\ntext(r);\n‸({ c } = r.b);"
    ),
    "an assigned array pattern": (
        "const r = await get({ a: 1 });\nlet c, d;\ntext(r);\n‸[c, d] = r.b;"
    ),
    "a callback's parameter on a line": (
        "const r = await get({ a: 1 });\nconst rows = r.rows ?? [1];\n"
        "const out = rows.map(‸([k, v]) => ({\n  k,\n  v,\n}));"
    ),
    "a pattern in a counting loop": (
        "const r = await get({});\nfor (let i = 0; i < 3; i++) {\n  ‸const { c } = r.b;\n}"
    ),
    "a pattern after a counting loop": (
        "for (let i = 0; i < 3; i++) {\n  const { c } = { c: 1 };\n}\n‸const { d } = null;"
    ),
    "an argument's property": "const x: any = {};\nget(\n  1,\n  ‸x.y.z)",
}


@pytest.mark.parametrize("marked", LINES.values(), ids=LINES)
def test_a_failure_that_quickjs_misplaces_names_its_line(marked: str) -> None:
    error = drive(marked.replace("‸", "")).error
    assert error.line == marked.split("‸")[0].count("\n") + 1


@pytest.mark.parametrize(
    "source",
    [
        "let f, g;\nf(\n  g(1))",
        "for (const row of [{}]) {\n  const [a] = row.cells;\n}",
        "text(1);\nfor await (const x of 5) {}",
        "const { a } = {};\nconst { b } = a;",
    ],
)
def test_a_failure_that_may_be_on_two_lines_names_neither(source: str) -> None:
    error = drive(source).error
    assert (error.line, error.column, error.frame) == (None, None, "")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("const o = {};\no.foo(\n  String(1))", "o.foo is not a function"),
        ("[1].mapp(x => x)", "[1].mapp is not a function"),
        ("const o = {};\no\n  .foo()", "o.foo is not a function"),
        ("const o = {};\no['a b'](1)", "o['a b'] is not a function"),
        ("let f, g;\nf(\n  g(1))", "g or f is not a function"),
        ("[1].map(5)", "not a function"),
        ("throw new TypeError('not a function')", "not a function"),
    ],
)
def test_a_value_that_is_not_a_function_is_named(source: str, message: str) -> None:
    assert drive(source).error.message == message


def test_a_stack_names_the_lines_of_calls_and_not_of_their_arguments() -> None:
    source = """function check(x: string, y: number) {
  throw new RangeError('too far')
}
const all = (x: number) => [x].map(
  (each) => check(
    String(each),
    each,
  ),
)
all(
  Number(1),
)"""
    stack = drive(source).error.stack
    assert [frame.split(":")[-2] for frame in stack.splitlines()] == ["2", "5", "4", "10"]
