"""Ctrl-C on the main thread ends a run at any moment, without a crash and without leaks."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from coderelay import Completed, Limits, Program, TimedOut, evaluate, start
from coderelay.core.cancellation import cancel_unless
from coderelay.engines.wasm.off_main import OffMainThread

ROOT = Path(__file__).parent.parent.parent
WITHOUT_END = Limits(fuel=10**15, step_fuel=10**15, seconds=10**9)
ENDLESS = {"typescript": "for (;;) {}", "python": "while True:\n    pass"}
languages = pytest.mark.parametrize("language", ENDLESS)


def interrupting(folder: Path, *arguments: str) -> dict[str, Any]:
    """What a process tells that was interrupted again and again."""
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.interrupting", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-5_000:]
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def is_clean(told: dict[str, Any], *, interrupted: int) -> None:
    """There were so many interruptions, and the process holds no more than before: at most what is
    made ahead of need, or is about to be freed."""
    assert told["interrupted"] >= interrupted
    before, after = told["before"], told["after"]
    assert after["folders"] == 0
    assert after["threads"] <= before["threads"] + 3
    assert after["stores"] <= before["stores"] + 6
    assert after["gigabytes"] <= before["gigabytes"] + 30, "each guest has four of address space"


@pytest.mark.parametrize(
    ("kind", "language", "stride", "interrupted"),
    [
        ("evaluate", "typescript", "5", 300),
        ("evaluate", "python", "5", 300),
        ("live", "typescript", "11", 200),
        ("live", "python", "11", 200),
        ("session", "python", "37", 100),
    ],
)
def test_an_interruption_before_any_step_of_the_main_thread_ends_a_run(
    tmp_path: Path, kind: str, language: str, stride: str, interrupted: int
) -> None:
    told = interrupting(tmp_path, kind, language, "every", stride)
    is_clean(told, interrupted=interrupted)
    assert told["ended"] <= told["interrupted"] // 50 + 1, "a Ctrl-C is lost in a finaliser at most"


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to a thread")
@pytest.mark.parametrize(
    ("kind", "language"),
    [
        ("evaluate", "typescript"),
        ("evaluate", "python"),
        ("live", "typescript"),
        ("live", "python"),
        ("session", "python"),
    ],
)
def test_many_signals_end_only_runs(tmp_path: Path, kind: str, language: str) -> None:
    is_clean(interrupting(tmp_path, kind, language, "storm", "400"), interrupted=20)


@contextmanager
def handling(number: int, handler: Callable[[int, Any], None]) -> Iterator[None]:
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextmanager
def once_it_runs(act: Callable[[], None]) -> Iterator[None]:
    """Do something, on another thread, when a guest has run for a while."""
    asked: list[None] = []
    runs = threading.Event()

    def needed() -> bool:
        asked.append(None)
        if len(asked) > 3:
            runs.set()
        return True

    def wait() -> None:
        runs.wait()
        act()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    with cancel_unless(needed):
        yield


@languages
def test_ctrl_c_stops_a_program_without_end(language: str) -> None:
    program = Program(language, ENDLESS[language])
    interrupt = signal.default_int_handler
    with (
        handling(signal.SIGINT, interrupt),
        once_it_runs(lambda: signal.raise_signal(signal.SIGINT)),
        pytest.raises(KeyboardInterrupt),
    ):
        evaluate(program, [], [], limits=WITHOUT_END)
    assert isinstance(evaluate(Program(language, "1"), [], []), Completed)


@languages
def test_a_run_that_was_interrupted_goes_no_further(language: str) -> None:
    run = start(Program(language, ENDLESS[language]), [], limits=WITHOUT_END)
    with (
        handling(signal.SIGINT, signal.default_int_handler),
        once_it_runs(lambda: signal.raise_signal(signal.SIGINT)),
        pytest.raises(KeyboardInterrupt),
    ):
        run.proceed([])
    with pytest.raises(RuntimeError, match="has ended"):
        run.proceed([])
    run.close()


@languages
def test_a_handler_that_raises_nothing_is_called_while_the_program_runs(language: str) -> None:
    handled = threading.Event()
    program = Program(language, ENDLESS[language])
    values: list[object] = []

    def handler(number: int, frame: object) -> None:
        outcome = evaluate(Program(language, "7"), [], [])  # it may even run a program
        values.append(outcome.value if isinstance(outcome, Completed) else outcome)
        handled.set()

    with (
        handling(signal.SIGTERM, handler),
        once_it_runs(lambda: signal.raise_signal(signal.SIGTERM)),
        while_needed_too(lambda: not handled.is_set()),
        pytest.raises(TimedOut),
    ):
        evaluate(program, [], [], limits=WITHOUT_END)
    assert values == [7]


@contextmanager
def while_needed_too(needed: Callable[[], bool]) -> Iterator[None]:
    """Whoever waits outside waits as well."""
    from coderelay.core.cancellation import need_check

    outer = need_check()
    with cancel_unless(lambda: outer() and needed()):
        yield


def test_ctrl_c_ends_the_wait_even_if_resources_cannot_be_released(
    caplog: pytest.LogCaptureFixture,
) -> None:
    interrupted = threading.Event()

    def work() -> None:
        signal.raise_signal(signal.SIGINT)  # its handler runs on the main thread
        interrupted.wait()

    def interrupt(number: int, frame: object) -> None:
        interrupted.set()
        raise KeyboardInterrupt

    def end() -> None:
        raise OSError("the disk is full")

    with handling(signal.SIGINT, interrupt), pytest.raises(KeyboardInterrupt):
        OffMainThread().run(work, end)
    assert "the disk is full" in caplog.text
