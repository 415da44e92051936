"""asyncio behaves by the laws: as if every tool were local, and faster than any timer."""

import pytest

from coderelay.core import Call, CallError, Raised, Result, Returned
from tests.python.driving import run

CONCURRENT = {
    "gather": "await asyncio.gather(get(key='a'), get(key='b'))",
    "tasks": "ts = [asyncio.create_task(get(key=k)) for k in 'ab']\n[await t for t in ts]",
    "futures": "ts = [asyncio.ensure_future(get(key=k)) for k in 'ab']\n[await t for t in ts]",
    "plain calls": "a, b = get(key='a'), get(key='b')\n[await a, await b]",
    "TaskGroup": "async with asyncio.TaskGroup() as tg:\n"
    "    ts = [tg.create_task(get(key=k)) for k in 'ab']\n[t.result() for t in ts]",
    "as_completed": "[await t for t in asyncio.as_completed([get(key='a'), get(key='b')])]",
    "async as_completed": "found = []\n"
    "async for t in asyncio.as_completed([get(key='a'), get(key='b')]):\n"
    "    found.append(await t)\nfound",
    "wait": "done, rest = await asyncio.wait([get(key='a'), get(key='b')])\n"
    "sorted(t.result() for t in done)",
    "wait_for": "await asyncio.gather(*(asyncio.wait_for(get(key=k), 1) for k in 'ab'))",
    "timeout": "async with asyncio.timeout(1):\n"
    "    r = await asyncio.gather(get(key='a'), get(key='b'))\nr",
    "shield": "await asyncio.gather(*(asyncio.shield(get(key=k)) for k in 'ab'))",
    "coroutines": "async def f(k):\n    return await get(key=k)\n"
    "await asyncio.gather(*map(f, 'ab'))",
    "semaphore": "s = asyncio.Semaphore(2)\nasync def f(k):\n    async with s:\n"
    "        return await get(key=k)\nawait asyncio.gather(f('a'), f('b'))",
    "queue": "q = asyncio.Queue()\nfor k in 'ab':\n    q.put_nowait(k)\nout = []\n"
    "async def work():\n    out.append(await get(key=await q.get()))\n    q.task_done()\n"
    "ws = [asyncio.create_task(work()) for _ in 'ab']\nawait q.join()\nout",
    "comprehension": "[x async for x in (await t for t in [get(key='a'), get(key='b')])]",
}


@pytest.mark.parametrize("way", CONCURRENT)
def test_concurrent_calls_come_out_in_one_batch(way: str) -> None:
    ran = run("import asyncio\n" + CONCURRENT[way])
    assert ran.value == ["a!", "b!"]
    assert ran.keys == [["a", "b"]]


def test_a_semaphore_makes_the_batches() -> None:
    source = """
    import asyncio
    gate = asyncio.Semaphore(2)
    async def f(n):
        async with gate:
            return await get(key=n)
    await asyncio.gather(*(f(n) for n in range(5)))
    """
    ran = run(source)
    assert ran.value == [0, 1, 2, 3, 4]
    assert ran.keys == [[0, 1], [2, 3], [4]]


def test_gather_gives_exceptions_back_where_asked() -> None:
    source = """
    import asyncio
    out = await asyncio.gather(get(key="fail"), get(key="b"), return_exceptions=True)
    [type(out[0]).__name__, out[0].tool, out[0].message, str(out[0]), out[1]]
    """
    assert run(source).value == ["ToolError", "get", "no such key", "no such key", "b!"]


def test_a_task_group_cancels_what_it_holds_when_one_fails() -> None:
    source = """
    import asyncio
    try:
        async with asyncio.TaskGroup() as group:
            a = group.create_task(get(key="fail"))
            b = group.create_task(asyncio.sleep(1))
    except* ToolError as errors:
        found = [str(error) for error in errors.exceptions]
    [found, b.cancelled()]
    """
    assert run(source).value == [["no such key"], True]


def test_a_task_group_that_fails_uncaught_reports_the_error_inside() -> None:
    source = """
    import asyncio
    async with asyncio.TaskGroup() as group:
        group.create_task(get(key="a"))
        group.create_task(get(key="fail"))
    """
    error = run(source).error
    assert error.name == "ExceptionGroup"
    assert "ToolError: no such key" in error.message
    assert error.line == 5


def test_a_tool_always_beats_a_timer() -> None:
    source = """
    import asyncio
    async with asyncio.timeout(0.000001):
        a = await get(key="a")
    b = await asyncio.wait_for(get(key="b"), timeout=0.000001)
    [a, b]
    """
    assert run(source).value == ["a!", "b!"]


def test_timers_fire_in_order_and_take_virtual_time_only() -> None:
    source = """
    import asyncio, time, datetime
    start, wall = time.monotonic(), datetime.datetime.now()
    out = []
    async def after(seconds):
        await asyncio.sleep(seconds)
        out.append(seconds)
    await asyncio.gather(after(3600), after(60), after(7200))
    time.sleep(1800)
    [out, round(time.monotonic() - start), (datetime.datetime.now() - wall).seconds]
    """
    assert run(source).value == [[60, 3600, 7200], 9000, 9000]


def test_a_timeout_fires_where_nothing_else_can_happen() -> None:
    source = """
    import asyncio
    try:
        async with asyncio.timeout(5):
            await asyncio.Event().wait()
    except TimeoutError:
        out = "timed out"
    out
    """
    assert run(source).value == "timed out"


def test_a_program_that_catches_everything_still_suspends() -> None:
    source = """
    async def main():
        while True:
            try:
                return await get(key="a")
            except BaseException as error:
                print("swallowed", error)
            finally:
                print("finally")
    """
    ran = run(source)
    assert (ran.value, ran.printed, ran.keys) == ("a!", ["finally"], [["a"]])


def test_async_generators_and_context_managers_work() -> None:
    source = """
    from contextlib import asynccontextmanager
    @asynccontextmanager
    async def opened(key):
        print("open")
        try:
            yield await get(key=key)
        finally:
            await get(key="closed")
    async def pages():
        for key in "xyz":
            yield await get(key=key)
    out = []
    async with opened("a") as value:
        out.append(value)
        async for page in pages():
            out.append(page)
            if page == "y!":
                break
    out
    """
    ran = run(source)
    assert ran.value == ["a!", "x!", "y!"]
    assert ran.keys == [["a"], ["x"], ["y"], ["closed"]]


def test_a_call_can_be_awaited_twice_and_is_made_once() -> None:
    ran = run("c = get(key='a')\n[await c, await c]")
    assert (ran.value, ran.keys) == (["a!", "a!"], [["a"]])


def test_a_cancelled_call_is_still_made_and_its_result_dropped() -> None:
    source = """
    import asyncio
    task = asyncio.create_task(get(key="a"))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        out = "cancelled"
    [out, await get(key="b")]
    """
    ran = run(source)
    assert ran.value == ["cancelled", "b!"]
    assert ran.keys == [["a", "b"]]


def test_a_tool_knows_that_it_is_an_async_function() -> None:
    source = "import inspect\n[inspect.iscoroutinefunction(get), get.__name__]"
    assert run(source).value == [True, "get"]


def test_blocking_work_for_another_thread_is_done_at_once() -> None:
    source = """
    import asyncio
    await asyncio.gather(asyncio.to_thread(len, "abc"), asyncio.to_thread(int, "5"))
    """
    assert run(source).value == [3, 5]


def test_the_value_is_taken_when_main_settles() -> None:
    source = """
    import asyncio
    out = []
    async def late():
        out.append(await get(key="a"))
        await get(key="b")
        await asyncio.sleep(1)
        await get(key="never")
    task = asyncio.create_task(late())
    await asyncio.sleep(0)
    out
    """
    ran = run(source)
    assert ran.value == []
    assert ran.keys == [["a"], ["b"]]


def test_a_call_that_nobody_awaits_is_still_made() -> None:
    ran = run("get(key='a')\n'done'")
    assert (ran.value, ran.keys) == ("done", [["a"]])


def test_calls_are_still_made_when_main_has_failed() -> None:
    ran = run("get(key='a')\n1 / 0")
    assert (ran.error.name, ran.keys) == ("ZeroDivisionError", [["a"]])


@pytest.mark.parametrize("kept", ["task = ", "", "import builtins\nbuiltins.kept = "])
def test_errors_that_nobody_saw_are_logged(kept: str) -> None:
    source = f"""
import asyncio
async def late():
    await get(key="a")
    raise ValueError("too late")
{kept}asyncio.ensure_future(late())
await asyncio.sleep(0)
1
"""
    ran = run(source)
    assert ran.value == 1
    if "builtins" not in kept:
        (log,) = ran.outcome.logs
        assert log.level == "warning"
        assert "ValueError: too late (line 5)" in log.text


def test_a_deadlock_says_where_main_waits() -> None:
    source = """
    import asyncio
    async def wait():
        await asyncio.Event().wait()
    async def main():
        await wait()
    """
    error = run(source).error
    assert (error.kind, error.line) == ("deadlock", 4)


def test_results_are_delivered_in_call_order_whatever_they_are() -> None:
    source = """
    import asyncio
    out = []
    async def f(key):
        try:
            out.append(await get(key=key))
        except ToolError as error:
            out.append(str(error))
    await asyncio.gather(*(f(k) for k in "abcd"))
    out
    """

    def answer(call: Call) -> Result:
        key = call.arguments["key"]
        return Raised(CallError(f"no {key}")) if key in "bd" else Returned(key)

    assert run(source, answer).value == ["a", "no b", "c", "no d"]


def test_cancelling_main_is_a_failure() -> None:
    source = "import asyncio\nasyncio.current_task().cancel()\nawait asyncio.sleep(1)"
    assert run(source).error.name == "CancelledError"


def test_leaving_from_a_task_ends_main() -> None:
    source = """
    import asyncio, sys
    async def leave():
        sys.exit("enough")
    asyncio.create_task(leave())
    await asyncio.sleep(10)
    """
    error = run(source).error
    assert (error.name, error.message) == ("SystemExit", "enough")
