"""Whatever a callback does becomes a result, and the event loop is not blocked."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from coderelay.core import CallError, Raised, Result, Returned
from coderelay.session.callbacks import Callback, Callbacks, Refused, ToolCall
from tests.clocks import HeldLoop

MB = 1024 * 1024


def answer(callback: Callback, *arguments: dict[str, Any], **options: Any) -> list[Result]:
    settings = {"timeout": 60.0, "limit": MB, **options}
    calls = [ToolCall("tool", each) for each in arguments or ({},)]
    with asyncio.Runner(loop_factory=HeldLoop) as runner:
        return runner.run(Callbacks(callback, now=runner.get_loop().time, **settings).answer(calls))


def let_pass(seconds: float) -> None:
    """Let time pass in the loop of `answer`."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, HeldLoop)
    loop.let_pass(seconds)


def message(result: Result) -> str:
    assert isinstance(result, Raised)
    return result.error.message


@pytest.mark.parametrize("value", ["plain", "3", "", None, 3, [1, {"a": None}], {"b": "ü"}, True])
def test_a_callback_returns_a_string_as_it_is_and_all_else_as_json(value: Any) -> None:
    async def later(req_id: str, name: str, arguments: Any) -> Any:
        return value

    assert answer(lambda *arguments: value) == [Returned(value)]
    assert answer(later) == [Returned(value)]


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", float("nan"), {"a": [object()]}])
def test_a_value_without_json_form_gives_a_clear_error(value: Any) -> None:
    assert "the tool's answer has no JSON form" in message(answer(lambda *arguments: value)[0])


def test_an_answer_that_is_too_long_is_an_error_that_says_so() -> None:
    assert "the limit is 100" in message(answer(lambda *arguments: "x" * 101, limit=100)[0])


class Speechless(Exception):
    def __str__(self) -> str:
        raise ValueError("I have no words")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no such city"), CallError("no such city", name="ValueError")),
        (RuntimeError(), CallError("RuntimeError", name="RuntimeError")),
        (StopIteration(1), CallError("coroutine raised StopIteration", name="RuntimeError")),
        (SystemExit(2), CallError("2", name="SystemExit")),
        (Speechless(), CallError("Speechless", name="Speechless")),
        (asyncio.CancelledError(), CallError("the tool was cancelled", name="CancelledError")),
    ],
    ids=lambda each: type(each).__name__,
)
def test_an_exception_is_an_answer(error: BaseException, said: CallError) -> None:
    def callback(*arguments: Any) -> Any:
        raise error

    assert answer(callback) == [Raised(said)]


def test_every_call_has_an_id_of_its_own() -> None:
    seen: list[str] = []
    answer(lambda req_id, name, arguments: seen.append(req_id), *({} for _ in range(20)))
    assert len(set(seen)) == 20


@pytest.mark.parametrize("is_async", [False, True])
def test_the_calls_of_a_batch_run_at_once_and_are_answered_in_order(is_async: bool) -> None:
    barrier = threading.Barrier(3)
    meeting = asyncio.Barrier(3)

    def plain(req_id: str, name: str, arguments: dict[str, int]) -> int:
        barrier.wait()
        return arguments["n"]

    async def later(req_id: str, name: str, arguments: dict[str, int]) -> int:
        await meeting.wait()
        return arguments["n"]

    results = answer(later if is_async else plain, {"n": 1}, {"n": 2}, {"n": 3})
    assert results == [Returned(1), Returned(2), Returned(3)]


def test_a_plain_callback_that_hangs_is_cancelled_after_its_timeout() -> None:
    release = threading.Event()

    async def approve(call: ToolCall) -> None:
        loops.append(asyncio.get_running_loop())

    def hang(*arguments: Any) -> None:
        loops[0].let_pass(60)
        release.wait()

    loops: list[Any] = []
    try:
        results = answer(hang, on_call=approve)
    finally:
        release.set()
    assert message(results[0]) == "no answer within 60 seconds"


def test_an_async_callback_that_hangs_is_cancelled() -> None:
    cancelled: list[bool] = []

    async def callback(*arguments: Any) -> None:
        let_pass(60)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    assert "no answer within" in message(answer(callback)[0])
    assert cancelled == [True]


def test_an_async_callback_that_will_not_be_cancelled_is_not_waited_for() -> None:
    release = asyncio.Event()
    ended: list[str] = []

    async def callback(*arguments: Any) -> None:
        let_pass(60)
        with pytest.raises(asyncio.CancelledError):
            await release.wait()
        await release.wait()
        ended.append("too late")

    async def main() -> None:
        results = await Callbacks(callback, 60, MB).answer([ToolCall("tool", {})])
        assert "no answer within" in message(results[0])
        assert not ended
        release.set()
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})

    with asyncio.Runner(loop_factory=HeldLoop) as runner:
        runner.run(main())
    assert ended == ["too late"]


def test_a_call_can_be_refused_with_a_reason() -> None:
    made: list[str] = []

    def approve(call: ToolCall) -> None:
        if call.arguments["n"] > 1:
            raise Refused("only one")

    def callback(req_id: str, name: str, arguments: Any) -> str:
        made.append(req_id)
        return "done"

    results = answer(callback, {"n": 1}, {"n": 2}, on_call=approve)
    assert results[0] == Returned("done")
    assert message(results[1]) == "the call was refused: only one"
    assert len(made) == 1


def test_a_hook_that_fails_allows_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def approve(call: ToolCall) -> None:
        raise KeyError("policy")

    made: list[Any] = []
    results = answer(lambda *arguments: made.append(arguments), on_call=approve)
    assert "could not be approved" in message(results[0])
    assert not made
    assert "on_call failed" in caplog.text


def test_the_time_to_approve_a_call_is_not_the_tools() -> None:
    async def approve(call: ToolCall) -> None:
        let_pass(100)
        await asyncio.sleep(0)

    async def callback(*arguments: Any) -> str:
        let_pass(7)
        await asyncio.sleep(0)
        return "done"

    seconds: list[float] = []
    results = answer(
        callback,
        on_call=approve,
        on_result=lambda call, result, taken: seconds.append(taken),
    )
    assert results == [Returned("done")]
    assert seconds == [7]


def test_on_result_gets_each_result_and_its_own_failure_is_only_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[Any] = []

    def callback(req_id: str, name: str, arguments: Any) -> str:
        if not arguments:
            raise ValueError("no")
        return "done"

    def tell(*arguments: Any) -> None:
        told.append(arguments)
        raise RuntimeError("the log is full")

    results = answer(callback, {"n": 1}, {}, on_result=tell)
    assert {call.arguments.get("n"): result for call, result, _ in told} == dict(
        zip((1, None), results, strict=True)
    )
    assert all(seconds >= 0 for _, _, seconds in told)
    assert "on_result failed" in caplog.text


@pytest.mark.parametrize("make", [lambda f: f, lambda f: type("C", (), {"__call__": f})()])
def test_an_async_callback_runs_on_the_loops_thread(make: Callable[[Any], Any]) -> None:
    async def where(*arguments: Any) -> bool:
        return threading.current_thread() is threading.main_thread()

    assert answer(make(where)) == [Returned(True)]
