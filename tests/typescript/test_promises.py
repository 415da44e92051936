"""Whatever a program may rightly do with the promise of a call works as it does with any other."""

import pytest

from tests.typescript.driving import drive

# What a program may do with a promise `w` whose value is {"n": 1}, and the value of all of it.
FINE = {
    "await": ("(await w).n", 1),
    "await again": ("await w; return (await w).n", 1),
    "then": ("w.then((r) => r.n)", 1),
    "then, catch, finally": ("w.finally(() => 0).catch(() => 0).then((r) => r.n)", 1),
    "a borrowed then": ("Promise.prototype.then.call(w, (r) => r.n)", 1),
    "Promise.all": ("(await Promise.all([w, w])).length", 2),
    "Promise.all of a Map's values": (
        "const m = new Map([['a', w]]); (await Promise.all(m.values()))[0].n",
        1,
    ),
    "Promise.allSettled": ("(await Promise.allSettled([w]))[0].status", "fulfilled"),
    "Promise.race": ("(await Promise.race([w])).n", 1),
    "Promise.any": ("(await Promise.any([w])).n", 1),
    "Promise.resolve": ("Promise.resolve(w) === w", True),
    "resolving with it": ("new Promise((resolve) => resolve(w)).then((r) => r.n)", 1),
    "returning it": ("return w", {"n": 1}),
    "returning it from a function": ("const f = async () => w; return (await f()).n", 1),
    "passing it on": ("const f = async (p) => (await p).n; return f(w)", 1),
    "an object of promises": ("const o = { w }; (await o.w).n", 1),
    "a copy of an object of promises": ("const o = { ...{ w } }; (await o.w).n", 1),
    "the entries of an object of promises": (
        "const o = { w }; const e = await Promise.all(Object.entries(o).map("
        "async ([k, p]) => [k, (await p).n])); Object.fromEntries(e)",
        {"w": 1},
    ),
    "a Set of promises": ("const s = new Set([w]); s.has(w)", True),
    "a Map keyed by promise": ("const m = new Map([[w, 1]]); [m.get(w), m.has(w)]", [1, True]),
    "a list of promises": ("const l = []; if (!l.includes(w)) l.push(w); l.includes(w)", True),
    "a cache of promises": (
        "const c = {}; const once = (k) => (c[k] ??= get({ n: k })); await once(1);"
        " [(await once(1)).n, c[1] === once(1)]",
        [1, True],
    ),
    "throwing it to a catch": ("try { throw w } catch (p) { return (await p).n }", 1),
    "rejecting with it": ("Promise.reject(w).catch((p) => p).then((r) => r.n)", 1),
    "an async generator": (
        "async function* g() { yield w; yield await w } let n = 0;"
        " for await (const r of g()) n += r.n; n",
        2,
    ),
    "for await of a Set": ("let n = 0; for await (const r of new Set([w])) n += r.n; n", 1),
    "Array.fromAsync": ("(await Array.fromAsync([w, w])).length", 2),
    "Promise.withResolvers": (
        "const { promise, resolve } = Promise.withResolvers(); resolve(w); (await promise).n",
        1,
    ),
    "combining nothing": (
        "[await Promise.all([]), await Promise.allSettled(new Set())]",
        [[], []],
    ),
    "the combinators of another class": (
        "class Task extends Promise {} const all = Task.all([w]);"
        " [all instanceof Task, Task.race([w]).then((x) => x) instanceof Task, { ...all },"
        " (await all)[0].n]",
        [True, True, {}, 1],
    ),
    "a WeakMap of promises": ("const m = new WeakMap([[w, 1]]); m.get(w)", 1),
    "finding it in a list": ("[1, w].indexOf(w)", 1),
    "joining lists": ("[].concat(w, [w]).length", 2),
    "flattening lists": ("[[w], w].flat().length", 2),
    "for await of a list": ("let n = 0; for await (const r of [w, w]) n += r.n; n", 2),
    "yielding it": (
        "async function* g() { yield w } const [r] = [await g().next()]; r.value.n",
        1,
    ),
    "identity": ("w === w && w !== null && w != null && w != undefined", True),
    "Object.is": ("Object.is(w, w)", True),
    "typeof": ("typeof w", "object"),
    "truth": ("w ? 1 : 2", 1),
    "Array.isArray": ("Array.isArray(w)", False),
    "instanceof Promise": ("w instanceof Promise && w instanceof Object", True),
    "instanceof another class": ("w instanceof Error || w instanceof Map", False),
    "the constructor": ("w.constructor === Promise && w.constructor.name", "Promise"),
    "the prototype": (
        "Object.getPrototypeOf(w) === Promise.prototype && w.__proto__ === Promise.prototype",
        True,
    ),
    "the kind": ("Object.prototype.toString.call(w) + w[Symbol.toStringTag]",
                 "[object Promise]Promise"),
    "is it a promise": ("!!w && typeof w.then === 'function' && typeof w.catch === 'function'",
                        True),
    "is it a promise, shortly": ("!!w?.then && 'then' in w", True),
    "is it an async iterable": ("[w[Symbol.asyncIterator] === undefined, Symbol.iterator in w]",
                                [True, False]),
    "is it iterable": (
        "const list = (x) => typeof x?.[Symbol.iterator] === 'function' ? [...x] : [x];"
        " (await Promise.all(list(w)))[0].n",
        1,
    ),
    "is it iterable in any way": ("[w[Symbol.iterator] ?? w[Symbol.asyncIterator] ?? 'no']",
                                  ["no"]),
    "a symbol of the program": ("const mark = Symbol('mark'); [w[mark] === undefined, mark in w]",
                                [True, False]),
    "a property of the program's own": ("w.label = 'a'; [w.label, Object.keys(w)]",
                                        ["a", ["label"]]),
    "a method of the program's own": ("w.cancel = () => 5; w.cancel()", 5),
    "a defined property": ("Object.defineProperty(w, 'a', { value: 1 }); w.a", 1),
    "assigned properties": ("Object.assign(w, { a: 1 }).a", 1),
    "copied properties of its own": (
        "w.label = 'a'; const p = w.then((r) => r); p.label = 'b';"
        " [{ ...w }.label, { ...p }.label, Object.assign({}, p, w).label]",
        ["a", "b", "a"],
    ),
    "Object.assign of what is no promise": (
        "[Object.assign({}, null, undefined, 1, 'ab', { a: 1 }, [5]), Object.assign({ a: 1 })]",
        [{"0": 5, "1": "b", "a": 1}, {"a": 1}],
    ),
    "a frozen promise": ("(await Object.freeze(w)).n", 1),
    "a deferred promise": (
        "const p = new Promise((r) => { setTimeout(() => r(3), 1) }); p.note = 1; await p", 3),
    "an added method": ("Promise.prototype.n = function () { return this.then((r) => r.n) }; w.n()",
                        1),
    "what all objects got": ("Object.prototype.extra = 7; w.extra", 7),
    "asking the prototype": (
        "[Promise.prototype.nope === undefined, Promise.prototype.hasOwnProperty('then')]",
        [True, True],
    ),
    "a class of the program's own": (
        "class Task extends Promise { constructor(run) { super(run); this.at = 1 }"
        " get twice() { return this.at * 2 } }\n"
        "const t = new Task((r) => r(w)); [t.at, t.twice, t.missing === undefined, `${t}`,"
        " Object.keys(t), { ...t }, (await t).n, await t.then((r) => r.n) + 1]",
        [1, 2, True, "[object Promise]", ["at"], {"at": 1}, 1, 2],
    ),
    "a thenable of the program's own": (
        "const t = { then: (f) => f(4) }; [await t, Object.keys(t)]",
        [4, ["then"]],
    ),
    "a pool of promises": (
        "const open = new Set(); for (const x of [1, 2, 3]) { const p = get({ n: x }).then((r) =>"
        " { open.delete(p); return r }); open.add(p); if (open.size >= 2) await Promise.race(open)"
        " } await Promise.all(open); open.size",
        0,
    ),
    "listing what is no promise": (
        "[Object.keys(''), Object.values({}), Object.entries([]), Object.hasOwn(5, 'a')]",
        [[], [], [], False],
    ),
    "the names of what lists": (
        "['keys', 'values', 'entries', 'hasOwn'].map((n) => [Object[n].name, Object[n].length])",
        [["keys", 1], ["values", 1], ["entries", 1], ["hasOwn", 2]],
    ),
    "the names of what combines and copies": (
        "[Promise.all, Promise.any, Promise.prototype.then, Object.assign, structuredClone]"
        ".map((f) => [f.name, f.length])",
        [["all", 1], ["any", 1], ["then", 2], ["assign", 2], ["structuredClone", 1]],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "value"), FINE.values(), ids=FINE)
def test_what_a_program_may_do_with_a_promise_stays_as_it_is(source: str, value: object) -> None:
    assert drive(f"const w = get({{ n: 1 }});\n{source}").value == value


def test_a_promise_can_be_logged() -> None:
    ran = drive("const w = get(1)\nconsole.log(w, [w])\nconsole.log('%s', w)\nawait w")
    assert [line for _, line in ran.logs] == ["Promise {} [Promise {}]", "Promise {}"]


# A program may take the guard away from its own promises, and breaks nothing of ours by it.
TAMPERING = {
    "no prototype": "Object.setPrototypeOf(Promise.prototype, null)",
    "another prototype": "Object.setPrototypeOf(Promise.prototype, { a: 5 })",
    "a written prototype": "Object.assign(Object.getPrototypeOf(Promise.prototype), { a: 5 })",
    "no mark": "for (const s of Object.getOwnPropertySymbols(w)) delete w[s]",
    "a replaced mark": (
        "for (const s of Object.getOwnPropertySymbols(w))"
        " Object.defineProperty(w, s, { value: () => { throw 1 } })"
    ),
    "no then": "delete Promise.prototype.then",
    "a then of its own": "Promise.prototype.then = function () { throw 1 }",
    "no way to combine": "delete Promise.all; delete Object.assign",
    "no constructor": "delete Promise.prototype.constructor",
    "Object's own": "Object.keys = Object.hasOwn = Object.getPrototypeOf = () => { throw 1 }",
    "WeakMap's own": "WeakMap.prototype.get = WeakMap.prototype.set = () => { throw 1 }",
}


@pytest.mark.parametrize("tampering", TAMPERING.values(), ids=TAMPERING)
def test_a_program_that_tampers_with_promises_still_runs(tampering: str) -> None:
    ran = drive(f"const w = get({{ n: 1 }});\n{tampering}\nreturn [await w, await get({{ n: 2 }})]")
    assert ran.value == [{"n": 1}, {"n": 2}]
