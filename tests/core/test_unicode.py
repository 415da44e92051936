"""Texts are normalized as Unicode defines it, however many accents follow each other."""

import unicodedata
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from coderelay.core.unicode import normalize


@given(st.text(max_size=20), st.sampled_from(["NFKC", "NFKD"]))
def test_a_text_has_the_normal_form_of_unicode(text: str, form: Literal["NFKC", "NFKD"]) -> None:
    text = (text + "a") * 10
    assert normalize(form, text) == unicodedata.normalize(form, text)


def test_a_letter_may_have_thirty_accents() -> None:
    text = "a" + "\u0301\u0327" * 15 + "b"
    assert normalize("NFKC", text * 3) == unicodedata.normalize("NFKC", text * 3)


def test_more_accents_are_sorted_in_groups() -> None:
    found = normalize("NFKD", "a" + "\u0301\u0327" * 100)
    assert [len(group) for group in found.split("\u034f")] == [31, 30, 30, 30, 30, 30, 20]
    assert found.count("\u0301") == found.count("\u0327") == 100
