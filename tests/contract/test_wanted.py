"""A guest is stopped soon after nobody waits for it, and the next program runs."""

import threading
import time
from collections.abc import Callable

import pytest

from coderelay.core import DEFAULT_LIMITS, Completed, Program, TimedOut
from coderelay.core.wanted import is_wanted, while_wanted
from coderelay.engines.registry import engine
from coderelay.engines.wasm.nativestack import start_with_stack

ENDLESS = {"typescript": "for (;;) {}", "python": "while True:\n    pass"}


def run(language: str, source: str, wanted: Callable[[], bool] = lambda: True) -> object:
    """What comes of a program, on a thread of its own."""
    ended: list[object] = []
    over = threading.Event()

    def work() -> None:
        try:
            with while_wanted(wanted):
                ended.append(outcome(language, source))
        except BaseException as error:
            ended.append(error)
        finally:
            over.set()

    start_with_stack(work, "wanted")
    assert over.wait(60)
    if isinstance(ended[0], BaseException):
        raise ended[0]
    return ended[0]


def outcome(language: str, source: str) -> object:
    execution = engine(language).start(Program(language, source), (), DEFAULT_LIMITS)
    try:
        return execution.advance([])
    finally:
        execution.close()


@pytest.mark.parametrize("language", ENDLESS)
def test_a_guest_that_nobody_waits_for_is_stopped(language: str) -> None:
    run(language, "1")  # the engine is ready
    gone = threading.Event()
    threading.Timer(0.3, gone.set).start()
    began = time.monotonic()
    with pytest.raises(TimedOut):
        run(language, ENDLESS[language], lambda: not gone.is_set())
    assert time.monotonic() - began < 3, "its fuel would have lasted longer"
    assert isinstance(run(language, "1 + 1"), Completed)


@pytest.mark.parametrize("language", ENDLESS)
def test_what_nobody_waits_for_is_not_begun(language: str) -> None:
    with pytest.raises(TimedOut):
        run(language, f"{language} = 1", lambda: False)


@pytest.mark.parametrize("language", ENDLESS)
def test_what_the_question_raises_is_raised_when_the_guest_has_been_left(language: str) -> None:
    asked: list[int] = []

    def wanted() -> bool:
        asked.append(1)
        if len(asked) > 4:
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        run(language, ENDLESS[language], wanted)
    assert isinstance(run(language, "1 + 1"), Completed)


def test_inner_work_may_have_others_who_wait() -> None:
    with while_wanted(lambda: False):
        with while_wanted(lambda: True):
            assert is_wanted()
        assert not is_wanted()
    assert is_wanted()
