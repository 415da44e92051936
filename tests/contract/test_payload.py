"""A long text for a guest is checked in pieces, and nothing is missed between two pieces."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderelay.core.limits import KB, MB
from coderelay.engines.wasm import payload
from coderelay.engines.wasm.payload import has_long_integer, without_surrogates


@pytest.mark.parametrize("digits", [15, 16, 17, 40])
@pytest.mark.parametrize("before", [0, 1, 64 * KB - 40, *range(64 * KB - 18, 64 * KB + 3), MB - 8])
def test_a_long_integer_is_found_wherever_it_stands(before: int, digits: int) -> None:
    text = "," * before + "7" * digits + "," * 100
    assert has_long_integer(text) is (digits >= 16)
    assert has_long_integer(text + "é٧") is (digits >= 16)
    assert has_long_integer(text.replace("7", "٧")) is (digits >= 16)  # as before


@given(st.text(alphabet="0123456789,.٧é", max_size=100), st.integers(16, 40))
def test_a_long_integer_is_what_a_pattern_finds(text: str, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(payload, "_PIECE", piece)
        assert has_long_integer(text) is (re.search(r"\d{16}", text) is not None)


def test_many_short_integers_are_not_one_long_integer() -> None:
    assert not has_long_integer(("9" * 15 + ",") * (3 * MB // 16))


@pytest.mark.parametrize("before", [0, MB - 1, MB, MB + 1])
@pytest.mark.parametrize("text", ["é", "😀", "\ud83d\ude00", "\udfff", "\ud800é"])
def test_lone_surrogates_become_escapes_wherever_they_stand(before: int, text: str) -> None:
    whole = "x" * before + text + "ü" * MB
    escaped = re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", whole)
    assert without_surrogates(whole) == escaped
    assert without_surrogates(text) == escaped[before : len(escaped) - MB]
