"""A program pays with its fuel for what the host does for its calls, in every engine."""

from dataclasses import replace

import pytest

from coderelay.core import (
    DEFAULT_LIMITS,
    Call,
    Completed,
    Entry,
    Failed,
    Limits,
    Outcome,
    Program,
    Result,
    Returned,
    Run,
    Suspended,
    ToolName,
    Work,
)
from coderelay.languages.language_registry import LANGUAGES, engine

PRICE = 1_000_000
PROGRAMS = {
    "typescript": "const a = await help({ key: 1 }); return [a, await ask({ key: a })]",
    "python": "a = await help(key=1)\n[a, await ask(key=a)]",
}
NAMES = (ToolName("help", ("help",)), ToolName("ask", ("ask",)))


class PaidHost:
    """Answers `help`, and takes a price for every call that it looks at."""

    def __init__(self, price: int) -> None:
        self.price = price

    def answer(self, call: Call, work: Work) -> Result | None:
        work.add(self.price)
        return Returned(2) if call.name == "help" else None


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(language: str, price: int, limits: Limits = DEFAULT_LIMITS) -> Run:
    program = Program(language, PROGRAMS[language], id="paid")
    return Run(engine(language).start(program, NAMES, limits), PaidHost(price))


def ran(language: str, price: int, limits: Limits = DEFAULT_LIMITS) -> list[Outcome]:
    """What a program comes to: live at each batch, then replayed at each length of its journal.

    It is replayed often enough for an engine to go on from a checkpoint.
    """
    journal = [Entry("ask", {"key": 2}, Returned(3))]
    live = run(language, price, limits)
    outcomes = [live.proceed([])]
    if isinstance(outcomes[0], Suspended):
        outcomes.append(live.proceed(journal))
    live.close()
    for _ in range(3):
        for length, outcome in enumerate(outcomes):
            again = run(language, price, limits)
            assert again.proceed(journal[:length]) == outcome
            again.close()
    return outcomes


def test_the_exact_cost_of_host_work_is_taken_from_the_fuel(language: str) -> None:
    free, paid = ran(language, 0), ran(language, PRICE)
    assert isinstance(free[-1], Completed)
    assert [each.fuel for each in paid] == [each.fuel + 2 * PRICE for each in free]
    assert paid[-1] == replace(free[-1], fuel=free[-1].fuel + 2 * PRICE)


def test_host_work_without_fuel_left_fails_live_and_replayed(language: str) -> None:
    limits = replace(DEFAULT_LIMITS, fuel=10**9)
    (outcome,) = ran(language, 10**9, limits)
    assert isinstance(outcome, Failed)
    assert (outcome.error.kind, outcome.error.limit) == ("limit", "fuel")
    assert outcome.fuel == limits.fuel
