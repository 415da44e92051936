"""The model gets the same text for an outcome when it happens and when it comes back as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderelay.conversation.model_view import outcome_for_model
from coderelay.conversation.outcome_text import (
    after_text_round_trip,
    outcome_as_text,
    outcome_from_text,
)
from coderelay.core import Completed, Failed, Failure, Log

logs = st.lists(
    st.builds(Log, st.sampled_from(["text", "print", "log", "error"]), st.text(max_size=9)),
    max_size=3,
).map(tuple)
values = st.one_of(st.none(), st.integers(), st.text(max_size=9), st.lists(st.integers()))
failures = st.builds(
    Failure,
    st.sampled_from(["syntax", "exception", "arguments", "deadlock"]),
    st.text(max_size=30),
    name=st.text(max_size=5),
    line=st.one_of(st.none(), st.integers(1, 9)),
    frame=st.text(max_size=9),
)
limits = st.builds(
    Failure, st.just("limit"), st.text(max_size=9), limit=st.sampled_from(["fuel", "memory"])
)
outcomes = st.one_of(
    st.builds(Completed, values, logs), st.builds(Failed, st.one_of(failures, limits), logs)
)


@given(outcomes)
def test_a_text_that_came_back_is_the_text_that_went_out(outcome: Completed | Failed) -> None:
    once = after_text_round_trip(outcome)
    assert outcome_as_text(once) == outcome_as_text(outcome)
    assert outcome_for_model(after_text_round_trip(once)) == outcome_for_model(once)
    assert type(once) is type(outcome)


@given(st.builds(Completed, values))
def test_without_a_log_the_model_is_shown_what_it_would_be_shown_anyway(outcome: Completed) -> None:
    assert outcome_for_model(after_text_round_trip(outcome)) == outcome_for_model(outcome)


@given(st.builds(Failed, st.one_of(failures, limits)))
def test_a_failure_is_shown_in_the_same_words(outcome: Failed) -> None:
    assert outcome_for_model(after_text_round_trip(outcome)) == outcome_for_model(outcome)


@pytest.mark.parametrize(
    ("value", "written", "text"),
    [
        ({"a": 1}, [], '{"a":1}'),
        (None, [], "null"),
        (None, [("text", "one"), ("text", "two")], "one\ntwo"),
        ("v", [("text", "one"), ("log", "aside")], "one\nv\n\nLog:\naside"),
        (None, [("log", "only this")], "only this"),
    ],
)
def test_output_comes_first_and_the_log_last(
    value: object, written: list[tuple[str, str]], text: str
) -> None:
    assert outcome_as_text(Completed(value, tuple(Log(*line) for line in written))) == text


def test_a_failure_in_unknown_words_is_still_a_failure() -> None:
    assert outcome_from_text("odd", failed=True) == Failed(Failure("exception", "odd"))
