"""JSON values: how they are written, their canonical text and digest, and when two are equal."""

import hashlib
from typing import Any, TypeAlias

from coderelay.core.json_writer import Writer

Json: TypeAlias = Any
"""None, bool, int, float, str, list or dict with string keys: what `json.loads` gives."""

MAX_DEPTH = 256
"""How deeply a value may be nested. It is fixed because Python's own JSON reader gives up at a
depth that depends on the caller's stack, and a replay must not."""


_COMPACT = Writer(ensure_ascii=False, sort_keys=False)
_CANONICAL = Writer(ensure_ascii=True, sort_keys=True)


class NotJson(ValueError):
    """A text is not valid JSON, or a value cannot be written as JSON; the message says why."""


def dump(value: Json) -> str:
    """Return the compact JSON text of a value. Raises `NotJson` for NaN, infinities and objects
    that are not JSON."""
    try:
        return _COMPACT.write(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error


def size(text: str) -> int:
    """Return the length of a text in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def kind(value: Json) -> str:
    """Return the type of a JSON value in words, for messages."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "an object"


def canonical(value: Json) -> str:
    """Return the canonical text of a value, the same for equal values: keys sorted, no white space,
    ASCII only."""
    return _CANONICAL.write(value)


def digest(value: Json) -> str:
    """Return the first 16 hex digits of the SHA-256 of a value's canonical text."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]


def check_depth(value: Json) -> None:
    """Raise `NotJson` if a value is nested more than `MAX_DEPTH` levels deep."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Json] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, (list, tuple)):
                inner.extend(item)
        if not inner:
            return
        level = inner
    raise NotJson(f"nested more than {MAX_DEPTH} levels deep")


def same(left: Json, right: Json) -> bool:
    """Return whether two values are equal as JSON, with numbers compared as 64-bit floats.

    Clients parse arguments and write them again, and many of them round integers above 2^53.
    """
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right  # not ==: True == 1 in Python
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right or _binary64(left) == _binary64(right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return type(left) is type(right) and bool(left == right)


def _binary64(number: int | float) -> int | float:
    try:
        return float(number)
    except OverflowError:  # an integer beyond 1e308 stays itself
        return number
