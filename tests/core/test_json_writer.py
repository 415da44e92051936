"""A value that is written in pieces gives the same text as with Python's own writer."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderelay.core import json_writer
from coderelay.core.json_values import NotJson, canonical, dump
from coderelay.core.json_writer import Writer, is_small

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.text(alphabet='\ud83d\ude00\\"\n\u00e9', max_size=60),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner, inner)
    ),
    max_leaves=40,
)


@given(values, st.booleans(), st.booleans())
def test_a_value_in_pieces_is_written_as_at_once(value: Any, ascii: bool, sort: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:  # the smallest value is large
        for name, size in (("_SMALL", 0), ("_PIECE", 40), ("_GROUP", 2), ("_RUN", 2)):
            patch.setattr(json_writer, name, size)
        written = Writer(ensure_ascii=ascii, sort_keys=sort).write(value)
    options: Any = {"ensure_ascii": ascii, "sort_keys": sort}
    assert written == json.dumps(value, separators=(",", ":"), **options)


LARGE: dict[str, Any] = {
    "numbers": [each / 7 for each in range(100_000)],
    "rows": [{"id": each, "tags": ["a", {"b": [1.5, None, True]}]} for each in range(20_000)],
    "one text": 'line\n"quoted" é 😀 \ud800' * 50_000,
    "an object": {f"key {each * 7919 % 100_000}": [each] for each in range(50_000)},
    "keys that are no texts": {each: {None: 1, True: 2, 1.5: 3} for each in range(20_000)},
    "large numbers": [10**4_000] * 300,
    "tuples": ((1, ("a",)),) * 20_000,
    "nothing in it": [[], {}, ""] * 20_000,
}


@pytest.mark.parametrize("what", LARGE)
def test_large_values_are_written_as_python_writes_them(what: str) -> None:
    value = LARGE[what]
    assert not is_small(value)
    assert dump(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if what != "keys that are no texts":  # they cannot be sorted
        assert canonical(value) == json.dumps(value, sort_keys=True, separators=(",", ":"))


def circular() -> Any:
    value: Any = ["x" * 100_000] * 3
    value.append({"a": value})
    return value


@pytest.mark.parametrize(
    "part",
    [math.nan, math.inf, object(), {(1, 2): 3}, b"x", 10**5_000],
    ids=["NaN", "infinity", "an object", "a key", "bytes", "digits"],
)
def test_a_large_value_with_a_part_that_json_does_not_know_is_refused(part: object) -> None:
    with pytest.raises(NotJson):
        dump([*LARGE["rows"], {"a": [part]}])


def test_a_large_value_that_contains_itself_is_refused() -> None:
    with pytest.raises(NotJson):
        dump(circular())


@pytest.mark.parametrize(
    ("value", "small"),
    [
        ({"a": [1, 2.5, "text"]}, True),
        (["x" * 1_000] * 100, True),
        (["x" * 1_000] * 1_000, False),
        ([[]] * 100_000, False),
        ([10**4_000] * 100, False),
        ({"x" * 1_000_000: 1}, False),
        (circular(), False),
    ],
)
def test_values_that_can_be_written_in_one_step_are_small(value: object, small: bool) -> None:
    assert is_small(value) is small
    assert is_small(None, value) is small
