"""A guest is stopped soon after nobody waits for it, and the next program runs."""

import threading
import time

import pytest

from coderelay.core import DEFAULT_LIMITS, Completed, Program, TimedOut
from coderelay.core.wanted import is_wanted, while_wanted
from coderelay.engines.registry import engine

ENDLESS = {"typescript": "for (;;) {}", "python": "while True:\n    pass"}


def run(language: str, source: str) -> object:
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
    with pytest.raises(TimedOut), while_wanted(lambda: not gone.is_set()):
        run(language, ENDLESS[language])
    assert time.monotonic() - began < 3, "its fuel would have lasted longer"
    assert isinstance(run(language, "1 + 1"), Completed)


@pytest.mark.parametrize("language", ENDLESS)
def test_what_nobody_waits_for_is_not_begun(language: str) -> None:
    with pytest.raises(TimedOut), while_wanted(lambda: False):
        run(language, f"{language} = 1")


@pytest.mark.parametrize("language", ENDLESS)
def test_ctrl_c_is_heard_while_a_guest_runs(language: str) -> None:
    pressed = threading.Event()

    def wanted() -> bool:
        if pressed.is_set():
            raise KeyboardInterrupt  # as a signal's handler would, on the main thread
        return True

    threading.Timer(0.3, pressed.set).start()
    with pytest.raises(KeyboardInterrupt), while_wanted(wanted):
        run(language, ENDLESS[language])
    assert isinstance(run(language, "1 + 1"), Completed)


def test_inner_work_may_have_others_who_wait() -> None:
    with while_wanted(lambda: False):
        with while_wanted(lambda: True):
            assert is_wanted()
        assert not is_wanted()
    assert is_wanted()
