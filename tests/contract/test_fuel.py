"""Fuel is counted for a step and for the whole run; a replay runs out of it at the same place."""

from dataclasses import replace

import pytest

from coderelay import Entry, Failed, Limits, Program, Returned, Suspended, Tool, evaluate, start
from coderelay.conversation.model_view import outcome_for_model
from coderelay.core import DEFAULT_LIMITS, Completed, Outcome
from coderelay.languages.language_registry import LANGUAGES

STEPS = 10
SECOND = 13_000_000_000
"""What a machine that is twice as fast as ours spends in a second of plain loops."""
TOOL = Tool("get", parameters={"type": "object", "properties": {"step": {"type": "integer"}}})
WORKING = {
    "typescript": """
        let sum = 0;
        for (let step = 0; step < 10; step++) {
            for (let i = 0; i < 50_000; i++) sum += i % 7;
            sum += await get({ step });
        }
        return sum;
    """,
    "python": """
total = 0
for step in range(10):
    for i in range(50_000):
        total += i % 7
    total += await get(step=step)
total
""",
}
JOURNAL = [Entry("get", {"step": step}, Returned(step)) for step in range(STEPS)]
each_language = pytest.mark.parametrize("language", LANGUAGES)


def at(language: str, answers: int, limits: Limits) -> Outcome:
    program = Program(language, WORKING[language])
    return evaluate(program, [TOOL], JOURNAL[:answers], limits=limits)


def step_of(language: str) -> int:
    """What one step of the program spends."""
    one, two = (at(language, answers, DEFAULT_LIMITS).fuel for answers in (1, 2))
    return two - one


@each_language
def test_many_steps_finish_that_each_use_most_of_a_steps_budget(language: str) -> None:
    limits = replace(DEFAULT_LIMITS, step_fuel=step_of(language) * 5 // 4)
    run = start(Program(language, WORKING[language]), [TOOL], limits=limits)
    live: list[Outcome] = [run.proceed([])]
    live += [run.proceed([entry]) for entry in JOURNAL]
    run.close()
    assert isinstance(live[-1], Completed)
    assert live == [at(language, answers, limits) for answers in range(STEPS + 1)]
    assert live[-1].fuel > 5 * limits.step_fuel


@each_language
def test_one_step_that_is_too_long_fails_and_says_so(language: str) -> None:
    limits = replace(DEFAULT_LIMITS, step_fuel=step_of(language) * 3 // 4)
    outcome = at(language, 0, limits)
    assert isinstance(outcome, Failed)
    assert (outcome.error.kind, outcome.error.limit) == ("limit", "step_fuel")
    assert "do less between two calls" in outcome.error.message
    assert outcome.fuel == limits.step_fuel


@each_language
def test_all_steps_together_have_a_budget_too(language: str) -> None:
    limits = replace(DEFAULT_LIMITS, fuel=step_of(language) * 7 // 2)
    assert isinstance(at(language, 2, limits), Suspended)
    ended = at(language, 3, limits)
    assert isinstance(ended, Failed) and ended.error.limit == "fuel"
    assert ended.fuel == limits.fuel


def test_ten_steps_of_a_second_fit_into_the_defaults() -> None:
    assert DEFAULT_LIMITS.fuel >= STEPS * SECOND
    assert DEFAULT_LIMITS.step_fuel >= 4 * SECOND
    assert DEFAULT_LIMITS.seconds >= 60


@each_language
def test_a_failure_by_limit_says_which_calls_were_made(language: str) -> None:
    limits = replace(DEFAULT_LIMITS, fuel=step_of(language) * 7 // 2)
    outcome = at(language, 3, limits)
    assert isinstance(outcome, Failed)
    assert outcome.error.calls.endswith(': get({"step":0}), get({"step":1}), get({"step":2}).')
    assert "do not repeat" in outcome.error.calls
    assert outcome.error.calls in outcome_for_model(outcome)
    assert at(language, 3, limits) == outcome
