"""The laws of a run, one short program each."""

from typing import Any

import pytest

from coderelay.core import Call, CallError, Completed, Entry, Raised, Result, Returned, Suspended
from tests.typescript.driving import drive, replay, start


def numbers(call: Call) -> Result:
    """Each call's own number, or a failure where it asks for one."""
    if isinstance(call.arguments, dict) and "fail" in call.arguments:
        return Raised(CallError(f"call {call.index} failed"))
    return Returned(call.index)


# source, the batches as lists of arguments, value
RUNS = {
    "calls in sequence": (
        "const a = await get(1); const b = await get(2); [a, b]",
        [[1], [2]],
        [0, 1],
    ),
    "a loop": ("let s = 0; for (const i of [1, 2, 3]) s += await get(i); s", [[1], [2], [3]], 3),
    "a loop until a result": ("let n; do n = await get(0); while (n < 2); n", [[0], [0], [0]], 2),
    "Promise.all": ("await Promise.all([1, 2].map(i => get(i)))", [[1, 2]], [0, 1]),
    "Promise.all with other values": ("await Promise.all([get(1), 5, null])", [[1]], [0, 5, None]),
    "Promise.allSettled": (
        "(await Promise.allSettled([get(1), get({ fail: 1 })])).map(s => s.status)",
        [[1, {"fail": 1}]],
        ["fulfilled", "rejected"],
    ),
    "Promise.race: the first call wins": (
        "await Promise.race([get(1), get(2)])",
        [[1, 2]],
        0,
    ),
    "Promise.any: the first success wins": (
        "await Promise.any([get({ fail: 1 }), get(2)])",
        [[{"fail": 1}, 2]],
        1,
    ),
    "batches of a pool": (
        "const q = [1, 2, 3]; const work = async () => { while (q.length) await get(q.shift()) }\n"
        "await Promise.all([work(), work()]); 'done'",
        [[1, 2], [3]],
        "done",
    ),
    "two chains side by side": (
        "const chain = async n => { await get(n); await get(n + 1) }\n"
        "await Promise.all([chain(10), chain(20)]); 0",
        [[10, 20], [11, 21]],
        0,
    ),
    "try and catch": (
        "try { await get({ fail: 1 }) } catch (e) { `${e.name}: ${e.message}` }",
        [[{"fail": 1}]],
        "ToolError: call 0 failed",
    ),
    "try and finally": (
        "const log = []; try { log.push(await get(1)) } finally { log.push(await get(2)) }\nlog",
        [[1], [2]],
        [0, 1],
    ),
    "finally after a failure": (
        "let v = []; try { try { await get({ fail: 1 }) } finally { v.push(await get(2)) } }"
        " catch (e) { v.push(e.message) }\nv",
        [[{"fail": 1}], [2]],
        [1, "call 0 failed"],
    ),
    "then, catch, finally": (
        "await get({ fail: 1 }).then(() => 'no').catch(() => get(2)).finally(() => get(3))",
        [[{"fail": 1}], [2], [3]],
        1,
    ),
    "an async generator": (
        "async function* pages() { for (let i = 0; i < 3; i++) yield await get(i) }\n"
        "const all = []; for await (const p of pages()) all.push(p); all",
        [[0], [1], [2]],
        [0, 1, 2],
    ),
    "an async generator that is left early": (
        "const seen = []; async function* g() { try { yield await get(1); yield await get(2) }"
        " finally { seen.push(await get(3)) } }\n"
        "for await (const x of g()) { seen.push(x); break }\nseen",
        [[1], [3]],
        [0, 1],
    ),
    "for await over promises": (
        "const all = []; for await (const x of [get(1), get(2)]) all.push(x); all",
        [[1, 2]],
        [0, 1],
    ),
    "Array.fromAsync": ("await Array.fromAsync([get(1), get(2)])", [[1, 2]], [0, 1]),
    "nested helpers": (
        "const a = async x => (await b(x)) + 1; const b = async x => (await c(x)) + 1\n"
        "const c = x => get(x); await a(5)",
        [[5]],
        2,
    ),
    "a call made in a result's then": (
        "await get(1).then(() => get(2)).then(() => get(3))",
        [[1], [2], [3]],
        2,
    ),
    "a thenable that calls": ("await { then(r) { get(1).then(r) } }", [[1]], 0),
    "a call that is never awaited": ("get(1); 5", [[1]], 5),
    "calls that are never awaited and go on": ("get(1).then(() => get(2)); 5", [[1], [2]], 5),
    "a call in a timer": (
        "await new Promise(r => setTimeout(async () => r(await get(1)), 10))",
        [[1]],
        0,
    ),
    "a program that catches everything": (
        (
            "for (let i = 0; ; i++) { try { if (i > 2) break; await get(i) } catch { "
            "throw 'seen' } }\n4"
        ),
        [[0], [1], [2]],
        4,
    ),
    "a microtask": ("await new Promise(r => queueMicrotask(() => r(get(1))))", [[1]], 0),
    "a class with async methods": (
        "class A { async f(x) { return await get(x) } }; await new A().f(1)",
        [[1]],
        0,
    ),
    "Promise.withResolvers": (
        "const { promise, resolve } = Promise.withResolvers(); get(1).then(resolve); await promise",
        [[1]],
        0,
    ),
    "a tool beats a timer of no time": (
        "await Promise.race([get(1), new Promise(r => setTimeout(() => r('timer'), 0))])",
        [[1]],
        0,
    ),
    "a timer set before a chain of calls": (
        "let fired = 0; setTimeout(() => fired++, 0)\n"
        "await get(1); await get(2); const before = fired\n"
        "await new Promise(r => setTimeout(r, 1)); [before, fired]",
        [[1], [2]],
        [0, 1],
    ),
    "a cleared timer": (
        "let n = 0; const id = setTimeout(() => n++, 5); clearTimeout(id)\n"
        "await new Promise(r => setTimeout(r, 10)); n",
        [],
        0,
    ),
    "an interval": (
        "let n = 0; await new Promise(r => { const id = setInterval(() => {"
        " if (++n === 3) { clearInterval(id); r() } }, 100) }); n",
        [],
        3,
    ),
    "timers in the order of their time, then of their making": (
        "const seen = []; const wait = (ms, x) => new Promise(r => setTimeout(() => {"
        " seen.push(x); r() }, ms))\n"
        "await Promise.all([wait(20, 'c'), wait(10, 'a'), wait(10, 'b'), wait(0, '0')]); seen",
        [],
        ["0", "a", "b", "c"],
    ),
    "a timer's arguments": (
        "await new Promise(r => setTimeout((a, b) => r([a, b]), 1, 'x', 'y'))",
        [],
        ["x", "y"],
    ),
    "time that only timers move": (
        "const t = Date.now(); await new Promise(r => setTimeout(r, 5000)); Date.now() - t",
        [],
        5000,
    ),
    "a timeout around a tool": (
        "const timeout = ms => new Promise((_, no) => setTimeout(() => no(new "
        "Error('slow')), ms))\n"
        "await Promise.race([get(1), timeout(1)])",
        [[1]],
        0,
    ),
}


@pytest.mark.parametrize(("source", "batches", "value"), RUNS.values(), ids=RUNS)
def test_a_run_is_the_same_live_and_replayed(
    source: str, batches: list[Any], value: object
) -> None:
    ran = drive(source, numbers)
    assert ran.arguments == batches
    assert ran.value == value
    assert replay(source, ran.journal) == ran.outcome


@pytest.mark.parametrize(("source", "batches", "value"), RUNS.values(), ids=RUNS)
def test_every_prefix_of_the_journal_waits_for_the_next_call(
    source: str, batches: list[Any], value: object
) -> None:
    ran = drive(source, numbers)
    for length, entry in enumerate(ran.journal):
        outcome = replay(source, ran.journal[:length])
        assert isinstance(outcome, Suspended)
        assert (outcome.calls[0].index, outcome.calls[0].arguments) == (length, entry.arguments)


def test_a_batch_is_delivered_whole_and_in_call_order() -> None:
    source = (
        "const seen = []; const note = i => get(i).then(() => seen.push(i))\n"
        "await Promise.all([note(3), note(1), note(2)]); seen"
    )
    run = start(source)
    waiting = run.proceed([])
    assert isinstance(waiting, Suspended)
    (first, *rest) = waiting.calls
    waiting = run.proceed([Entry(first.name, first.arguments, Returned(0))])
    assert isinstance(waiting, Suspended)
    assert [call.index for call in waiting.calls] == [1, 2]
    done = run.proceed([Entry(call.name, call.arguments, Returned(0)) for call in rest])
    assert isinstance(done, Completed)
    assert done.value == [3, 1, 2]


def test_no_part_of_a_batch_is_seen_before_its_last_result() -> None:
    source = "get(1).then(() => console.log('one')); get(2).then(() => console.log('two')); 0"
    run = start(source)
    run.proceed([])
    assert run.proceed([Entry("get", 1, Returned(0))]).logs == ()
    assert [log.text for log in run.proceed([Entry("get", 2, Returned(0))]).logs] == ["one", "two"]


class TestTheEndOfAProgram:
    def test_the_value_is_taken_when_main_settles(self) -> None:
        ran = drive("const v = { n: 1 }; get(1).then(() => { v.n = 2 }); v")
        assert ran.value == {"n": 1}
        assert ran.arguments == [[1]]

    def test_a_failure_is_taken_when_main_throws_and_later_calls_are_still_made(self) -> None:
        ran = drive("get(1).then(() => get(2)); throw new Error('now')")
        assert ran.error.message == "now"
        assert ran.arguments == [[1], [2]]

    def test_what_waits_for_a_late_call_runs_on(self) -> None:
        ran = drive("get(1).then(x => { console.log('late', x); return get(2) }); 7")
        assert ran.value == 7
        assert ran.logs == [("log", "late 1")]
        assert ran.arguments == [[1], [2]]

    def test_timers_no_longer_fire(self) -> None:
        ran = drive("setTimeout(() => console.log('fired'), 0); setInterval(() => get(1), 1); 7")
        assert (ran.value, ran.logs, ran.batches) == (7, [], ())

    def test_timers_that_late_calls_set_do_not_fire_either(self) -> None:
        ran = drive("get(1).then(() => setTimeout(() => console.log('fired'), 0)); 7")
        assert (ran.value, ran.logs) == (7, [])

    def test_a_late_rejection_is_logged(self) -> None:
        ran = drive("get({ fail: 'late' }); 7")
        assert ran.value == 7
        assert ran.logs == [("error", "Unhandled rejection: ToolError: late")]

    def test_a_late_exception_is_logged(self) -> None:
        ran = drive("get(1).then(() => { throw new RangeError('late') }); 7")
        assert ran.logs == [("error", "Unhandled rejection: RangeError: late")]

    def test_only_the_first_way_to_settle_counts(self) -> None:
        assert drive("new Promise(r => { r(1); r(2); throw 3 })").value == 1


def test_a_rejection_that_is_handled_later_is_not_logged() -> None:
    ran = drive("const p = get({ fail: 'x' }); await get(1); try { await p } catch { 'caught' }")
    assert (ran.value, ran.logs) == ("caught", [])


def test_an_error_in_a_timer_is_logged_and_the_program_goes_on() -> None:
    ran = drive(
        "setTimeout(() => { throw new Error('in a timer') }, 1)\n"
        "await new Promise(r => setTimeout(r, 2)); 7"
    )
    assert (ran.value, ran.logs) == (7, [("error", "Uncaught Error: in a timer")])


DEADLOCKS = [
    "await new Promise(() => {})",
    "await get(1); await new Promise(() => {})",
    "await Promise.race([])",
    "async function main() { for await (const x of { [Symbol.asyncIterator]() { return {"
    " next: () => new Promise(() => {}) } } }) {} }",
    "const id = setInterval(() => clearInterval(id), 1); await new Promise(() => {})",
]


@pytest.mark.parametrize("source", DEADLOCKS)
def test_a_program_that_deadlocks_has_failed(source: str) -> None:
    assert drive(source).error.kind == "deadlock"


def test_a_failing_tool_that_is_not_caught_fails_the_program() -> None:
    error = drive("await get({ fail: 'no such page' })").error
    assert (error.kind, error.name, error.message) == ("exception", "ToolError", "no such page")


def test_an_error_of_a_tool_has_the_name_that_the_client_gave() -> None:
    source = (
        "try { await get(1) } catch (e) { [e.name, e.message, e.tool, e instanceof ToolError] }"
    )
    ran = drive(source, lambda call: Raised(CallError("gone", name="NotFoundError")))
    assert ran.value == ["NotFoundError", "gone", "get", True]
