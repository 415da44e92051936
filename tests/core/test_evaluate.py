"""The loop over an execution, on scripted programs: no sandbox is needed to test a rule."""

import pytest

from coderelay.core import (
    Call,
    CallError,
    Completed,
    Diverged,
    Entry,
    Failed,
    Failure,
    Log,
    Program,
    Raised,
    Result,
    Returned,
    Run,
    Suspended,
    Work,
    evaluate,
)
from coderelay.core.limits import DEFAULT_LIMITS, Limits
from coderelay.engines.scripted_engine import Script, ScriptedEngine, ScriptedExecution, value


def news() -> Script:
    """Two calls at once, then one that depends on them."""
    first, second = yield [("search", {"q": "a"}), ("search", {"q": "b"})]
    yield Log("log", "half way")
    (third,) = yield [("rank", {"items": [value(first), value(second)]})]
    return value(third)


def helped() -> Script:
    """A batch of which the host answers a part, and one that it answers whole."""
    results = yield [("help", 1), ("search", {"q": "a"}), ("help", 2)]
    more = yield [("help", [value(result) for result in results])]
    return value(more[0])


def idle() -> Script:
    return 5
    yield []


ENGINE = ScriptedEngine({"news": news, "helped": helped, "idle": idle})
JOURNAL = (
    Entry("search", {"q": "a"}, Returned(1)),
    Entry("search", {"q": "b"}, Returned(2)),
    Entry("rank", {"items": [1, 2]}, Returned("done")),
)


class Helper:
    """Answers `help` by itself, and nothing else."""

    def answer(self, call: Call, work: Work) -> Result | None:
        return Returned({"helped": call.arguments}) if call.name == "help" else None


class PaidHelper(Helper):
    """The same, for 10 of fuel a call, its own or not. It counts the calls that it looked at."""

    def __init__(self) -> None:
        self.calls_seen = 0

    def answer(self, call: Call, work: Work) -> Result | None:
        self.calls_seen += 1
        work.add(10)
        return super().answer(call, work)


def started(source: str, limits: Limits = DEFAULT_LIMITS) -> ScriptedExecution:
    return ENGINE.start(Program("scripted", source), (), limits)


def test_a_program_without_calls_completes_at_once() -> None:
    assert evaluate(started("idle"), (), Helper()) == Completed(5, fuel=1)


def test_a_program_waits_for_its_batch() -> None:
    outcome = evaluate(started("news"), (), Helper())
    assert outcome == Suspended(
        (Call(0, "search", {"q": "a"}), Call(1, "search", {"q": "b"})), fuel=1
    )


def test_a_batch_is_delivered_only_when_its_last_result_is_there() -> None:
    execution = started("news")
    outcome = evaluate(execution, JOURNAL[:1], Helper())
    assert isinstance(outcome, Suspended)
    assert outcome.calls == (Call(1, "search", {"q": "b"}),)
    assert execution.steps == 1


def test_logs_are_all_those_from_the_start() -> None:
    outcome = evaluate(started("news"), JOURNAL[:2], Helper())
    assert outcome.logs == (Log("log", "half way"),)


def test_a_full_journal_runs_a_program_to_its_end() -> None:
    assert evaluate(started("news"), JOURNAL, Helper()) == Completed(
        "done", (Log("log", "half way"),), 3
    )


@pytest.mark.parametrize("pieces", [(3,), (2, 1), (1, 2), (1, 1, 1)])
def test_however_the_entries_come_the_steps_are_the_same(pieces: tuple[int, ...]) -> None:
    execution, given = started("news"), 0
    run = Run(execution, Helper())
    outcome = run.proceed([])
    for size in pieces:
        outcome = run.proceed(JOURNAL[given : given + size])
        given += size
    assert isinstance(outcome, Completed)
    assert execution.steps == 3


def test_a_host_answered_call_is_never_shown_and_takes_no_place_in_the_journal() -> None:
    outcome = evaluate(started("helped"), (), Helper())
    assert isinstance(outcome, Suspended)
    assert outcome.calls == (Call(0, "search", {"q": "a"}),)


def test_results_reach_a_mixed_batch_in_call_order() -> None:
    entry = Entry("search", {"q": "a"}, Returned("found"))
    outcome = evaluate(started("helped"), [entry], Helper())
    assert isinstance(outcome, Completed)
    assert outcome.value == {"helped": [{"helped": 1}, "found", {"helped": 2}]}


def test_a_raised_result_fails_a_program_that_does_not_catch_it() -> None:
    entries = [Entry("search", {"q": q}, Raised(CallError("down", "NetError"))) for q in "ab"]
    outcome = evaluate(started("news"), entries, Helper())
    assert isinstance(outcome, Failed)
    assert outcome.error == Failure("exception", "down", name="NetError"), "no call succeeded"


def test_a_different_argument_diverges_and_says_which_call_and_how() -> None:
    wrong = (JOURNAL[0], Entry("search", {"q": "c"}, Returned(2)))
    with pytest.raises(Diverged) as caught:
        evaluate(started("news"), wrong, Helper())
    assert caught.value.index == 1
    assert caught.value.recorded == {"name": "search", "arguments": {"q": "c"}}
    assert caught.value.came == {"name": "search", "arguments": {"q": "b"}}
    assert str(caught.value) == (
        'call 1 diverged: the journal has search({"q":"c"}), the program called search({"q":"b"})'
    )


def test_a_different_name_diverges() -> None:
    with pytest.raises(Diverged, match="call 0 diverged"):
        evaluate(started("news"), [Entry("find", {"q": "a"}, Returned(1))], Helper())


def test_a_journal_that_goes_on_after_the_end_diverges() -> None:
    with pytest.raises(Diverged, match=r"the program ended after 3 calls"):
        evaluate(started("news"), (*JOURNAL, JOURNAL[0]), Helper())


def test_a_run_that_has_ended_takes_no_more_entries() -> None:
    run = Run(started("idle"), Helper())
    assert isinstance(run.proceed([]), Completed)
    with pytest.raises(Diverged):
        run.proceed(JOURNAL[:1])


def test_proceeding_without_new_entries_changes_nothing() -> None:
    execution = started("news")
    run = Run(execution, Helper())
    assert run.proceed([]) == run.proceed([])
    assert execution.steps == 1


def test_evaluate_closes_its_execution_even_when_it_diverges() -> None:
    execution = started("idle")
    with pytest.raises(Diverged):
        evaluate(execution, JOURNAL, Helper())
    assert execution.closed


@pytest.mark.parametrize("given", [0, 1])
def test_the_program_pays_for_what_the_host_does_live_and_replayed(given: int) -> None:
    journal = [Entry("search", {"q": "a"}, Returned("found"))]
    run = Run(started("helped"), PaidHelper())
    suspended = run.proceed([])
    assert suspended.fuel == 31
    assert evaluate(started("helped"), journal[:given], PaidHelper()).fuel == (31, 43)[given]
    assert run.proceed(journal) == evaluate(started("helped"), journal, PaidHelper())


def test_a_program_that_cannot_pay_fails_before_the_host_works_on() -> None:
    host = PaidHelper()
    outcome = evaluate(started("helped", Limits(fuel=20)), (), host)
    assert isinstance(outcome, Failed)
    assert (outcome.error.limit, outcome.fuel) == ("fuel", 20)
    assert host.calls_seen == 2
