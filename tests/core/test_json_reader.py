"""A text that is read in pieces gives the same value or error as with Python's own reader."""

import json
import math
import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coderelay.core import TimedOut
from coderelay.core.cancellation import cancel_unless
from coderelay.core.json_counts import MAX_CONTAINERS, MAX_ITEMS, Counts, TooManyValues, ValueBudget
from coderelay.core.json_pieces import LONGEST_TOKEN, PieceReader
from coderelay.core.json_reader import STRICT, read_json
from coderelay.core.json_values import MAX_DEPTH, NotJson, check_depth

REFUSED = "refused"
LENIENT = json.JSONDecoder(strict=False)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.text(alphabet='\ud83d\ude00\\"/\n\u00e9a', max_size=60)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=20), inner),
    max_leaves=40,
)
soups = st.text(alphabet='[]{}",:\\ \n\t1e-.+0uDd83c\ude00trlnfas', max_size=120)
pieces = st.integers(min_value=16, max_value=80)


@st.composite
def written(draw: st.DrawFn) -> str:
    """A value's text in any of the ways to write it."""
    return json.dumps(
        draw(values),
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 0, 3])),
        separators=draw(st.sampled_from([(",", ":"), (" , ", " : ")])),
    )


@st.composite
def broken(draw: st.DrawFn) -> str:
    """A value's text with a few characters changed."""
    text = draw(written())
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(soups)[:2] + text[at + draw(st.integers(0, 2)) :]
    return text


def at_once(text: str, decoder: json.JSONDecoder = STRICT) -> str:
    try:
        value = decoder.decode(text)
        check_depth(value)
    except (ValueError, RecursionError):
        return REFUSED
    return repr(value)  # which tells 1 from 1.0 and from true, and the order of keys


def in_pieces(text: str, piece: int, decoder: json.JSONDecoder = STRICT) -> str:
    try:
        return repr(PieceReader(text.encode("utf-8", "surrogatepass"), decoder, piece).value())
    except ValueError:
        return REFUSED


@given(written() | broken() | soups, pieces)
@example('{"k":1,"a":2,"k":[1,2,3,4,5,6,7,8,9,10,11,12]}', 16)
@example('{"":{"":"' + "x" * 50 + '"},"":"' + "\\n" * 50 + '"}', 16)
@example('["' + "\\ud83d\\ude00" * 9 + '"]', 16)
@example('["' + "\\ud83d\\ud83d\\ude00" * 9 + '\\ud83d"]', 17)
@example('["' + "\ud83d\ude00\\ud83d" * 9 + '"]', 18)
@example('{"' + "k\\n" * 20 + '": "' + "v\\u00e9" * 20 + '"}', 16)
@example("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), 16)
@example("[" * (MAX_DEPTH + 1) + "1" + "]" * (MAX_DEPTH + 1), 16)
@example("[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH, 16)
@example('{"a":' * 100 + "[1,[2,[3]]]" + "}" * 100, 16)
@example("[" * 5_000, 16)
@example("[-0,-0.0,0e5,1E+2,12345678901234567890123]" * 1, 16)
def test_a_text_in_pieces_is_read_as_at_once(text: str, piece: int) -> None:
    assert in_pieces(text, piece) == at_once(text)


@given(broken() | soups, pieces)
def test_another_decoder_is_followed_in_all_its_settings(text: str, piece: int) -> None:
    assert in_pieces(text, piece, LENIENT) == at_once(text, LENIENT)


LONG = {
    "a list of numbers": "[" + "1," * 200_000 + "1]",
    "rows": json.dumps([{"id": each, "tags": ["a", {"b": [1.5]}]} for each in range(30_000)]),
    "one text": json.dumps("line\n" * 200_000),
    "one text in other letters": json.dumps("日本語😀" * 50_000, ensure_ascii=False),
    "the same, escaped": json.dumps("日本語😀" * 50_000),
    "an object of texts": json.dumps({f"key {each}": "x" * each for each in range(2_000)}),
    "a long text among others": json.dumps([1, {"a": "y" * 900_000, "b": [2]}, 3], indent=2),
    "a long key": json.dumps({"k" * 100_000: [1, {"l" * 100_000: "m" * 100_000}]}),
    "lone surrogates": json.dumps(["\ud800" * 100_000, "\udc00\ud800"]),
    "much white space": "[" + " " * 300_000 + "1" + "\n" * 300_000 + "]",
    "large numbers": json.dumps([10**4_000] * 200),
}


@pytest.mark.parametrize("what", LONG)
@pytest.mark.parametrize("encoding", ["text", "utf-8", "utf-8-sig", "utf-16", "utf-32-be"])
def test_long_texts_are_read_in_any_encoding(what: str, encoding: str) -> None:
    text = LONG[what]
    form = text if encoding == "text" else text.encode(encoding, "surrogatepass")
    assert repr(read_json(form)) == repr(json.loads(text))


WRONG = {
    "a missing comma": ("[" + "1,\n" * 100_000 + "1 1]", "line 100001, column 3: Expecting ','"),
    "a trailing comma": ("[" + "1," * 100_000 + "]", "line 1"),
    "two commas": ("[" + "1," * 100_000 + ",1]", "line 1"),
    "no end": ("[" + "1," * 100_000 + "1", "Expecting ',' delimiter"),
    "two values": ("[" + "1," * 100_000 + "1] 2", "Extra data"),
    "a list without brackets": ("1," * 100_000 + "1", "Extra data"),
    "a bracket too many": ("[" + "1," * 100_000 + "1]]", "Extra data"),
    "another bracket": ('{"a":[' + "1," * 100_000 + "1}}", "line 1"),
    "no key": ("{" + '"a":1,' * 50_000 + "1}", "property name"),
    "a text without end": ('["' + "x" * 300_000, "Unterminated string"),
    "a wrong escape": ('["' + "x" * 300_000 + '\\x"]', "escape"),
    "half an escape": ('["' + "x" * 300_000 + '\\u12"]', "escape"),
    "a line in a text": ('["' + "x" * 300_000 + '\n"]', "control character"),
    "NaN": ("[" + "1," * 100_000 + "NaN]", "NaN is not a JSON value"),
    "infinity": ("[" + "1," * 100_000 + "-Infinity]", "-Infinity is not a JSON value"),
    "a number without bounds": ("[" + "1," * 100_000 + "1e999]", "1e999 is too large"),
    "a whole number of 5,000 digits": ("[" + "1," * 100_000 + "1" * 5_000 + "]", "4,300 digits"),
    "too deep": ("[" + "1," * 100_000 + "[" * 300 + "]" * 300 + "]", "256 levels deep"),
    "deep without end": ("[" * 3_000_000, "lists and objects"),
    "digits without end": ("1" * 2 * LONGEST_TOKEN, "more than 1 MB"),
    "a key without end": ('{"' + "k" * 2 * LONGEST_TOKEN + '":1}', "a key of more than 1 MB"),
    "nothing": (" " * 100_000, "Expecting value"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_long_text_that_is_not_json_is_refused_with_its_line_and_column(what: str) -> None:
    text, message = WRONG[what]
    for form in (text, text.encode()):
        with pytest.raises(NotJson, match=message):
            read_json(form)


def test_bytes_that_are_not_text_are_refused_with_their_place() -> None:
    with pytest.raises(NotJson, match="not UTF-8 text: invalid start byte at byte 200003"):
        read_json(b'["' + b"x" * 200_001 + b"\xff" + b'"]')
    with pytest.raises(NotJson, match="Extra data"):
        read_json(b'["' + b"x" * 200_000 + b'"]\xc3')


@pytest.mark.parametrize(
    "text",
    [
        "[" + "[]," * MAX_CONTAINERS + "1]",
        "[" + "{}," * MAX_CONTAINERS + "1]",
        "[" + "1," * MAX_ITEMS + "1]",
        "[" * 300 + "," * MAX_ITEMS,
    ],
    ids=["lists", "objects", "items", "no JSON at all"],
)
def test_a_text_with_too_many_values_is_refused_before_any_is_built(text: str) -> None:
    with pytest.raises(TooManyValues, match="more than"):
        read_json(text)


def test_the_values_of_several_texts_are_counted_together() -> None:
    room = ValueBudget(Counts(items=1_000, containers=10))
    for _ in range(10):
        room.take('[1, "' + "[{, " * 1_000 + '"]')  # what is in strings does not count
    with pytest.raises(TooManyValues, match="more than 10 lists and objects"):
        room.take("[]")
    room = ValueBudget(Counts(items=1_000, containers=10))
    room.take("1," * 900)
    with pytest.raises(TooManyValues, match="more than 1,000 items"):
        room.take("1," * 200)


def test_characters_inside_strings_are_not_counted() -> None:
    text = json.dumps(['[{,\\"' * MAX_ITEMS, {"a": '"[' * MAX_CONTAINERS}])
    assert read_json(text) == json.loads(text)


@pytest.mark.parametrize("text", ["1e999", "[-1e400]", '{"a": 1e309}', "NaN", "Infinity"])
def test_a_number_that_is_not_finite_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        read_json(text)


def test_numbers_keep_their_kind_and_their_sign() -> None:
    read = read_json("[1, 1.0, -0.0, 1e2, 9007199254740993]")
    assert [type(each) for each in read] == [int, float, float, float, int]
    assert math.copysign(1, read[2]) == -1 and read[4] == 2**53 + 1


def test_reading_a_text_stops_when_it_is_cancelled() -> None:
    left = threading.Event()
    left.set()
    with cancel_unless(lambda: not left.is_set()), pytest.raises(TimedOut):
        read_json(LONG["rows"])
