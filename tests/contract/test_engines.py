"""One contract, over every engine: the laws do not depend on the language."""

import re

import pytest

from coderelay.core import (
    Call,
    CallError,
    Completed,
    Diverged,
    Entry,
    Failed,
    InvalidTool,
    Limits,
    Outcome,
    Program,
    Raised,
    Result,
    Returned,
    Suspended,
    TimedOut,
    Tool,
    UnknownLanguage,
)
from coderelay.languages.language_registry import LANGUAGES, engine
from coderelay.programs import evaluate, start
from tests.contract.programs import PROGRAMS

KEY = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
TOOLS = (
    Tool("look_up", "Looks a key up.", KEY | {"additionalProperties": False}),
    Tool("anything", "Gives back anything.", {"type": "object", "properties": {"key": {}}}),
)
QUICK = Limits(fuel=2_000_000_000, seconds=600)


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def program(language: str, name: str, **fields: object) -> Program:
    return Program(language, PROGRAMS[name][language], **fields)  # type: ignore[arg-type]


def answer(call: Call) -> Result:
    key = call.arguments["key"]
    if key == "fail":
        return Raised(CallError("no such key", name="KeyMissing"))
    return Returned(key + "!" if isinstance(key, str) else key)


def finished(program: Program, limits: Limits = QUICK) -> tuple[Outcome, list[list[object]]]:
    """A program's last outcome, and the keys of its batches."""
    run, batches = start(program, TOOLS, limits=limits), []
    outcome = run.proceed([])
    while isinstance(outcome, Suspended):
        batches.append([call.arguments["key"] for call in outcome.calls])
        entries = [Entry(call.name, call.arguments, answer(call)) for call in outcome.calls]
        outcome = run.proceed(entries)
    run.close()
    return outcome, batches


def completed(language: str, name: str) -> tuple[object, list[list[object]]]:
    outcome, batches = finished(program(language, name))
    assert isinstance(outcome, Completed), outcome
    return outcome.value, batches


def failed(language: str, name: str, limits: Limits = QUICK) -> Failed:
    outcome, _ = finished(program(language, name), limits)
    assert isinstance(outcome, Failed), outcome
    return outcome


def test_calls_in_sequence_are_batches_of_one(language: str) -> None:
    assert completed(language, "sequence") == ("a!!", [["a"], ["a!"]])


def test_calls_in_parallel_are_one_batch(language: str) -> None:
    assert completed(language, "parallel") == (["a!", "b!"], [["a", "b"]])


def test_a_loop_makes_one_call_in_each_step(language: str) -> None:
    assert completed(language, "loop") == (["k0!", "k1!", "k2!"], [["k0"], ["k1"], ["k2"]])


def test_a_failed_tool_can_be_caught(language: str) -> None:
    value, _ = completed(language, "caught failure")
    assert value == [{"typescript": "KeyMissing"}.get(language, "ToolError"), "no such key"]


def test_an_uncaught_failure_points_at_the_call(language: str) -> None:
    error = failed(language, "uncaught failure").error
    assert (error.kind, error.line) == ("exception", 3)
    assert "no such key" in error.message
    assert "> 3 |" in error.frame


def test_a_program_that_catches_everything_still_suspends(language: str) -> None:
    assert completed(language, "catches everything") == ("a!", [["a"]])


def test_calls_that_are_never_awaited_are_still_made_after_the_end(language: str) -> None:
    assert completed(language, "never awaited") == ("done", [["a"], ["a!!"]])


def test_a_tool_always_beats_a_timer(language: str) -> None:
    assert completed(language, "tool beats timer") == ("tool!", [["tool"]])


def test_a_program_that_waits_for_nothing_is_a_deadlock(language: str) -> None:
    assert failed(language, "deadlock").error.kind == "deadlock"


def test_a_call_with_wrong_arguments_fails_before_it_reaches_the_client(language: str) -> None:
    outcome, batches = finished(program(language, "misfit"))
    assert isinstance(outcome, Failed)
    assert batches == []
    assert (outcome.error.kind, outcome.error.line) == ("arguments", 2)
    assert "key" in outcome.error.message
    assert "string" in outcome.error.message


def test_a_caught_argument_error_has_no_journal_entry(language: str) -> None:
    assert completed(language, "caught misfit") == ("b!", [["b"]])


def test_an_unknown_tool_names_the_nearest(language: str) -> None:
    error = failed(language, "unknown tool").error
    assert error.line == 2
    assert {"typescript": "lookUp", "python": "look_up"}[language] in error.message


def test_logs_are_kept_in_order_at_every_step(language: str) -> None:
    first = evaluate(program(language, "logs"), TOOLS, [], limits=QUICK)
    assert [log.text for log in first.logs] == ["one"]
    outcome, _ = finished(program(language, "logs"))
    assert [log.text for log in outcome.logs] == ["one", "two"]


def test_a_program_without_end_runs_out_of_fuel_and_keeps_its_logs(language: str) -> None:
    outcome = failed(language, "endless")
    assert (outcome.error.kind, outcome.error.limit) == ("limit", "fuel")
    assert [log.text for log in outcome.logs] == ["so far"]
    assert outcome.fuel == QUICK.fuel


@pytest.mark.parametrize(
    ("name", "limit", "limits"),
    [
        ("many calls", "calls", Limits(calls=20)),
        ("many waiting", "waiting", Limits(waiting=20)),
        ("big value", "value", Limits(value=2000)),
        ("big argument", "arguments", Limits(arguments=2000)),
        ("big log", "logs", Limits(logs=2000)),
        ("big value", "source", Limits(source=5)),
        ("sequence", "result", Limits(result=3)),
        ("memory", "memory", Limits(seconds=600)),
        ("endless", "fuel", Limits(fuel=100_000_000)),
        ("endless", "step_fuel", Limits(step_fuel=100_000_000)),
    ],
)
def test_passing_a_limit_fails_and_names_it(
    language: str, name: str, limit: str, limits: Limits
) -> None:
    error = failed(language, name, limits).error
    assert (error.kind, error.limit) == ("limit", limit)
    assert re.search(r": [a-z]+ \w+", error.message), "it says what to do"
    assert completed(language, "sequence")[0] == "a!!"


def test_results_that_no_guest_could_hold_are_refused_early(language: str) -> None:
    limits, big = Limits(memory=100 << 20), "x" * (7 << 20)
    run = start(program(language, "many waiting"), TOOLS, limits=limits)
    waiting = run.proceed([])
    assert isinstance(waiting, Suspended)
    outcome = run.proceed([Entry(c.name, c.arguments, Returned(big)) for c in waiting.calls])
    assert isinstance(outcome, Failed)
    assert (outcome.error.kind, outcome.error.limit) == ("limit", "memory")
    assert "make fewer calls at once" in outcome.error.message


def test_the_wall_clock_is_an_error_to_try_again_and_never_an_outcome(language: str) -> None:
    with pytest.raises(TimedOut) as caught:
        finished(program(language, "endless"), Limits(fuel=10**15, step_fuel=10**15, seconds=0.3))
    assert caught.value.retryable


def test_chance_comes_from_the_id_alone(language: str) -> None:
    first, _ = finished(program(language, "chance", id="one"))
    again, _ = finished(program(language, "chance", id="one", created=5))
    other, _ = finished(program(language, "chance", id="two"))
    assert isinstance(first, Completed)
    assert isinstance(again, Completed)
    assert isinstance(other, Completed)
    assert first.value == again.value
    assert first.value != other.value


def test_time_starts_at_the_programs_creation_and_passes_in_timers(language: str) -> None:
    outcome, _ = finished(program(language, "time", created=1_000_000))
    assert isinstance(outcome, Completed)
    assert outcome.value == [1_000_000, 5]


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1.5,
        1e300,
        2**53 + 1,
        -(2**70),
        "",
        "é😀\u2028\0\ud800",
        [],
        {},
        {"__proto__": 1, "constructor": {"a": [None]}, "": 0},
        [[[[[{"deep": [1, 2, 3]}]]]]],
    ],
)
def test_json_passes_through_a_program_exactly(language: str, value: object) -> None:
    run = start(program(language, "echo"), TOOLS, limits=QUICK)
    outcome = run.proceed([])
    seen = []
    while isinstance(outcome, Suspended):
        (call,) = outcome.calls
        seen.append(call.arguments["key"])
        outcome = run.proceed([Entry(call.name, call.arguments, Returned(value))])
    assert isinstance(outcome, Completed), outcome
    assert outcome.value == [value, value]
    assert seen == ["a", value]


def test_a_syntax_error_says_where(language: str) -> None:
    error = failed(language, "syntax").error
    assert (error.kind, error.line) == ("syntax", 2)
    assert error.column is not None


def test_an_exception_has_name_message_place_frame_and_stack(language: str) -> None:
    error = failed(language, "throws").error
    assert (error.kind, error.name, error.message) == ("exception", "TypeError", "no good")
    assert error.line == 2
    assert "> 2 |" in error.frame
    assert "inner" in error.stack


def test_another_programs_journal_diverges(language: str) -> None:
    journal = [Entry("look_up", {"key": "z"}, Returned("z!"))]
    with pytest.raises(Diverged, match=r'look_up\({"key":"z"}\).*look_up\({"key":"a"}\)'):
        evaluate(program(language, "sequence"), TOOLS, journal)


def test_a_tool_with_an_invalid_schema_is_refused(language: str) -> None:
    with pytest.raises(InvalidTool, match="broken"):
        evaluate(program(language, "chance"), [Tool("broken", "", {"type": "nonsense"})], [])


def test_a_language_and_its_engine_have_the_same_name(language: str) -> None:
    assert LANGUAGES[language].name == engine(language).language == language


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownLanguage, match="typescript"):
        evaluate(Program("cobol", ""), (), ())
