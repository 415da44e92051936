"""A guest is stopped soon after it is cancelled, and the next program runs."""

from collections.abc import Callable

import pytest

from coderelay.core import Completed, Limits, Program, TimedOut
from coderelay.core.cancellation import cancel_unless, is_still_needed
from coderelay.languages.language_registry import engine
from tests.threads import on_a_thread

WITHOUT_END = Limits(fuel=10**15, step_fuel=10**15, seconds=10**9)
ENDLESS = {"typescript": "for (;;) {}", "python": "while True:\n    pass"}


def run(language: str, source: str, needed: Callable[[], bool] = lambda: True) -> object:
    """What comes of a program, on a thread of its own."""

    def work() -> object:
        with cancel_unless(needed):
            return outcome(language, source)

    return on_a_thread(work)


def outcome(language: str, source: str) -> object:
    execution = engine(language).start(Program(language, source), (), WITHOUT_END)
    try:
        return execution.advance([])
    finally:
        execution.close()


@pytest.mark.parametrize("language", ENDLESS)
def test_a_guest_that_is_no_longer_needed_is_stopped(language: str) -> None:
    checks: list[str] = []

    def needed() -> bool:
        checks.append("a guest begins, or has run for a while")
        return len(checks) <= 4

    with pytest.raises(TimedOut):
        run(language, ENDLESS[language], needed)
    assert isinstance(run(language, "1 + 1"), Completed)


@pytest.mark.parametrize("language", ENDLESS)
def test_cancelled_work_is_not_begun(language: str) -> None:
    with pytest.raises(TimedOut):
        run(language, f"{language} = 1", lambda: False)


@pytest.mark.parametrize("language", ENDLESS)
def test_an_exception_of_the_cancellation_check_is_raised_after_the_guest_was_left(
    language: str,
) -> None:
    checks: list[int] = []

    def needed() -> bool:
        checks.append(1)
        if len(checks) > 4:
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        run(language, ENDLESS[language], needed)
    assert isinstance(run(language, "1 + 1"), Completed)


def test_nested_work_may_have_its_own_cancellation() -> None:
    with cancel_unless(lambda: False):
        with cancel_unless(lambda: True):
            assert is_still_needed()
        assert not is_still_needed()
    assert is_still_needed()
