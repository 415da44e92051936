"""The engines' shared code enforces limits that no single call shows."""

import threading

import pytest

from coderelay import Program, evaluate
from coderelay.core import EngineError, Failed, Limits, StackTooSmall, Tool
from coderelay.languages.language_registry import LANGUAGES

MANY = {
    "typescript": "for (let i = 0; i < 40; i++) void keep({ text: 'x'.repeat(1000) });",
    "python": "import asyncio\nawait asyncio.gather(*[keep(text='x' * 1000) for i in range(40)])",
}
TOOL = Tool("keep", "", {"type": "object", "properties": {"text": {"type": "string"}}})


@pytest.mark.parametrize("name", ["fuel", "seconds", "memory", "calls", "value"])
def test_a_negative_limit_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: -1})


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_arguments_of_all_waiting_calls_are_bounded(language: str) -> None:
    outcome = evaluate(Program(language, MANY[language]), [TOOL], [], limits=Limits(batch=20_000))
    assert isinstance(outcome, Failed)
    assert (outcome.error.kind, outcome.error.limit) == ("limit", "batch")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_thread_whose_stack_cannot_hold_a_guest_is_refused(language: str) -> None:
    caught: list[BaseException] = []

    def work() -> None:
        try:
            evaluate(Program(language, "1"), [], [])
        except BaseException as error:
            caught.append(error)

    before = threading.stack_size(1024 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert isinstance(caught[0], StackTooSmall)
    assert "threading.stack_size" in str(caught[0])


def test_too_little_memory_for_the_guest_itself_is_an_engine_error() -> None:
    with pytest.raises(EngineError, match="memory"):
        evaluate(Program("typescript", "1"), [], [], limits=Limits(memory=100_000))
