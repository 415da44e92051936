"""Writes a large value as JSON in pieces, so that other threads can run in between.

Python's own writer holds the interpreter's lock until it has written a whole value. So it gets a
few items of a large value at a time.
"""

import heapq
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from coderelay.core.limits import KB

_GROUP = 64
"""How many simple items are written in one step."""
_PIECE = 32 * KB
"""About how many characters are written in one step."""
_SMALL = 256 * KB
"""Values up to this size are written in one step."""
_ITEM = 32
"""The cost of one item, as the number of characters that are written in the same time."""
_RUN = 1_000
"""How many keys are sorted in one step."""


class Writer:
    """Writes values exactly as `json.dumps` would with these settings and no white space."""

    def __init__(self, *, ensure_ascii: bool, sort_keys: bool) -> None:
        self._sorts = sort_keys
        self._encode = json.JSONEncoder(
            ensure_ascii=ensure_ascii,
            allow_nan=False,
            separators=(",", ":"),
            sort_keys=sort_keys,
        ).encode

    def write(self, value: Any) -> str:
        """Return the JSON text of a value. Raises what `json.dumps` raises."""
        if is_small(value):
            return self._encode(value)
        written: list[str] = []
        self._write(value, written)
        return "".join(written)

    def _write(self, value: Any, written: list[str]) -> None:
        if isinstance(value, dict):
            self._write_object(value, written)
        elif isinstance(value, (list, tuple)):
            self._write_list(value, written)
        elif isinstance(value, str) and len(value) > _PIECE:
            pieces = (value[at : at + _PIECE] for at in range(0, len(value), _PIECE))
            written += ['"', *(self._encode(piece)[1:-1] for piece in pieces), '"']
        else:
            written.append(self._encode(value))

    def _write_list(self, value: Sequence[Any], written: list[str]) -> None:
        before = "["
        for at in range(0, len(value), _GROUP):
            group = value[at : at + _GROUP]
            if _is_simple(group):
                written += [before, self._encode(group)[1:-1]]
                before = ","
                continue
            for item in group:
                written.append(before)
                self._write(item, written)
                before = ","
        written.append("]" if value else "[]")

    def _write_object(self, value: Mapping[Any, Any], written: list[str]) -> None:
        before, keys = "{", iter(_sorted(value) if self._sorts else value)
        while names := list(islice(keys, _GROUP)):
            group = {name: value[name] for name in names}
            if _is_simple([group]):
                written += [before, self._encode(group)[1:-1]]
                before = ","
                continue
            for name, item in group.items():
                written += [before, self._encode({name: 0})[1:-2]]
                self._write(item, written)
                before = ","
        written.append("}" if value else "{}")


def is_small(*values: Any) -> bool:
    """Return whether the values together are small enough to be written in one step. The check
    stops early, so it takes no longer for large values."""
    left, room = list(values), _SMALL
    while left:
        item = left.pop()
        room -= _ITEM
        if isinstance(item, str):
            room -= len(item)
        elif isinstance(item, (dict, list, tuple)):
            room -= _ITEM * len(item)
            if room > 0:
                left += item
                left += item.values() if isinstance(item, dict) else ()
        elif isinstance(item, int):
            room -= item.bit_length()
        if room < 0:
            return False
    return True


def _is_simple(items: Collection[Any]) -> bool:
    """Return whether the items together are small and nested at most twice."""
    room = _PIECE
    # Only three levels: a deeply nested value would otherwise be walked again at each level.
    for _ in range(3):
        inner: list[Any] = []
        for item in items:
            if isinstance(item, str):
                room -= len(item)
            elif isinstance(item, (dict, list, tuple)):
                room -= _ITEM * len(item)
                if room > 0:
                    inner += item
                    inner += item.values() if isinstance(item, dict) else ()
            elif isinstance(item, int):
                room -= item.bit_length()
        if room < 0:
            return False
        if not inner:
            return True
        items = inner
    return False


def _sorted(keys: Collection[Any]) -> Iterable[Any]:
    if len(keys) <= _RUN:
        return sorted(keys)
    return heapq.merge(*_runs(keys))


def _runs(keys: Iterable[Any]) -> Iterator[list[Any]]:
    left = iter(keys)
    while run := sorted(islice(left, _RUN)):
        yield run
