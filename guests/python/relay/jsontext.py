"""JSON text, read and written by C code that a program cannot replace."""

import json
from json.encoder import c_make_encoder, encode_basestring_ascii  # type: ignore[attr-defined]
from json.scanner import c_make_scanner  # type: ignore[attr-defined]
from typing import Any

from relay.pristine import __builtins__  # noqa: F401

_scan = c_make_scanner(json.JSONDecoder())


def _refuse(value: object) -> Any:
    raise TypeError(f"{type(value).__name__} has no JSON form")


_encode = c_make_encoder(
    None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False
)


def read(text: str) -> Any:
    """The value of a text that the host wrote."""
    return _scan(text, 0)[0]


def write(value: Any) -> str:
    """The compact ASCII text of a plain value. NaN and infinities raise `ValueError`."""
    return "".join(_encode(value, 0))
