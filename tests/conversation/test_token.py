"""The state token: what goes in comes out, and what was damaged says so."""

import base64
import contextlib
import random
import re
import string
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderelay.conversation import DamagedToken, token
from coderelay.core import Call, Program
from coderelay.core.jsonvalue import digest

texts = st.text(max_size=200)
ids = st.text(min_size=1, max_size=200)
times = st.integers(0, 6_000_000_000)
programs = st.builds(Program, st.sampled_from(["typescript", "python"]), texts, ids, times)
firsts = st.builds(
    token.First,
    programs,
    st.text(max_size=40),
    st.just(0),
    st.just("0123456789abcdef"),
    st.lists(programs, max_size=3).map(tuple),
)
EXAMPLE = token.First(
    Program("typescript", "return await webSearch({ query: 'x' });", "p1", 1763200000),
    "f6cdbc3eb3d90b57",
    0,
    digest({"query": "x"}),
)


@given(firsts)
def test_what_goes_into_a_token_comes_out(first: token.First) -> None:
    id = token.encode(first)
    assert token.decode(id) == first
    assert token.is_ours(id)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", id)


@given(texts, st.integers(0, 999), st.dictionaries(texts, st.integers()))
def test_a_short_id_says_its_index_and_digest(id: str, index: int, arguments: object) -> None:
    call = Call(index, "f", arguments)
    made = token.short(id, call)
    assert token.decode(made) == token.Later(token.key(id), index, digest(arguments))
    assert re.fullmatch(r"[A-Za-z0-9_-]+", made)


@settings(deadline=None)
@given(st.data())
def test_every_single_damage_is_noticed(data: st.DataObject) -> None:
    id = token.encode(EXAMPLE)
    place = data.draw(st.integers(4, len(id) - 2))
    letter = data.draw(st.sampled_from("ABCabc019_-").filter(lambda each: each != id[place]))
    with pytest.raises(DamagedToken, match="cr1_"):
        token.decode(id[:place] + letter + id[place + 1 :])
    with pytest.raises(DamagedToken):
        token.decode(id[:place])


@given(st.text(max_size=300))
@settings(max_examples=300)
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(DamagedToken):
        token.decode("cr1_" + text)


def test_a_token_that_unpacks_to_more_than_it_may_is_refused() -> None:
    packed = zlib.compress(b" " * 40_000_000, 9, wbits=-15)
    whole = b"\xfd" + zlib.crc32(packed).to_bytes(4, "big") + packed
    bomb = "cr1_" + base64.urlsafe_b64encode(whole).rstrip(b"=").decode()
    assert len(bomb) < token.MAX_ID
    with pytest.raises(DamagedToken, match="more than"):
        token.decode(bomb)


@pytest.mark.parametrize(
    "plain",
    [b"[]", b"[1,2,3,4,5,6]", b'[[],"f",0,"d",[]]', b"[" + b"1" * 5000 + b"]", b"{", b"\xff"],
)
def test_what_is_wrong_with_a_token_is_said_in_our_words(plain: bytes) -> None:
    packed = zlib.compress(plain, 9, wbits=-15)
    whole = b"\xfd" + zlib.crc32(packed).to_bytes(4, "big") + packed
    with pytest.raises(DamagedToken, match=r"' cannot be read: send ids back exactly"):
        token.decode("cr1_" + base64.urlsafe_b64encode(whole).rstrip(b"=").decode())


def test_an_id_that_is_too_long_is_refused() -> None:
    with pytest.raises(DamagedToken, match="64,000"):
        token.decode("cr1_" + "A" * 64_000)


def test_the_oldest_earlier_programs_give_way_to_length() -> None:
    noise = "".join(random.Random(1).choices(string.printable, k=30_000))
    earlier = tuple(Program("typescript", noise[::step], f"p{step}") for step in (1, -1, 2))
    first = token.First(EXAMPLE.program, "f", 0, "0" * 16, earlier)
    id = token.encode(first)
    assert len(id) < token.MAX_ID
    decoded = token.decode(id)
    assert isinstance(decoded, token.First)
    assert decoded.earlier == earlier[-len(decoded.earlier) :]
    assert 1 <= len(decoded.earlier) < 3


def test_a_program_that_cannot_ride_in_an_id_is_known_beforehand() -> None:
    noise = "".join(random.Random(1).choices("".join(map(chr, range(0x4E00, 0x9E00))), k=24_000))
    assert token.fits(EXAMPLE.program)
    assert token.fits(Program("typescript", "x = 1;\n" * 6_000))
    assert not token.fits(Program("typescript", noise))


def test_a_token_that_tells_of_too_many_programs_is_refused() -> None:
    earlier = tuple(Program("python", "1", f"p{number}", 5) for number in range(101))
    id = token.encode(token.First(EXAMPLE.program, "f", 0, "0" * 16, earlier))
    with pytest.raises(DamagedToken):
        token.decode(id)
