"""Values are laid out as the component model says, and nothing outside the memory is read."""

from typing import Any

import pytest

from coderelay.engines.python import values
from coderelay.engines.python.values import Case, Err, Ok

TIME = ["record", [["seconds", "u64"], ["nanoseconds", "u32"]]]
STREAM_ERROR = ["variant", [["failed", "handle"], ["closed", None]]]
CODE = ["enum", ["access", "busy", "loop"]]


class Bytes:
    """A memory whose allocator never frees."""

    def __init__(self, size: int = 8192) -> None:
        self.data = bytearray(size)
        self._next = 1024

    def read(self, at: int, size: int) -> bytes:
        if at < 0 or at + size > len(self.data):
            raise IndexError
        return bytes(self.data[at : at + size])

    def write(self, at: int, data: bytes) -> None:
        self.read(at, len(data))
        self.data[at : at + len(data)] = data

    def allocate(self, size: int, align: int) -> int:
        at = -(-self._next // align) * align
        self._next = at + size
        return at


@pytest.mark.parametrize(
    ("told", "value", "laid"),
    [
        ("u32", 7, "07000000"),
        ("bool", True, "01"),
        ("string", "añ", "0004000003000000"),
        (["list", "u8"], b"ab", "0004000002000000"),
        (["list", "u32"], [1, 2], "0004000002000000"),
        (["list", ["tuple", ["handle", "string"]]], [(3, "/")], "0004000001000000"),
        (TIME, {"seconds": 1, "nanoseconds": 2}, "01000000000000000200000000000000"),
        (["flags", ["a", "b", "c"]], frozenset({"c"}), "04"),
        (CODE, "loop", "02"),
        (["option", "handle"], None, "0000000000000000"),
        (["option", "handle"], 5, "0100000005000000"),
        (["result", None, CODE], Err("busy"), "0101"),
        (["result", None, CODE], Ok(), "0000"),
        (["result", "u64", STREAM_ERROR], Ok(9), "00" + "00" * 7 + "0900000000000000"),
        (
            ["result", "u64", STREAM_ERROR],
            Err(Case("closed")),
            "01" + "00" * 7 + "01" + "00" * 7,
        ),
        (["result", "handle", STREAM_ERROR], Err(Case("failed", 4)), "010000000000000004000000"),
    ],
    ids=str,
)
def test_a_value_is_laid_out_as_its_type_says(told: Any, value: Any, laid: str) -> None:
    kind, memory = values.type_from_json(told), Bytes()
    kind.store(memory, 64, value)
    assert memory.read(64, kind.size).hex() == laid
    assert kind.load(memory, 64) == value


@pytest.mark.parametrize(
    ("told", "words", "value"),
    [
        ("u32", [(1 << 40) + 7], 7),
        ("u64", [-1], (1 << 64) - 1),
        (["variant", [["none", None], ["at", TIME]]], [1, 5, 6], {"seconds": 5, "nanoseconds": 6}),
        (["variant", [["none", None], ["at", TIME]]], [0, 5, 6], None),
    ],
    ids=str,
)
def test_arguments_are_read_from_flat_words(told: Any, words: list[int], value: Any) -> None:
    lifted = values.type_from_json(["tuple", [told, "u32"]]).lift(Bytes(), iter([*words, 99]))
    assert lifted[1] == 99
    assert (lifted[0].value if isinstance(lifted[0], Case) else lifted[0]) == value


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("string", [8186, 7]),
        ("string", [1 << 31, 1]),
        (["list", "u8"], [0, 1 << 31]),
        (["list", TIME], [0, 1 << 31]),
        (["list", ["list", "u32"]], [8188, 1]),
        (["list", "bool"], [0, 4097]),
        (CODE, [3]),
        (["option", "u32"], [2, 0]),
    ],
    ids=str,
)
def test_an_address_outside_the_memory_is_refused(told: Any, words: list[int]) -> None:
    with pytest.raises(IndexError):
        values.type_from_json(told).lift(Bytes(), iter(words))


def test_text_that_is_not_utf_8_is_refused() -> None:
    memory = Bytes()
    memory.write(0, b"\xff")
    with pytest.raises(UnicodeDecodeError):
        values.type_from_json("string").lift(memory, iter([0, 1]))


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown type"):
        values.type_from_json(["stream", "u8"])
