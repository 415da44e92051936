"""Reads JSON text from outside strictly, and a long one in pieces (see `json_pieces`)."""

import codecs
import json
import math
from collections.abc import Iterator

from coderelay.core.json_counts import check_counts
from coderelay.core.json_pieces import PieceReader
from coderelay.core.json_values import MAX_DEPTH, Json, NotJson, check_depth
from coderelay.core.limits import KB, MB

_SHORT = 8 * KB
"""Texts up to this length are read in one step, whatever they contain."""
_SIMPLE, _FEW = 128 * KB, 5_000
"""Texts up to this length with at most so many commas and brackets are read in one step too."""


def _refuse(constant: str) -> Json:
    raise NotJson(f"{constant} is not a JSON value")


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise NotJson(f"the number {number[:40]} is too large: the largest is about 1.8e308")
    return value


STRICT = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
"""Refuses NaN, infinities, and numbers such as 1e999 that would become infinite."""

LENIENT = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, strict=False)
"""Like `STRICT`, but accepts control characters such as line ends inside strings."""


def read_json(text: str | bytes, decoder: json.JSONDecoder = STRICT) -> Json:
    """Return the value of a JSON text, the same as `decoder.decode` would.

    Raises `NotJson`, which says where the text is wrong, and `TooManyValues`.
    """
    try:
        if is_quickly_read(text):
            return _read_at_once(text, decoder)
        data = _utf8(text)
        check_counts(data)
        return PieceReader(data, decoder).value()
    except RecursionError as error:
        raise NotJson("nested too deeply") from error
    except UnicodeDecodeError as error:
        raise NotJson(f"not UTF-8 text: {error.reason} at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise NotJson(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except NotJson:
        raise
    except ValueError as error:
        raise NotJson("a whole number has more than 4,300 digits") from error


def is_quickly_read(text: str | bytes) -> bool:
    """Return whether reading a text, and any JSON in its strings, takes a few milliseconds at
    most."""
    if len(text) <= _SHORT:
        return True
    if len(text) > _SIMPLE:
        return False
    if isinstance(text, str):
        return text.count(",") + text.count("[") + text.count("{") <= _FEW
    return text.count(b",") + text.count(b"[") + text.count(b"{") <= _FEW


def _read_at_once(text: str | bytes, decoder: json.JSONDecoder) -> Json:
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    value = decoder.decode(text)
    if text.count("[") + text.count("{") > MAX_DEPTH:
        check_depth(value)
    return value


def _utf8(text: str | bytes) -> bytes:
    """Return the text in UTF-8, with lone surrogates encoded like any other character."""
    if isinstance(text, str):
        return b"".join(_encoded(text[at : at + MB]) for at in range(0, len(text), MB))
    encoding = json.detect_encoding(text)
    if encoding == "utf-8":
        return text
    if encoding == "utf-8-sig":
        return text[len(codecs.BOM_UTF8) :]
    return b"".join(map(_encoded, _decoded(text, encoding)))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(text: bytes, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    for at in range(0, len(text), MB):
        yield decoder.decode(text[at : at + MB])
    yield decoder.decode(b"", True)
