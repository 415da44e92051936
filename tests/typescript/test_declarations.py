"""Enums and namespaces work as in TypeScript, also those that the stripper does not support."""

import pytest

from coderelay.engines.typescript.edits import Edit, Edited
from coderelay.engines.typescript.namespaces import join_namespaces
from tests.typescript.driving import drive
from tests.typescript.test_unawaited import unmark

VALUES = {
    # Enums: a member is read when it is read, and not before.
    "a member that is written": ("enum E { A, B }\n(E as any).A = 5\nreturn [E.A, E.B]", [5, 1]),
    "a member that is written by a helper": (
        "enum E { A = 1 }\nconst set = (o: any) => { o.A = 7 }\nset(E)\nreturn E.A",
        7,
    ),
    "a member by its value": ("enum E { A, B }\nreturn [E[0], E['B']]", ["A", 1]),
    "an enum as an object": (
        "enum E { A = 'a', B = 'b' }\nreturn Object.values(E)",
        ["a", "b"],
    ),
    "an enum in two parts": (
        "enum E { A = 1 }\nenum E { B = A + 1 }\nreturn [E.A, E.B, E[2]]",
        [1, 2, "B"],
    ),
    "a member of a member": ("enum E { A = 2, B = A << 1, C = A | B }\nreturn E.C", 6),
    "a member of another enum": ("enum A { X = 3 }\nenum B { Y = A.X + 1 }\nreturn B.Y", 4),
    "a computed member": ("enum E { A = 'abc'.length, B = 9 }\nreturn [E.A, E.B, E[3]]",
                          [3, 9, "A"]),
    "an enum in a switch": (
        "enum E { A, B }\nconst f = (e: E) => { switch (e) { case E.A: return 'a'; default: "
        "return 'b' } }\nreturn [f(E.A), f(E.B)]",
        ["a", "b"],
    ),
    "a const enum's member": ("const enum C { A = 1, B = 2 }\nreturn C.B", 2),
    "a const enum's member before it": ("const x = C.B\nconst enum C { A = 1, B = 2 }\nreturn x",
                                        2),
    "a const enum as an object": (
        "const enum C { A = 1, B = 2 }\nreturn [Object.keys(C), C.A]",
        [["1", "2", "A", "B"], 1],
    ),
    "a const enum as the value": ("const enum C { A = 'a' }\nreturn C", {"A": "a"}),
    "a const enum by a variable": ("const enum C { A = 4 }\nconst k = 'A'\nreturn C[k]", 4),
    "a const enum in two parts, as an object": (
        "const enum C { A = 1 }\nconst enum C { B = 2 }\nreturn [C.A, C['B'], Object.keys(C)]",
        [1, 2, ["1", "2", "A", "B"]],
    ),
    "two const enums, one as an object": (
        "const enum C { A = 1 }\nexport const enum D { A = 2 }\nreturn [C.A, D.A, D]",
        [1, 2, {"2": "A", "A": 2}],
    ),
    "text that looks like a const enum": (
        "const enum C { A = 1 }\nreturn ['const enum C', C.A, `${'C'}`, { C: 1 }.C]",
        ["const enum C", 1, "C", 1],
    ),
    # Namespaces: their blocks see what the others export.
    "two blocks": (
        "namespace m { export const x = 1 }\nnamespace m { export const y = x + 1 }\nreturn m.y",
        2,
    ),
    "two blocks on one line": (
        "namespace m { export const x = 1 } namespace m { export const y = x + 1 } m.y",
        2,
    ),
    "two blocks that name the namespace": (
        "namespace m { export const x = 1 }\nnamespace m { export const y = m.x + 1 }\nreturn m.y",
        2,
    ),
    "a block that needs a later one": (
        "namespace m { export const f = () => x }\nnamespace m { export const x = 3 }\n"
        "return m.f()",
        3,
    ),
    "a variable of another block": (
        "namespace m { export let n = 0 }\nnamespace m { export const step = () => ++n }\n"
        "m.step(); m.step(); return m.n",
        2,
    ),
    "all that can be exported": (
        "namespace m { export class A { v = 1 } export abstract class B { w = 2 }\n"
        "export function f() { return 3 } export async function g() { return 4 }\n"
        "export function* h() { yield 5 } export enum E { X = 6 } export const enum C { Y = 7 }\n"
        "export namespace n { export const z = 8 } export let { a, b: [c] } = { a: 9, b: [10] },"
        " d = 11\nexport var e\nexport const t: Map<string, number> = new Map<string, number>() }\n"
        "namespace m { export const all = async () => [new A().v, new (class extends B {})().w,"
        " f(), await g(), [...h()], E.X, C.Y, n.z, a, c, d, e === undefined, t.size] }\n"
        "return m.all()",
        [1, 2, 3, 4, [5], 6, 7, 8, 9, 10, 11, True, 0],
    ),
    "a name that the block has itself": (
        "namespace m { export let x = 1 }\nnamespace m { let x = 2; export const y = x }\n"
        "return [m.x, m.y]",
        [1, 2],
    ),
    "a name that a function of the block has": (
        "namespace m { export const x = 1 }\nnamespace m { export const f = (x) => x * 2\n"
        "export const g = () => ({ x }) }\nreturn [m.f(4), m.g()]",
        [8, {"x": 1}],
    ),
    "a name that is not exported": (
        "const x = 5\nnamespace m { const x = 1; export const z = x }\n"
        "namespace m { export const y = x }\nreturn [m.y, m.z]",
        [5, 1],
    ),
    "a name behind one that is exported": (
        "const y = 5\nnamespace m { export const x = 1\nlet w = 2, y = 3 }\n"
        "namespace m { export const z = [x, y] }\nreturn m.z",
        [1, 5],
    ),
    "a property of that name": (
        "namespace m { export const x = 1 }\nnamespace m { export const y = { x: 2 }.x }\n"
        "return m.y",
        2,
    ),
    "types that are exported": (
        "namespace m { export interface I { a: number } export const v = 1 }\n"
        "namespace m { const i: I = { a: v }; export const r = i }\nreturn m.r",
        {"a": 1},
    ),
    "names with dots": (
        "namespace m.n { export const x = 1 }\nnamespace m { export const y = n.x + 1 }\n"
        "namespace m.n { export const z = x + y }\nreturn [m.y, m.n.z]",
        [2, 3],
    ),
    "names with many dots": (
        "namespace a.b.c { export const x = 1 }\nnamespace a.b { export const y = 2 }\n"
        "namespace a { export const z = 3 }\nnamespace a.b.c { export const r = [x, y, z] }\n"
        "return a.b.c.r",
        [1, 2, 3],
    ),
    "blocks within blocks": (
        "namespace a { export namespace b { export const x = 1 } }\n"
        "namespace a { export namespace b { export const y = x + 1 } }\nreturn a.b.y",
        2,
    ),
    "namespaces of one name in two others": (
        "namespace a { export namespace c { export const x = 1 } }\nconst x = 5\n"
        "namespace b { export namespace c { export const y = x } }\nreturn b.c.y",
        5,
    ),
    "a class and a namespace": (
        "class K { static x = 1 }\nnamespace K { export const y = K.x + 1 }\nreturn K.y",
        2,
    ),
    "a variable named namespace": (
        "const namespace = 1, module = { namespace }\nenum E { A }\nreturn module.namespace + E.A",
        1,
    ),
    "an alias": ("namespace m { export const y = 1 }\nimport x = m.y\nx", 1),
    # Classes.
    "a static member named constructor": (
        "class K { static ['constructor']() { return 3 } }\nreturn K.constructor()",
        3,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "value"), VALUES.values(), ids=VALUES)
def test_enums_and_namespaces_are_what_typescript_makes_of_them(source: str, value: object) -> None:
    assert drive(source).value == value


PLACES = {
    "in a second block": (
        "namespace m { export const x = 1 }\nnamespace m {\n  export const y = x\n  ‸nope()\n}"
    ),
    "behind two blocks on its line": (
        "namespace m { export const x = 1 } namespace m { export const y = x } ‸nope()"
    ),
    "within the second block on its line": (
        "namespace m { export const x = 1 } namespace m { export const y = x; ‸nope() }"
    ),
    "behind three blocks and wide characters": (
        "namespace m { export const x = '😀' } namespace m { export const y = x }"
        " /* é😀中 */ namespace m { export const z = y + x } ‸nope()"
    ),
    "in a block with dots": (
        "namespace m.n { export const x = 1 } namespace m { export const y = 2 }"
        " namespace m.n { export const z = y; ‸nope() }"
    ),
    "behind a block with dots": (
        "namespace m { export const y = 2 } namespace m.n { export const z = y } ‸nope()"
    ),
    "beside a const enum that is an object": "const enum C { A } Object.keys(C); ‸nope()",
    "at an enum that comes later": "return ‸E.A\nenum E { A }",
}


@pytest.mark.parametrize("marked", PLACES.values(), ids=PLACES)
def test_places_stay_those_of_the_source(marked: str) -> None:
    source, line, column = unmark(marked)
    error = drive(source).error
    assert (error.line, error.column) == (line, column)


CONSTRUCTORS = {
    "static constructor() {}": "'static' modifier cannot appear on a constructor declaration",
    "static async constructor() {}": "Constructor can't be an async function",
    "static *constructor() {}": "A constructor cannot be generator",
    "static get constructor() { return 1 }": "Class constructor can't be an accessor.",
    "static constructor = 1": "Classes may not have a non-static field named 'constructor'",
}


@pytest.mark.parametrize(("member", "message"), CONSTRUCTORS.items(), ids=CONSTRUCTORS)
def test_a_static_member_named_constructor_is_refused_and_says_what_to_write(
    member: str, message: str
) -> None:
    error = drive(f"class K {{ {member} }}").error
    assert (error.kind, error.line) == ("syntax", 1)
    assert error.message == f"{message}: give it another name, or write ['constructor']"


def test_a_module_that_is_required_is_refused() -> None:
    error = drive("import fs = require('fs')\nfs").error
    assert (error.kind, error.line, error.column) == ("syntax", 1, 1)
    assert error.message.startswith("there are no modules to import")


def test_an_edited_source_knows_its_old_columns() -> None:
    text = "ab\n😀cd.ef;gh\nij"
    edited = Edited.of(text, [Edit(6, 1, "{{"), Edit(9, 0, "XYZ"), Edit(9, 0, "!")])
    assert edited.text == "ab\n😀cd{{efXYZ!;gh\nij"
    columns = [edited.original(2, column) for column in range(1, 15)]
    assert columns == [1, 2, 3, 4, 5, 5, 6, 7, 8, 8, 8, 8, 8, 9]
    assert [edited.original(line, 2) for line in (1, 3)] == [2, 2]


def test_namespaces_that_do_not_need_each_other_are_left_as_they_are() -> None:
    for text in (
        "namespace a { export const x = 1 }",
        "namespace a { export const x = 1 }\nnamespace b { x }",
        "namespace a { export const x = 1 }\nnamespace a { export const y = a.x }",
        "namespace a { const x = 1 }\nnamespace a { x }",
        "declare namespace a { const x: number }\ndeclare namespace a { const y: number }",
    ):
        assert join_namespaces(text) == []


def test_the_edits_that_join_namespaces_are_shorter_than_the_source() -> None:
    blocks = 400
    text = "".join(f"namespace m {{ export const x{n} = 1 }}\n" for n in range(blocks))
    assert join_namespaces(text) == []
    chained = text + "".join(f"namespace m {{ x{n} }}\n" for n in range(blocks))
    edits = join_namespaces(chained)
    assert len(edits) == blocks
    assert sum(len(edit.text) for edit in edits) < len(chained)
