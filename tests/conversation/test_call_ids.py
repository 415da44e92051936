"""The state in an id is unchanged after a round trip, and damage is detected."""

import base64
import contextlib
import json
import random
import re
import string
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderelay.conversation import DamagedState, NewerState, StateError, call_ids
from coderelay.conversation.old_state import from_block_id, from_fingerprint
from coderelay.conversation.program_state import (
    BESIDE_SOURCE,
    ProgramState,
    decode_state,
    encode_state,
)
from coderelay.conversation.state_text import InflateBudget, TextLimits, pack, unpack
from coderelay.core import Call, Json, Program
from coderelay.core.json_values import digest

texts = st.text(max_size=200)
ids = st.text(min_size=1, max_size=200)
times = st.integers(0, 6_000_000_000)
programs = st.builds(Program, st.sampled_from(["typescript", "python"]), texts, ids, times)
states = st.builds(
    ProgramState,
    programs,
    st.text(max_size=40),
    st.just("0123456789abcdef"),
    st.lists(programs, max_size=3).map(tuple),
    st.none() | st.frozensets(texts, max_size=3),
)
EXAMPLE = ProgramState(
    Program("typescript", "return await webSearch({ query: 'x' });", "p1", 1763200000),
    "f6cdbc3eb3d90b57",
    digest({"query": "x"}),
)


def packed(plain: bytes, form: bytes = b"\xfe") -> str:
    deflated = zlib.compress(plain, 9, wbits=-15)
    whole = form + zlib.crc32(deflated).to_bytes(4, "big") + deflated
    return "cr1_" + base64.urlsafe_b64encode(whole).rstrip(b"=").decode()


def fields(**more: Json) -> bytes:
    program = ["p1", "python", 5, "1"]
    return json.dumps({"program": program, "arguments": "0" * 16, **more}).encode()


@given(states)
def test_what_goes_into_an_id_comes_out(state: ProgramState) -> None:
    id = call_ids.first_id(state)
    assert call_ids.decode(id) == state
    assert call_ids.is_ours(id)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", id)


@given(texts, st.integers(0, 999), st.dictionaries(texts, st.integers()))
def test_a_later_id_says_its_index_and_digest(id: str, index: int, arguments: object) -> None:
    call = Call(index, "f", arguments)
    made = call_ids.later_id(id, call)
    assert call_ids.decode(made) == call_ids.LaterCall(call_ids.key(id), index, digest(arguments))
    assert re.fullmatch(r"[A-Za-z0-9_-]+", made)


@given(states, texts)
def test_a_program_is_recognized_by_its_source(state: ProgramState, other: str) -> None:
    text = encode_state(state.without_source(), BESIDE_SOURCE)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", text)
    decoded = decode_state(text, BESIDE_SOURCE, InflateBudget())
    assert decoded == state.without_source()
    assert decoded.with_source(state.program.source) == replace(state, arguments="", earlier=())
    assert (decoded.with_source(other) is None) == (other != state.program.source)


def test_the_longest_names_fit_beside_a_source() -> None:
    noise = "".join(random.Random(1).choices("".join(map(chr, range(0x10000, 0x20000))), k=500))
    tools = frozenset(noise[place:] for place in range(100))
    state = ProgramState(Program("typescript", "1", noise[:250]), noise[250:], tools=tools)
    text = encode_state(state.without_source(), BESIDE_SOURCE)
    decoded = decode_state(text, BESIDE_SOURCE, InflateBudget())
    assert decoded.with_source("1") == replace(state, tools=None)


def test_a_state_that_cannot_be_shortened_enough_is_not_written() -> None:
    with pytest.raises(AssertionError, match="too long"):
        call_ids.first_id(ProgramState(Program("python", random.Random(1).randbytes(50_000).hex())))


@settings(deadline=None)
@given(st.data())
def test_every_single_damage_is_detected(data: st.DataObject) -> None:
    id = call_ids.first_id(EXAMPLE)
    place = data.draw(st.integers(4, len(id) - 2))
    letter = data.draw(st.sampled_from("ABCabc019_-").filter(lambda each: each != id[place]))
    with pytest.raises(StateError, match="cr1_"):  # a changed format byte looks like a newer one
        call_ids.decode(id[:place] + letter + id[place + 1 :])
    with pytest.raises(DamagedState):
        call_ids.decode(id[:place])


@given(st.text(max_size=300))
@settings(max_examples=300)
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(StateError):
        call_ids.decode("cr1_" + text)


def test_a_field_that_is_not_known_is_ignored() -> None:
    decoded = call_ids.decode(packed(fields(colour="red")))
    assert decoded == ProgramState(Program("python", "1", "p1", 5), "", "0" * 16)


def test_an_unknown_field_that_is_needed_is_named_in_the_error() -> None:
    with pytest.raises(NewerState, match="needs colour: upgrade all servers"):
        call_ids.decode(packed(fields(colour="red", needs=["colour"])))
    assert call_ids.decode(packed(fields(fingerprint="f", needs=["fingerprint"])))


def test_a_format_of_a_later_version_is_told_from_damage() -> None:
    with pytest.raises(NewerState, match="does not know: upgrade all servers"):
        call_ids.decode(packed(fields(), b"\xfc"))


def test_equal_fields_are_the_same_text_in_whatever_order() -> None:
    limits = TextLimits(100, 100)
    text = pack({"b": 1, "a": 2}, limits)
    assert text is not None and text == pack({"a": 2, "b": 1}, limits)
    fields = unpack(text, limits, known=frozenset(), budget=InflateBudget())
    assert fields == {"a": 2, "b": 1}


def test_ids_of_the_first_version_are_still_read() -> None:
    program = ["p1", "typescript", 1763200000, "return 1;"]
    earlier = ["p0", "python", 5, "2"]
    plain = json.dumps([program, "f6cd", 0, "0" * 16, [earlier]]).encode()
    assert call_ids.decode(packed(plain, b"\xfd")) == ProgramState(
        Program("typescript", "return 1;", "p1", 1763200000),
        "f6cd",
        "0" * 16,
        (Program("python", "2", "p0", 5),),
    )


def test_block_ids_and_fingerprints_of_the_first_version_are_still_read() -> None:
    program = Program("python", "1", "p1", 5)
    state = from_block_id(f"cr1_p1_5_{digest('1')}", "python")
    assert state == ProgramState(program).without_source()
    assert state is not None and state.with_source("1") == ProgramState(program)
    written = f"cr1-python-5-{digest(['p1', 'python', 5, '1'])}"
    assert from_fingerprint(written, "p1", "1") == ProgramState(program)
    assert from_fingerprint(written, "p1", "2") is None
    assert from_fingerprint(written, "p2", "1") is None


@pytest.mark.parametrize(
    "text",
    ["", "01ABC", "cr1__1_0123456789abcdef", "cr1_p_9999999999_0123456789abcdef", "cr1_p"],
)
def test_an_id_in_another_form_is_not_read_as_one_of_the_first_version(text: str) -> None:
    assert from_block_id(text, "python") is None


def test_an_id_that_unpacks_to_more_than_it_may_is_refused() -> None:
    bomb = packed(b" " * 40_000_000)
    assert len(bomb) < call_ids.MAX_ID
    with pytest.raises(DamagedState, match="more than 1,000,000 bytes"):
        call_ids.decode(bomb)


@pytest.mark.parametrize("form", [b"\xfd", b"\xfe"])
@pytest.mark.parametrize(
    "plain",
    [
        b"[]",
        b"[1,2,3,4,5,6]",
        b'[[],"f",0,"d",[]]',
        b"[" + b"1" * 5000 + b"]",
        b"{",
        b"{}",
        b"\xff",
        b'{"program": ["p", "python", 1, null], "arguments": "0123456789abcdef"}',
        b'{"program": ["p", "python", -1, "1"], "arguments": "0123456789abcdef"}',
        b'{"program": ["p", "python", 1, "1"], "arguments": "0"}',
        b'{"program": ["p", "python", 1, "1"], "arguments": "0123456789abcdef", "needs": 1}',
        b'{"program": ["p", "python", 1, "1"], "arguments": "0123456789abcdef", "earlier": [1]}',
        b'{"program": ["p", "python", 1, "1"], "arguments": "0123456789abcdef", "tools": {}}',
        b'{"program": ["p", "python", 1, "1"], "arguments": "0123456789abcdef", "tools": [1]}',
    ],
)
def test_errors_about_ids_have_our_own_messages(plain: bytes, form: bytes) -> None:
    with pytest.raises(DamagedState, match=r"' cannot be read: send it back exactly"):
        call_ids.decode(packed(plain, form))


def test_an_id_that_is_too_long_is_refused() -> None:
    with pytest.raises(DamagedState, match="64,000"):
        call_ids.decode("cr1_" + "A" * 64_000)


def test_the_oldest_earlier_programs_give_way_to_length() -> None:
    noise = "".join(random.Random(1).choices(string.printable, k=30_000))
    earlier = tuple(Program("typescript", noise[::step], f"p{step}") for step in (1, -1, 2))
    id = call_ids.first_id(ProgramState(EXAMPLE.program, "f", "0" * 16, earlier))
    assert len(id) < call_ids.MAX_ID
    decoded = call_ids.decode(id)
    assert isinstance(decoded, ProgramState)
    assert decoded.earlier == earlier[-len(decoded.earlier) :]
    assert 1 <= len(decoded.earlier) < 3


def test_the_names_of_tools_give_way_to_length_before_programs_do() -> None:
    noise = "".join(random.Random(1).choices(string.printable, k=60_000))
    earlier = (Program("typescript", noise[:30_000], "p"),)
    tools = frozenset(noise[place : place + 20] for place in range(30_000, 60_000, 20))
    decoded = call_ids.decode(
        call_ids.first_id(ProgramState(EXAMPLE.program, "f", "0" * 16, earlier, tools))
    )
    assert isinstance(decoded, ProgramState)
    assert (decoded.earlier, decoded.tools) == (earlier, None)


def test_it_is_known_in_advance_whether_a_program_fits_into_an_id() -> None:
    noise = "".join(random.Random(1).choices("".join(map(chr, range(0x4E00, 0x9E00))), k=24_000))
    assert call_ids.fits(EXAMPLE)
    assert call_ids.fits(ProgramState(Program("typescript", "x = 1;\n" * 6_000)))
    assert not call_ids.fits(ProgramState(Program("typescript", noise)))


def test_an_id_tells_of_so_many_earlier_programs_and_no_more() -> None:
    earlier = tuple(Program("python", "1", f"p{number}", 5) for number in range(101))
    decoded = call_ids.decode(call_ids.first_id(replace(EXAMPLE, earlier=earlier)))
    assert isinstance(decoded, ProgramState)
    assert decoded.earlier == earlier[1:]
    places = [["p", "python", 5, "1"]] * 101
    with pytest.raises(DamagedState):
        call_ids.decode(packed(fields(earlier=places)))


def test_ids_that_carry_a_program_are_counted_in_a_body() -> None:
    first = call_ids.first_id(EXAMPLE)
    later = call_ids.later_id("p1", Call(1, "web_search", {}))
    body = json.dumps([first, later, first, "cr1_", "p1"])
    assert call_ids.may_carry_programs(body.encode(), more_than=1)
    assert not call_ids.may_carry_programs(body.encode(), more_than=2)


@pytest.mark.parametrize(
    "hidden", [r"\u0063r1_", r"c\u0072" "1_", r"cr\u00311_", r"cr1\u005f", r"cr1\u005F"]
)
def test_ids_that_are_hidden_by_escapes_count_as_many(hidden: str) -> None:
    body = json.dumps([call_ids.first_id(EXAMPLE)]).replace("cr1_", hidden)
    assert call_ids.may_carry_programs(body.encode(), more_than=100)


def test_ids_in_another_encoding_count_as_many() -> None:
    body = json.dumps([call_ids.first_id(EXAMPLE)]).encode("utf-16-le")
    assert call_ids.may_carry_programs(body, more_than=100)
