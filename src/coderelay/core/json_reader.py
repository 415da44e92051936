"""JSON text from outside is read strictly, and a long one in pieces: see `jsonpieces`."""

import codecs
import json
import math
from collections.abc import Iterator

from coderelay.core.json_counts import check_counts
from coderelay.core.json_pieces import PieceReader
from coderelay.core.json_values import MAX_DEPTH, Json, NotJson, check_depth
from coderelay.core.limits import KB, MB

_SHORT = 8 * KB
"""Texts up to this length are read at once, whatever is in them."""
_SIMPLE, _FEW = 128 * KB, 5_000
"""So are texts up to this length that have only so many commas and brackets, strings included."""


def _refuse(constant: str) -> Json:
    raise NotJson(f"{constant} is no JSON value")


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise NotJson(f"{number[:40]} is larger than any number of JSON readers")
    return value


STRICT = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
"""Refuses NaN, infinities, and numbers such as 1e999 that would become one."""

LENIENT = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, strict=False)
"""The same, but control characters such as line ends may stand in strings as they are."""


def read_json(text: str | bytes, decoder: json.JSONDecoder = STRICT) -> Json:
    """The value of a JSON text, as the decoder's own `decode` gives it.

    Raises `NotJson`, which says where the text goes wrong, and `TooManyValues`.
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
    """Whether it takes no more than a few milliseconds to read a text, and the texts in it."""
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
    """The text in UTF-8, with lone surrogates encoded like any other character."""
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
