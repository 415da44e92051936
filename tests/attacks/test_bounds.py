"""A text from outside is bounded before anything looks at it."""

from pathlib import Path

import pytest

from coderelay import Failed, Program, evaluate
from coderelay.core import DEFAULT_LIMITS
from coderelay.engines.python import entry
from coderelay.engines.typescript import forms
from coderelay.engines.typescript.failure_report import Thrown
from coderelay.engines.typescript.prepare import Prepared
from coderelay.session import ToolIsCode

LONGER = "```" + " " * DEFAULT_LIMITS.source + "x"


@pytest.fixture(autouse=True)
def _no_source_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(source: str) -> None:
        raise AssertionError("the source was looked at")

    for module in (entry, forms):
        monkeypatch.setattr(module, "whole_block", look)


@pytest.mark.parametrize("language", ["typescript", "python"])
def test_a_program_that_is_too_long_is_refused_before_it_is_read(language: str) -> None:
    outcome = evaluate(Program(language, LONGER), [], [])
    assert isinstance(outcome, Failed)
    assert outcome.error.limit == "source"


def test_a_cell_that_is_too_long_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with ToolIsCode([], lambda *call: None, directory=tmp_path) as session:
        source = LONGER * 10
        item = {
            "type": "function_call",
            "call_id": "1",
            "name": "python",
            "arguments": {"code": source},
        }
        told = session.tool_call(item)
    assert told is not None
    assert "write a shorter one" in told["output"]


def test_an_error_is_not_placed_in_code_that_became_far_longer_than_a_source() -> None:
    stack = "    at f (program.ts:1:1)"
    for length, line in ((1_000, 1), (300_000, None)):
        code = "\n" + "f();\n" * (length // 5)  # as the stripper gives it, with a line of ours
        thrown = Thrown("TypeError", "not a function", stack.replace(":1:1", ":2:1"))
        failure = thrown.failure(code, Prepared(code, code), ())
        assert failure.line == line
