"""What JSON from outside costs, read, written and compared."""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from coderelay.conversation.state_text import (
    InflateBudget,
    TextLimits,
    UnreadableState,
    pack,
    unpack,
)
from coderelay.core.json_counts import MAX_CONTAINERS
from coderelay.core.json_reader import read_json
from coderelay.core.json_values import NotJson, canonical, check_depth, dump, same
from coderelay.engines.wasm.payload import has_long_integer, without_surrogates
from tests.attacks.costs import Case

TEXT, SHORTER = 1_100_000, 150_000
"""Bytes of a text that is read in pieces, for cases that take little or much for each. Bodies may
have sixty times as many, which would take long to test."""
DEEP = "[" * 250 + "1" * 200 + "]" * 250 + ","
STATES = TextLimits(64_000, 1_000_000)
LONG = '"' + "x" * 40_000 + '"'


def _read(text: str) -> None:
    with contextlib.suppress(NotJson):
        read_json(text)


def _unpack(text: str) -> None:
    with contextlib.suppress(UnreadableState):
        unpack(text, STATES, known=frozenset(), budget=InflateBudget())


def _repeat(piece: str, before: str = "[", after: str = "1]") -> Callable[[int], str]:
    return lambda size: before + piece * (size // len(piece)) + after


def _value(piece: str) -> Callable[[int], Any]:
    return lambda size: json.loads(_repeat(piece)(size))


TEXTS = {
    "objects with one key": _repeat('{"a":0},'),
    "deep lists around a long one": _repeat("[" * 250 + "1," * 40_000 + "1" + "]" * 250 + ","),
    "deep objects with long texts": _repeat('{"a":' * 100 + LONG + "}" * 100 + ","),
    "lists that never close": _repeat("[1,"),
    "numbers with many digits": _repeat("9" * 4_300 + ","),
    "a text of escapes": _repeat("\\n", '"', '"'),
    "a text of pairs of escapes": _repeat("\\ud83d\\ude00", '"', '"'),
    "a text of escaped quotes that never ends": _repeat('\\"', '"', ""),
    "texts with brackets and quotes": _repeat('"[{,\\"",'),
    "empty texts": _repeat('"",', after='""]'),
    "a key after a text of quotes, often": _repeat('{"\\"\\"\\"\\"":[' + "1," * 20_000 + "1]},"),
    "commas": _repeat(","),
    "line ends before an error": _repeat("1,\n", after="x"),
}
JUST_READ = {"white space": _repeat(" "), "brackets that never close": _repeat("[")}
"""Twice as much of these would be refused, by what a token or a text may have at most."""
SHORTER_TEXTS = {"empty lists": _repeat("[],"), "deep lists": _repeat(DEEP)}
VALUES = {
    "empty lists": "[],",
    "deep lists": DEEP,
    "numbers": "0.123456,",
    "numbers with many digits": "9" * 4_300 + ",",
    "rows": '{"a":1,"b":[1,"c"]},',
    "long texts": '"' + "é" * 4_000 + '",',
}


def _cases(
    place: str, size: int, made: Mapping[str, Callable[[int], Any]], read: Callable[[Any], object]
) -> Iterator[Case]:
    return (Case(place, text, size, make, read) for text, make in made.items())


_MADE = {text: _value(piece) for text, piece in VALUES.items()}
# Copying is so quick that half a short text would still fit into the processor's cache.
_COPIED = {"long texts": _MADE.pop("long texts")}
CASES = (
    *_cases("core.json_reader.read_json", TEXT, TEXTS, _read),
    *_cases("core.json_reader.read_json", MAX_CONTAINERS - 1_000, JUST_READ, _read),
    *_cases("core.json_reader.read_json", 2 * SHORTER, SHORTER_TEXTS, _read),
    *_cases("core.json_values.dump", SHORTER, _MADE, dump),
    *_cases("core.json_values.canonical", SHORTER, _MADE, canonical),
    *_cases("core.json_values.dump", 20 * SHORTER, _COPIED, dump),
    *_cases("core.json_values.canonical", 20 * SHORTER, _COPIED, canonical),
    Case(
        "core.json_values.canonical",
        "an object with keys in no order",
        SHORTER,
        lambda size: {str(each * 7_919 % 1_000_003): 0 for each in range(size // 10)},
        canonical,
    ),
    Case(
        "core.json_values.check_depth",
        "deep lists",
        SHORTER,
        _value(DEEP),
        check_depth,
    ),
    Case(
        "core.json_values.same",
        "equal lists",
        SHORTER,
        lambda size: (_value("[1,[]],")(size), _value("[1,[]],")(size)),
        lambda pair: same(*pair),
    ),
    Case(
        "engines.wasm.payload.has_long_integer",
        "numbers of 15 digits",
        TEXT,
        lambda size: ("9" * 15 + ",") * (size // 16),
        has_long_integer,
    ),
    Case(
        "engines.wasm.payload.without_surrogates",
        "surrogates",
        TEXT,
        lambda size: "\ud800" * (size // 3),
        without_surrogates,
    ),
    Case(
        "conversation.state_text.unpack",
        "lists that compress well",
        STATES.inflated,
        lambda size: pack({"program": [[]] * (size // 4)}, STATES),
        _unpack,
    ),
    Case(
        "conversation.state_text.unpack",
        "a text of escapes",
        STATES.inflated,
        lambda size: pack({"program": "\n" * (size // 4)}, STATES),
        _unpack,
    ),
)
