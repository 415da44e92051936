"""A code frame shows a place in the lines around it."""

import pytest

from coderelay.engines.code_frame import code_frame

SOURCE = "one\ntwo\n\tthree\nfour\nfive\nsix\nseven\neight\nnine\nten"


def test_two_lines_are_shown_around_the_place() -> None:
    assert code_frame(SOURCE, 3, 2) == (
        "  1 | one\n  2 | two\n> 3 |  three\n    |  ^\n  4 | four\n  5 | five"
    )


def test_the_first_and_last_lines_have_fewer_around_them() -> None:
    assert code_frame(SOURCE, 1, None) == "> 1 | one\n  2 | two\n  3 |  three"
    assert code_frame(SOURCE, 10, 1) == "   8 | eight\n   9 | nine\n> 10 | ten\n     | ^"


@pytest.mark.parametrize("line", [0, -1, 11, 10**9])
def test_a_place_outside_the_source_has_no_frame(line: int) -> None:
    assert code_frame(SOURCE, line, 1) == ""


def test_a_long_line_is_cut_and_a_far_column_has_no_caret() -> None:
    assert code_frame("x" * 500, 1, 400) == "> 1 | " + "x" * 160
