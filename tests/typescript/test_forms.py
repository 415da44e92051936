"""A program may be written in any of the forms that models write."""

import pytest

from tests.typescript.driving import drive

VALUES = {
    "an exported main": ("export async function main() { return 4 }", 4),
    "a default main": ("export default async function main() { return 4 }", 4),
    "a nameless default function": ("export default async function () { return 4 }", 4),
    "a nameless default function that is not async": ("export default function () { return 4 }", 4),
    "a default arrow": ("export default async () => 4", 4),
    "a default arrow in brackets": ("export default (async () => 4)", 4),
    "a default expression": ("export default 2 + 2", 4),
    "a default object": ("export default { a: 4 }", {"a": 4}),
    "a default awaited call": ("export default await get({ a: 4 })", {"a": 4}),
    "main defined and then exported": ("async function main() { return 4 }\nexport { main }", 4),
    "main exported before it is defined": (
        "export { main };\nasync function main() { return 4 }",
        4,
    ),
    "main exported as the default": ("async function main() { return 4 }\nexport default main;", 4),
    "an exported constant main": ("export const main = async (): Promise<number> => 4", 4),
    "several exports": (
        "export type A = { a: 1 }; export interface B {}\n"
        "export function help() { return 4 }\nexport async function main() { return help() }",
        4,
    ),
    "main": ("async function main() { return 4 }", 4),
    "main that is not async": ("function main() { return 4 }", 4),
    "main as a constant": ("const main = async () => { return 4 }", 4),
    "main as a variable with a body": ("let main = function () { return 4 }", 4),
    "main with a type": (
        "async function main(): Promise<{ a: { b: number } }> { return { a: { b: 4 } } }\nlet z",
        {"a": {"b": 4}},
    ),
    "main with overloads": ("function main(): number;\nfunction main(x?: any) { return 4 }", 4),
    "main with a default parameter": ("async function main({ a } = { a: 4 }) { return a }", 4),
    "generic main": ("const main = async <T,>(x?: T) => { return 4 }", 4),
    "main called by the program": ("async function main() { return 4 }\nmain()", 4),
    "main awaited by the program": ("async function main() { return 4 }\nawait main()", 4),
    "main returned by the program": ("async function main() { return 4 }\nreturn main()", 4),
    "main called before it is defined": ("await main(); async function main() { return 4 }", 4),
    "main that calls itself": ("async function main(n = 3) { return n ? main(n - 1) : 4 }", 4),
    "main in a comment": ("async function main() { return 4 }\n// main()", 4),
    "main in a string": ("async function main() { return 4 }\nconst s = 'main()'", 4),
    "main in a template": ("async function main() { return 4 }\nconst s = `main() ${1} main`", 4),
    "main in a regular expression": ("async function main() { return 4 }\nconst s = /main()/", 4),
    "main as a property": ("const o = { main: 4 }\nasync function main() { return o.main }", 4),
    "main as a method": ("class A { main() { return 4 } }\nnew A().main()", 4),
    "main as a type": ("type main = number; 4", 4),
    "main that is no function": ("const main = 4; main", 4),
    "braces in text inside main": ("async function main() {\n  return `}${'main'}{`\n}", "}main{"),
    "braces in a pattern inside main": (
        "async function main() { return [/}/.test('}'), 8 / 2] }\nlet main2",
        [True, 4],
    ),
    "an async arrow function": ("async () => 4", 4),
    "an async arrow function with a body": ("async () => {\n  return await get(4)\n}", 4),
    "an arrow function that is not async": ("() => 4", 4),
    "an arrow function that is called": ("(async () => { return 4 })()", 4),
    "a named function that is called": ("(async function main() { return 4 })()", 4),
    "the last expression": ("let x = 2; x + 2", 4),
    "the last expression, awaited": ("await get(4)", 4),
    "a promise as the last expression": ("get(4)", 4),
    "the last expression of a branch": ("if (true) 4; else 5", 4),
    "the last expression of a block": ("try { throw 1 } catch { 4 }", 4),
    "an expression before a comment": ("4 // four\n/* four */", 4),
    "no expression": ("let y = 3", None),
    "nothing": ("", None),
    "white space": (" \n\t\n", None),
    "a comment": ("// nothing", None),
    "a top-level return": ("const a = 4\nreturn a\n", 4),
    "a return without a value": ("return;", None),
    "an awaited return": ("return await get(4)", 4),
    "a return in a branch": ("if (true) { return 4 }\nreturn 5", 4),
    "a return in a loop": ("for (const i of [3, 4]) { if (i === 4) return i }", 4),
    "a return in try": ("try { return await get(4) } finally { console.log('f') }", 4),
    "a return in a switch": ("switch (1) { case 1: return 4 }", 4),
    "a return beside an enum": ("enum E { A = 4 }\nreturn E.A", 4),
    "a return beside a type import": ("import type { A } from 'x'\nreturn 4", 4),
    "a fence": ("```\nreturn 4\n```", 4),
    "a fence with a language": ("```typescript\nasync function main() { return 4 }\n```\n", 4),
    "a fence with space around it": ("\n\n  ```ts\n4\n  ```  \n", 4),
    "a shell's first line": ("#!/usr/bin/env node\n4", 4),
    "a byte order mark": ("\ufeff4", 4),
    "windows lines": ("let a: number = 2;\r\nlet b = a;\r\na + b", 4),
    "strict": ("'use strict'; 4", 4),
    "globals as this": ("this === globalThis", True),
}

STYLES = {
    "types": ("const x: number = 4; x", 4),
    "generics": ("const same = <T,>(x: T): T => x; same<number>(4)", 4),
    "bounded generics": ("const f = <T extends { a: number }>(x: T) => x.a; f({ a: 4 })", 4),
    "interfaces": ("interface A { a: number; b?(): void }\nconst a: A = { a: 4 }; a.a", 4),
    "satisfies": ("const o = { a: 4 } satisfies Record<string, number>; o.a", 4),
    "as const": ("const o = [1, 2] as const; o", [1, 2]),
    "as": ("(4 as unknown as string)", 4),
    "angle bracket casts": ("const v = <number>4; v", 4),
    "non-null": ("let x: number | null = 4; x!", 4),
    "definite assignment": ("let x!: number; x = 4; x", 4),
    "overloads": ("function f(x: string): string; function f(x: any) { return x }; f(4)", 4),
    "this parameters": ("function f(this: any, x: number) { return x }; f(4)", 4),
    "declare": ("declare const q: number; declare global { interface Array<T> { z: T } }; 4", 4),
    "type imports": ("import type { A } from 'x'\nconst a: A = 4; a", 4),
    "type imports over lines": ("import type {\n  A,\n  B\n} from 'x';\n4", 4),
    "an abstract class": (
        "abstract class A { abstract f(): number; g() { return this.f() } }\n"
        "class B extends A { f() { return 4 } }; new B().g()",
        4,
    ),
    "implements": ("interface I { a: number }; class A implements I { a = 4 }; new A().a", 4),
    "private fields": ("class A { #a = 4; get a() { return this.#a } }; new A().a", 4),
    "parameter properties": (
        "class P { constructor(private x: number, readonly y = 3) {} s() { return "
        "this.x + this.y } }"
        "; new P(1).s()",
        4,
    ),
    "an enum": ("enum E { A = 1, B = A << 2, C }; [E.B, E[5], E.C]", [4, "C", 5]),
    "an enum of strings": ("enum E { A = 'a' }; E.A", "a"),
    "a const enum": ("const enum E { A = 4 }; E.A", 4),
    "an exported enum": ("export enum E { A = 4 }; E.A", 4),
    "a namespace": ("namespace N { export const a = 4 }; N.a", 4),
    "nested namespaces": ("namespace N { export namespace M { export const a = 4 } }; N.M.a", 4),
    "an import alias": ("namespace N { export const a = 4 }\nimport M = N; M.a", 4),
    "destructuring": ("const { a, ...b } = { a: 1, c: 4 }; b.c", 4),
    "optional chaining": ("const x: any = null; x?.y ?? 4", 4),
    "generators": ("function* g(): Generator<number> { yield 4 }; [...g()]", [4]),
    "labels": ("let i = 0; outer: for (;;) { for (;;) { i = 4; break outer } }\ni", 4),
    "a type of a module": ("let x: import('fs').Stats | number = 4; x", 4),
    "a type that is a module's": ("type A = import('fs').Stats; 4", 4),
    "a method named import": ("const o = { import(x: number) { return x } }; o.import(4)", 4),
    "a fence of tildes": ("~~~ts\n4\n~~~", 4),
    "tagged templates": ("const t = (s: any, ...v: any[]) => v[0]; t`a${4}b`", 4),
    "regular expressions": ("/(?<y>\\d{4})/.exec('in 2025')!.groups!.y", "2025"),
    "array methods": ("[3, 1, 2].toSorted().at(-1)", 3),
    "grouping": (
        "Object.groupBy([1, 2, 3], x => (x % 2 ? 'odd' : 'even'))",
        {"odd": [1, 3], "even": [2]},
    ),
    "a tool that the program names itself": ("const get = (x: number) => x; get(4)", 4),
    "a tool that the program shadows": ("function get() { return 4 }; get()", 4),
}


@pytest.mark.parametrize(("source", "value"), VALUES.values(), ids=VALUES)
def test_a_program_of_this_form_has_this_value(source: str, value: object) -> None:
    assert drive(source).value == value


@pytest.mark.parametrize(("source", "value"), STYLES.values(), ids=STYLES)
def test_modern_typescript_is_understood(source: str, value: object) -> None:
    outcome = drive(source)
    if value is not None:
        assert outcome.value == value


def test_a_main_that_the_program_calls_runs_once() -> None:
    ran = drive("let n = 0\nasync function main() { n++; await get({ n }) }\nmain()")
    assert ran.arguments == [[{"n": 1}]]


def test_a_main_whose_result_is_only_logged_runs_once() -> None:
    ran = drive("async function main() { return 4 }\nmain().then(console.log)")
    assert ran.logs == [("log", "4")]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("'%s is %d', 'x', 3", "x is 3"),
        ("'%i of %f', 4.7, '2.5'", "4 of 2.5"),
        ("'%j %o %O', { a: 'b' }, ['c'], 'd'", '{"a":"b"} ["c"] "d"'),
        ("'%s', { a: 1 }", '{"a":1}'),
        ("'%d%%', 5", "5%"),
        ("'%d %d', 5n, {}", "5n NaN"),
        ("'%s and %s', 1", "1 and %s"),
        ("'%s', 1, 2, [3]", "1 2 [3]"),
        ("'%x %', 1", "%x % 1"),
        ("'100%%'", "100%%"),
        ("5, '%s', 6", "5 %s 6"),
    ],
)
def test_a_line_of_the_console_is_formatted_like_this(arguments: str, line: str) -> None:
    assert drive(f"console.log({arguments})").logs == [("log", line)]


def test_text_adds_lines_of_output() -> None:
    ran = drive("text('one'); text('two', { n: 2 }, [3]); text()")
    assert ran.logs == [("text", "one"), ("text", 'two {"n":2} [3]'), ("text", "")]
    assert ran.value is None


IMPORTS = [
    ("import fs from 'fs'\nfs.readFileSync('x')", 1, 1),
    ("let a = 1\n  import { z } from 'zod'", 2, 3),
    ("import * as z from 'zod';\nasync function main() { return 1 }", 1, 1),
    ("import 'side-effect'\nreturn 1", 1, 1),
    ("import type from 'x'", 1, 1),
    ("```ts\nimport a, { b } from 'c'\n```", 2, 1),
    ("await import('fs')", 1, 7),
    ("import('fs').then(x => x)", 1, 1),
    ("async function main() {\n  const fs = await import('fs')\n}", 2, 20),
    ("try {\n  await import('fs')\n} catch (e) {}", 2, 9),
    ("export * from 'x'", 1, 1),
    ("export * as x from 'x'", 1, 1),
    ("let a = 1\nexport { a } from 'x'", 2, 1),
]


@pytest.mark.parametrize(("source", "line", "column"), IMPORTS)
def test_an_import_says_that_there_are_no_modules(source: str, line: int, column: int) -> None:
    error = drive(source).error
    assert (error.kind, error.name, error.line, error.column) == (
        "syntax",
        "SyntaxError",
        line,
        column,
    )
    assert "no modules to import" in error.message
    assert "tools are global functions" in error.message


def test_an_import_fails_before_any_tool_is_called() -> None:
    assert drive("await get(1)\nawait import('fs')").batches == ()


def test_an_import_in_evaluated_text_is_an_exception_of_the_program() -> None:
    error = drive("await eval('import(\"fs\")')").error
    assert (error.kind, error.message) == ("exception", "could not load module 'fs'")


FAILING = {
    "require": ("require('fs')", "exception"),
    "decorators": ("function d(t: any) { return t }\n@d class A {}", "syntax"),
    "with": ("with ({ a: 1 }) { a }", "syntax"),
    "export assignment": ("export = 5", "syntax"),
    "prose around a fence": ("Here it is:\n```ts\n5\n```", "syntax"),
    "a lone surrogate in the source": ("'\ud800'", "syntax"),
}


@pytest.mark.parametrize(("source", "kind"), FAILING.values(), ids=FAILING)
def test_what_is_not_understood_is_a_failure_of_this_kind(source: str, kind: str) -> None:
    assert drive(source).error.kind == kind


def test_every_line_of_a_fenced_program_keeps_its_number() -> None:
    error = drive("\n```ts\nconst a: number = 1\n  nope\n```").error
    assert (error.line, error.column) == (4, 3)
