"""JSON text is read strictly, and every value can be written."""

import pytest

from coderelay.core.json_values import NotJson
from coderelay.wire import parse, render


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[1,\n 2,]", "line 2"),
        (b"[NaN]", "NaN is not a JSON value"),
        (b"-Infinity", "-Infinity is not a JSON value"),
        (b'"\xff"', "not UTF-8 text"),
        (b"[" * 300 + b"]" * 300, "nested"),
        (b"[" * 100_000 + b"]" * 100_000, "nested"),
    ],
)
def test_text_that_is_not_json_is_refused_with_the_reason(text: bytes, message: str) -> None:
    with pytest.raises(NotJson, match=message):
        parse(text)


@pytest.mark.parametrize("value", [None, {"a": [1, 2.5, "é→"]}, "lone \ud800 surrogate"])
def test_what_is_rendered_is_what_is_parsed(value: object) -> None:
    assert parse(render(value)) == value


@pytest.mark.parametrize("text", ["1" * 5_000, "[" + "7" * 4_301 + "]", "1e999", "-1e400"])
def test_a_number_that_no_reader_could_hold_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        parse(text)
