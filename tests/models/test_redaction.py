"""A key is found in every form in which it can be written."""

import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from coderelay.models.redaction import LONGEST, scrub, scrub_bytes

KEYS = ("sk-plain", "a/b=c+d", 'q"uo\\te', "per%41cent", "%41", "\\u0041", "aaaa", "x")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "write",
    [
        str,
        lambda key: json.dumps(key)[1:-1],
        lambda key: quote(key, safe=""),
        lambda key: quote(key, safe="").lower(),
        lambda key: "".join(f"\\u{ord(letter):04X}" for letter in key),
        lambda key: json.dumps(quote(key, safe=""))[1:-1],
        lambda key: key.replace("\\", "\\\\").replace("/", "\\/"),
    ],
    ids=["plain", "JSON", "URL", "URL in small letters", "escaped", "URL in JSON", "slashes"],
)
def test_a_key_is_hidden_however_it_is_written(key: str, write: object) -> None:
    written = write(key)  # type: ignore[operator]
    scrubbed = scrub(f"<{written}|{written}>", key)
    assert scrubbed.replace("\\", "") == "<***|***>"


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(letter):04X}" for letter in text)


@pytest.mark.parametrize("write", [str, escaped, lambda key: f"%{ord(key[0]):x}{key[1:]}"])
@pytest.mark.parametrize("other", [None, "k", "x" * 500])
@pytest.mark.parametrize("cut", range(7))
def test_no_part_of_a_key_is_left_where_a_long_text_is_cut(
    write: Callable[[str], str], other: str | None, cut: int
) -> None:
    key = "sk-" + "".join(chr(ord("a") + each % 7) for each in range(298))
    text = "the key is " + "." * cut + write(key) * (3 * LONGEST // len(write(key)))
    scrubbed = scrub(text, key, other).removesuffix("…")
    assert len(scrubbed) < LONGEST
    assert scrubbed.replace("***", "").strip(".") in ("the key is ", "the ey is ", "")


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    assert len(scrub("%41" * 2_000_000, "sk-1")) <= LONGEST
    assert scrub("x" * LONGEST, "sk-1") == "x" * LONGEST
    assert scrub("no " * LONGEST, "sk" * LONGEST) == "…"


@pytest.mark.parametrize("text", ["", "nothing", "%", "\\", "%4", "\\u00", "50% of \\n é", "%zz"])
def test_a_text_without_the_key_stays_as_it_is(text: str) -> None:
    assert scrub(text, "sk-1", None, "") == text
    assert scrub_bytes(text.encode(), "sk-1") == text.encode()


def test_all_keys_are_hidden() -> None:
    assert scrub("one and two", "one", "two") == "*** and ***"
    assert scrub_bytes(b"one \xff", "one") == b"*** \xff"
