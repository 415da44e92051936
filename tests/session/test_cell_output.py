"""The model gets the beginning and the end of a long output, and every failure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderelay.core import Failure
from coderelay.engines.python.live.interpreter import Cell
from coderelay.session.cell_output import RESTARTED, CellOutput, render_cell


def cell(output: str = "", value: str | None = None, failure: Failure | None = None) -> Cell:
    return Cell(output, value, failure, alive=failure is None or failure.limit is None)


def save_output(text: str) -> str | None:
    return "output-1.txt"


@pytest.mark.parametrize(
    ("output", "value", "text"),
    [
        ("", None, "(no output)"),
        ("one\ntwo\n", None, "one\ntwo"),
        ("", "3", "3"),
        ("one\n", "'two'", "one\n'two'"),
        ("no line end", "3", "no line end\n3"),
    ],
)
def test_what_was_printed_comes_before_the_value(output: str, value: str, text: str) -> None:
    assert render_cell(cell(output, value), 100, save_output) == CellOutput(text)


def test_an_output_that_is_too_long_shows_head_and_tail_and_where_the_rest_is() -> None:
    saved: list[str] = []

    def save(text: str) -> str:
        saved.append(text)
        return "output-7.txt"

    text = render_cell(cell("a" * 600 + "m" * 600 + "z" * 600), 1_000, save).text
    assert text.startswith("a" * 500 + "\n[… 800 of 1,800 characters are left out here; ")
    assert text.endswith("…]\n" + "z" * 500)
    assert 'open("/output-7.txt").read()[500:1000]' in text
    assert saved == ["a" * 600 + "m" * 600 + "z" * 600]


def test_if_the_whole_output_cannot_be_saved_the_model_is_advised_to_print_less() -> None:
    text = render_cell(cell("a" * 2_000), 1_000, lambda text: None).text
    assert "1,000 of 2,000 characters" in text
    assert "print less" in text


@given(st.text(max_size=300), st.integers(1, 100))
def test_the_output_is_never_longer_than_its_budget(output: str, budget: int) -> None:
    text = render_cell(cell(output), budget, lambda text: None).text
    note = text.partition("\n[…")[2].partition("…]\n")[0] if "\n[…" in text else ""
    assert len(text) <= max(budget, len("(no output)")) + len(note) + 8


def test_a_failure_follows_the_output_however_long_that_is() -> None:
    failure = Failure("exception", "no", "ValueError", stack="Traceback …\nValueError: no\n")
    rendered = render_cell(cell("a" * 5_000, None, failure), 100, save_output)
    assert rendered.failed
    assert rendered.text.endswith("\n\nTraceback …\nValueError: no")


def test_a_long_failure_keeps_its_beginning_and_its_end() -> None:
    stack = "Traceback …\n" + "x" * 10_000 + "\nValueError: no"
    text = render_cell(
        cell(failure=Failure("exception", "no", "ValueError", stack=stack)), 100, save_output
    ).text
    assert text.startswith("Traceback …")
    assert text.endswith("ValueError: no")
    assert len(text) < 4_200


def test_a_syntax_error_shows_its_place() -> None:
    failure = Failure("syntax", "invalid syntax", "SyntaxError", line=2, frame="> 2 | x ==== 3")
    text = render_cell(cell(failure=failure), 100, save_output).text
    assert text == "SyntaxError: invalid syntax\n> 2 | x ==== 3"
    bare = Failure("syntax", "invalid syntax", "SyntaxError", line=2)
    assert (
        render_cell(cell(failure=bare), 100, save_output).text
        == "SyntaxError: invalid syntax (line 2)"
    )


def test_a_limit_that_ends_the_interpreter_says_what_is_lost_and_what_is_not() -> None:
    failure = Failure("limit", "it computed for too long", limit="fuel")
    text = render_cell(cell("so far", failure=failure), 100, save_output).text
    assert text.startswith("so far\n\nThe code was stopped by a limit (fuel): it computed")
    assert text.endswith(RESTARTED)
