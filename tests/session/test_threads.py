"""A session beside event loops and threads: calls in order, callbacks in the caller's loop."""

import asyncio
import gc
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from coderelay.session import LiveLimits, Refused, ToolCall, ToolIsCode
from tests.session.sessions import Answers, call, run, session

ADD = "import sdk\nsdk.add_numbers(a=1, b=2)"
BEGUN = "import sdk\ntry:\n    sdk.echo(value=1)\nexcept Exception: pass\n"
"""Code that tells by a call that it runs, and runs on whatever comes of that call."""
WITHOUT_END = LiveLimits(fuel=10**15, step_fuel=10**15, seconds=10**9)
user: ContextVar[str] = ContextVar("user", default="nobody")


async def arun(tic: ToolIsCode, code: str) -> str:
    output = await tic.atool_call(call(code))
    assert output is not None
    return str(output["output"])


def test_an_async_callback_runs_in_the_callers_loop() -> None:
    loops: set[Any] = set()

    async def callback(req_id: str, name: str, arguments: Any) -> Any:
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return arguments["a"] + arguments["b"]

    async def main() -> None:
        with session(callback) as tic:
            assert await arun(tic, ADD) == "3"
        assert loops == {asyncio.get_running_loop()}

    asyncio.run(main())


def test_the_loop_stays_free_while_code_runs() -> None:
    async def main() -> None:
        begun = asyncio.Event()

        async def callback(*arguments: Any) -> None:
            begun.set()

        with session(callback, limits=WITHOUT_END) as tic:
            code = "import os\nwhile not os.path.exists('seen'): pass"
            task = asyncio.create_task(arun(tic, BEGUN + code))
            await begun.wait()
            (tic.directory / "seen").touch()
            assert await task == "(no output)"

    asyncio.run(main())


def test_an_async_callback_works_without_a_loop_and_always_in_the_same() -> None:
    loops: list[Any] = []

    async def callback(req_id: str, name: str, arguments: Any) -> Any:
        loops.append(asyncio.get_running_loop())
        return 3

    with session(callback) as tic:
        assert [run(tic, ADD), run(tic, ADD)] == ["3", "3"]
    assert loops[0] is loops[1]


def test_inside_a_loop_an_async_callback_must_be_awaited() -> None:
    async def callback(*arguments: Any) -> int:
        return 3

    async def main() -> None:
        with session(callback) as tic, pytest.raises(RuntimeError, match=r"await tic\.atool_call"):
            tic.tool_call(call(ADD))

    asyncio.run(main())


def test_inside_a_loop_a_plain_callback_will_do() -> None:
    async def main() -> str:
        with session() as tic:
            return run(tic, ADD)

    assert asyncio.run(main()) == "3"


def test_several_threads_may_use_one_session() -> None:
    with session() as tic, ThreadPoolExecutor(8) as pool:
        run(tic, "import sdk\ntotal = 0")
        code = "before = total\nsdk.echo(value=1)\ntotal = before + 1"
        assert set(pool.map(lambda _: run(tic, code), range(40))) == {"(no output)"}
        assert run(tic, "total") == "40"


def test_the_calls_of_one_answer_run_in_their_order() -> None:
    async def main() -> None:
        with session() as tic:
            await arun(tic, "seen = []")
            await asyncio.gather(*(arun(tic, f"seen.append({n})") for n in range(20)))
            assert await arun(tic, "seen == [*range(20)]") == "True"

    asyncio.run(main())


def test_several_sessions_share_nothing_and_no_id() -> None:
    answers = Answers()
    with session(answers) as one, session(answers) as two:
        run(one, f"{ADD}\nx = 1")
        assert "NameError" in run(two, f"{ADD}\nx")
        assert one.directory != two.directory
    ids = [req_id for req_id, _, _ in answers.calls]
    assert len(set(ids)) == len(ids) == 2


def test_a_callback_runs_in_the_context_of_its_caller() -> None:
    token = user.set("ana")
    try:
        with session(lambda *arguments: user.get()) as tic:
            assert run(tic, "import sdk\nsdk.echo(value=1)") == "'ana'"
    finally:
        user.reset(token)


def test_a_callback_that_calls_its_own_session_gets_an_error() -> None:
    inner: list[Any] = []

    def callback(*arguments: Any) -> str:
        inner.append(tic)
        return run(tic, "1")

    with session(callback) as tic:
        assert "a callback cannot call the session that waits for it" in run(tic, ADD)
        assert run(tic, "2") == "2"


def test_a_callback_may_use_another_session() -> None:
    with session() as other, session(lambda *arguments: run(other, ADD)) as tic:
        assert run(tic, ADD) == "'3'"


def test_a_call_without_an_answer_in_time_fails_in_the_program() -> None:
    release = threading.Event()
    try:
        with session(lambda *arguments: release.wait(), timeout=0.01) as tic:
            code = (
                "import sdk\ntry:\n    sdk.echo(value=1)\nexcept sdk.ToolError as e:\n    print(e)"
            )
            assert run(tic, code) == "no answer within 0.01 seconds"
            assert run(tic, "1") == "1"
    finally:
        release.set()


def test_the_code_gets_the_reason_why_a_call_was_refused() -> None:
    def approve(made: ToolCall) -> None:
        if made.name == "add_numbers":
            raise Refused("no sums on Sundays")

    told: list[Any] = []
    answers = Answers()
    options = {"on_call": approve, "on_result": lambda *arguments: told.append(arguments)}
    with session(answers, **options) as tic:
        assert run(tic, ADD).endswith("ToolError: the call was refused: no sums on Sundays")
        assert run(tic, "sdk.echo(value=7)") == "7"
    assert [made.name for made, _, _ in told] == ["add_numbers", "echo"]
    assert [name for _, name, _ in answers.calls] == ["echo"]
    assert told[1][0].req_id == answers.calls[0][0]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_a_hook_that_ends_everything_reaches_the_caller_and_the_next_call_works(
    kind: type[BaseException],
) -> None:
    stopping = [kind("no more")]

    def approve(call: ToolCall) -> None:
        if stopping:
            raise stopping.pop()

    with session(on_call=approve) as tic:
        run(tic, "import sdk\nkept = 1")
        with pytest.raises(kind, match="no more"):
            run(tic, "sdk.echo(value=1)")
        said = run(tic, "import sdk\nsdk.echo(value=2)")
        assert said.startswith("The session was restarted: its variables") and said.endswith("2")
        assert run(tic, "sdk.echo(value=3)") == "3"


def test_a_restart_that_no_caller_has_seen_is_reported_by_the_next_call() -> None:
    async def main() -> None:
        begun = asyncio.Event()

        async def callback(*arguments: Any) -> None:
            begun.set()

        with session(callback, limits=LiveLimits(fuel=500_000_000)) as tic:
            await arun(tic, "kept = 1")
            lost = asyncio.create_task(arun(tic, f"{BEGUN}while True: pass"))
            await begun.wait()
            lost.cancel()
            assert (await arun(tic, "2")).startswith("The session was restarted: its variables")
            assert await arun(tic, "3") == "3"

    asyncio.run(main())


def test_a_restart_is_reported_even_if_the_next_call_ends_before_the_first_loop_continues() -> None:
    async def main() -> None:
        with session(limits=LiveLimits(fuel=500_000_000)) as tic:
            await arun(tic, "kept = 1")
            lost = asyncio.create_task(arun(tic, "import os\nos._exit(1)"))
            following = asyncio.create_task(arun(tic, "2"))
            await asyncio.sleep(0)  # both wait for the session's thread, or run there
            lost.cancel()
            # On another thread, so that the loop stands still until all three have run.
            third = threading.Thread(target=run, args=(tic, "3"))
            third.start()
            third.join()
            assert (await following).startswith("The session was restarted: its variables")

    asyncio.run(main())


def test_a_caller_that_is_cancelled_leaves_a_session_that_works() -> None:
    cancelled = threading.Event()

    async def main() -> None:
        waiting = asyncio.Event()

        async def callback(req_id: str, name: str, arguments: Any) -> Any:
            if arguments["value"] == "wait":
                waiting.set()
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    cancelled.set()
                    raise
            return "done"

        with session(callback) as tic:
            await arun(tic, "import sdk\nseen = []")
            code = "sdk.echo(value=0)\ntry:\n    sdk.echo(value='wait')\nexcept Exception as e:\n"
            task = asyncio.create_task(arun(tic, f"{code}    seen.append(str(e))"))
            await waiting.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            said = "['the call was cancelled: its caller no longer waits for it']"
            assert await arun(tic, "seen") == said
            assert await arun(tic, "sdk.echo(value=0)") == "'done'"

    asyncio.run(main())
    assert cancelled.is_set()


def test_a_closed_session_raises_an_error_and_can_be_closed_again() -> None:
    tic = session()
    assert run(tic, "1") == "1"
    tic.close()
    tic.close()
    with pytest.raises(RuntimeError, match="the session is closed"):
        tic.tool_call(call("1"))
    assert tic.tool_call({"type": "message"}) is None


def test_a_session_that_was_never_used_is_closed_as_well() -> None:
    with session() as tic:
        assert tic.directory.exists()
    assert not tic.directory.exists()


def test_closing_ends_the_code_that_waits_for_a_tool() -> None:
    waiting = threading.Event()

    async def callback(*arguments: Any) -> None:
        waiting.set()
        await asyncio.Event().wait()

    tic = session(callback)
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(run(tic, ADD)))
    thread.start()
    waiting.wait()
    tic.close()
    thread.join()
    assert said and "the session was closed" in said[0]


@pytest.mark.parametrize("code", ["while True: pass", "import time\ntime.sleep(10**6)"])
def test_closing_stops_the_code_under_way(code: str) -> None:
    begun = threading.Event()
    tic = session(lambda *arguments: begun.set(), limits=WITHOUT_END)
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(run(tic, BEGUN + code)))
    thread.start()
    begun.wait()
    tic.close()
    thread.join()
    assert said == ["The code was stopped: the session was closed."]


def test_a_temporary_directory_goes_with_its_session(tmp_path: Path) -> None:
    with session() as tic:
        run(tic, "open('notes.txt', 'w').write('x')")
        assert (tic.directory / "notes.txt").read_text() == "x"
    assert not tic.directory.exists()
    with session(directory=tmp_path) as given:
        run(given, "open('notes.txt', 'w').write('x')")
    assert (tmp_path / "notes.txt").read_text() == "x"


def test_a_session_without_references_is_ended() -> None:
    before = set(threading.enumerate())
    tic = session()
    run(tic, ADD)
    directory = tic.directory
    own = [each for each in threading.enumerate() if each not in before]
    assert any(each.name == "coderelay session" for each in own)
    del tic
    gc.collect()
    for thread in own:
        if thread.name.startswith("coderelay"):
            thread.join()
    assert not directory.exists()


def test_a_process_that_ends_leaves_no_directory() -> None:
    code = (
        "from coderelay import ToolIsCode\n"
        "import threading\n"
        "tic = ToolIsCode([{'type': 'function', 'name': 'hang'}],"
        " lambda *arguments: threading.Event().wait(), timeout=0.01)\n"
        "tic.tool_call({'type': 'function_call', 'call_id': 'c', 'name': 'python',"
        " 'arguments': '{\"code\": \"import sdk; sdk.hang()\"}'})\n"
        "print(tic.directory)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert not Path(done.stdout.strip()).exists()
