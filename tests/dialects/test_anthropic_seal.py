"""A seal says what a replay needs besides the code."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderelay.core import Program
from coderelay.core.program import LATEST
from coderelay.dialects.anthropic.seal import seal, sealed

programs = st.builds(
    Program,
    st.just("python"),
    st.text(),
    st.from_regex(r"[A-Za-z0-9-]{1,64}", fullmatch=True),
    st.integers(0, LATEST),
)


@given(programs, st.text())
def test_a_seal_says_again_what_went_in(program: Program, other: str) -> None:
    text = seal(program)
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,120}", text)
    said = sealed(text)
    assert said is not None
    assert (said.id, said.created) == (program.id, program.created)
    assert said.fits(program.source)
    assert said.fits(other) == (other == program.source)


@pytest.mark.parametrize(
    "text",
    ["", "srvtoolu_01ABC", "cr1__1_0123456789abcdef", "cr1_p_9999999999_0123456789abcdef", "cr1_p"],
)
def test_what_is_no_seal_says_nothing(text: str) -> None:
    assert sealed(text) is None
