"""JSON values: their text, their digest, and when two are equal."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderelay.core.json_values import (
    MAX_DEPTH,
    NotJson,
    canonical,
    check_depth,
    digest,
    dump,
    same,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
).filter(lambda value: "inf" not in repr(value))

SAME = [
    (1, 1.0),
    (0, -0.0),
    (2**53, 2**53 + 1),
    (10**400, 10**400),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}),
    ([None, "x"], [None, "x"]),
]
DIFFERENT = [
    (True, 1),
    (False, 0),
    (None, False),
    ("1", 1),
    ([1, 2], [2, 1]),
    ([1], [1, 1]),
    ({"a": 1}, {"a": 1, "b": None}),
    ({}, []),
    (10**400, 10**400 + 1),
    ("é", "e\u0301"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_numbers_are_compared_as_binary64(left: object, right: object) -> None:
    assert same(left, right)
    assert same(right, left)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_values_that_differ_as_json_are_different(left: object, right: object) -> None:
    assert not same(left, right)
    assert not same(right, left)


@given(values)
def test_a_value_is_the_same_after_a_round_trip(value: object) -> None:
    assert same(value, json.loads(dump(value)))


@given(values)
def test_a_digest_does_not_depend_on_key_order(value: object) -> None:
    assert digest({"a": value, "b": 1}) == digest({"b": 1, "a": value})


@given(values, values)
def test_equal_canonical_texts_are_equal_values(left: object, right: object) -> None:
    if canonical(left) == canonical(right):
        assert same(left, right)


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), {1: object()}, b"x"])
def test_values_that_json_cannot_express_are_refused(value: object) -> None:
    with pytest.raises(NotJson):
        dump(value)


def test_the_maximum_depth_is_the_same_for_every_caller() -> None:
    value: object = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    check_depth(value)
    with pytest.raises(NotJson, match="levels deep"):
        check_depth({"a": value})
    with pytest.raises(NotJson, match="nested more than 256"):
        check_depth((value,))
