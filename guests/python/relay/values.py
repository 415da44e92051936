"""A value has one JSON form, and what has none is named by its place."""

import array
import asyncio
import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import math
import pathlib
import sys
import types
import uuid
import zoneinfo
from collections.abc import Callable, Iterator, Mapping, Sequence, Set, ValuesView
from typing import Any

from relay import jsontext
from relay.pristine import __builtins__  # noqa: F401

MAX_DEPTH = 256
MAX_DIGITS = 4300
_MAX_BITS = int(MAX_DIGITS * math.log2(10))
_SCALARS = frozenset({str, int, float, bool, type(None)})

Place = tuple[Any, str] | str
"""Where in a value we are: a root's name, or a place and the step on from it."""


class NoForm(TypeError):
    """A part of the value has no JSON form."""

    __module__ = "builtins"


NoForm.__name__ = NoForm.__qualname__ = "TypeError"  # what programs are told


class TooLarge(Exception):
    """The value's text is sure to pass its limit."""


def encode(value: Any, root: str, limit: int) -> str:
    """The JSON text of a value, cut one character after the limit: the host says what that means.

    Raises `NoForm` with the place of the first part that has no form.
    """
    try:
        if _plain(value, limit) and sys.get_int_max_str_digits() == MAX_DIGITS:
            try:
                return jsontext.write(value)[: limit + 1]
            except ValueError:
                pass  # NaN, an infinity or a very large integer
        return jsontext.write(_Forms(limit).of(value, root, 0))[: limit + 1]
    except TooLarge:
        return "0" * (limit + 1)


def _plain(value: Any, limit: int) -> bool:
    """Whether the C encoder gives this value its form."""
    level, left = [value], limit // 2  # a part and what parts it from the next: two characters
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for item in level:
            kind = type(item)
            if kind in _SCALARS:
                continue
            if kind is dict:
                for key in item:
                    if type(key) is not str:
                        return False
                inner += item.values()
            elif kind is list or kind is tuple:
                inner += item
            else:
                return False
            if len(inner) > left:
                raise TooLarge
        if not inner:
            return True
        level, left = inner, left - len(inner)
    return False


class _Forms:
    """Gives every part of one value its form."""

    def __init__(self, limit: int) -> None:
        self._left = limit // 2 + 1
        self._above: set[int] = set()

    def of(self, value: Any, place: Place, depth: int) -> Any:
        """The plain value that stands for this one."""
        self._left -= 1
        if self._left < 0:
            raise TooLarge
        if value is None or value is True or value is False:
            return value
        if isinstance(value, enum.Enum):
            return self.of(value.value, place, depth)
        for kinds, form in _SIMPLE:
            if isinstance(value, kinds):
                return form(value, place)
        return self._container(value, place, depth)

    def _container(self, value: Any, place: Place, depth: int) -> Any:
        if id(value) in self._above:
            raise NoForm(f"{_show(place)} contains itself")
        if depth >= MAX_DEPTH:
            raise NoForm(f"{_show(place)[:80]}… is nested more than {MAX_DEPTH} levels deep")
        self._above.add(id(value))
        try:
            pairs = _pairs(value)
            if pairs is not None:
                return self._object(pairs, place, depth)
            if isinstance(value, _SERIES):
                return [self.of(x, (place, f"[{i}]"), depth + 1) for i, x in enumerate(value)]
        finally:
            self._above.discard(id(value))
        raise NoForm(f"{_show(place)} is {_explain(value)}")

    def _object(self, pairs: Iterator[tuple[Any, Any]], place: Place, depth: int) -> Any:
        result: dict[str, Any] = {}
        for key, item in pairs:
            text = self._key(key, place)
            if text in result:
                raise NoForm(f"{_show(place)} has two keys whose JSON form is {text!r}")
            result[text] = self.of(item, (place, f"[{text!r}]"), depth + 1)
        return result

    def _key(self, key: Any, place: Place) -> str:
        if isinstance(key, enum.Enum):
            return self._key(key.value, place)
        if key is None or key is True or key is False:
            return "null" if key is None else "true" if key else "false"
        for kinds, form in _SIMPLE:
            if isinstance(key, kinds):
                made = form(key, place)
                return made if type(made) is str else repr(made)
        raise NoForm(f"{_show(place)} has a key of type {type(key).__name__}: use strings as keys")


def _float(value: float, place: Place) -> Any:
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _int(value: int, place: Place) -> int:
    if value.bit_length() > _MAX_BITS:
        raise NoForm(f"{_show(place)} is an integer of more than {MAX_DIGITS} digits")
    return int(value)


def _exception(value: BaseException, place: Place) -> Any:
    try:
        message = str.__str__(str(value))
    except Exception:
        message = ""
    return {"name": type(value).__name__, "message": message}


_SIMPLE: tuple[tuple[Any, Callable[[Any, Place], Any]], ...] = (
    (str, lambda value, place: str.__str__(value)),
    (int, _int),
    (float, _float),
    ((datetime.date, datetime.time), lambda value, place: value.isoformat()),
    (datetime.timedelta, lambda value, place: value.total_seconds()),
    ((decimal.Decimal, fractions.Fraction, uuid.UUID), lambda value, place: str(value)),
    ((bytes, bytearray), lambda value, place: base64.b64encode(value).decode()),
    (memoryview, lambda value, place: base64.b64encode(value.tobytes()).decode()),
    ((pathlib.PurePath, zoneinfo.ZoneInfo), lambda value, place: str(value)),
    (
        (ipaddress._BaseAddress, ipaddress._BaseNetwork),
        lambda value, place: str(value),
    ),
    (BaseException, _exception),
)
_SERIES = (Sequence, Set, ValuesView, collections.deque, array.array)


def _pairs(value: Any) -> Iterator[tuple[Any, Any]] | None:
    """The names and parts of what becomes an object."""
    if isinstance(value, Mapping):
        return iter(list(value.items()))
    kind = type(value)
    if dataclasses.is_dataclass(kind):
        return ((field.name, getattr(value, field.name)) for field in dataclasses.fields(kind))
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return zip(kind._fields, value, strict=False)
    if isinstance(value, types.SimpleNamespace):
        return iter(list(vars(value).items()))
    return None


def _explain(value: Any) -> str:
    """What a value without a form is, and what to do about it."""
    if hasattr(type(value), "unawaited"):
        return str(value.unawaited())
    if isinstance(value, types.CoroutineType):
        name = value.__name__
        return f"the coroutine {name}(…), which was not awaited: write `await {name}(…)`"
    if isinstance(value, asyncio.Future):
        return f"a {type(value).__name__} that was not awaited: use what `await` gives"
    if isinstance(value, Iterator):
        return f"a {type(value).__name__}, which has no JSON form: use list(…)"
    if isinstance(value, type):
        return f"the class {value.__name__}, which has no JSON form"
    if callable(value) and hasattr(value, "__name__"):
        return f"the function {value.__name__}, which has no JSON form: call it"
    kind = type(value).__name__
    return f"of type {kind}, which has no JSON form: use a dict, or make it a dataclass"


def _show(place: Place) -> str:
    steps = []
    while not isinstance(place, str):
        place, step = place
        steps.append(step)
    return place + "".join(reversed(steps))
