"""JSON text is read strictly: no NaN, no infinity, no nesting that a run could not carry."""

import json
import math

from coderelay.core import Json
from coderelay.core.jsonvalue import MAX_DEPTH, NotJson, check_depth


def parse(text: str | bytes) -> Json:
    """The value of a JSON text. Raises `NotJson`, which says where it goes wrong."""
    try:
        value = _READER.decode(text if isinstance(text, str) else _decoded(text))
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
    if not isinstance(text, str) or text.count("[") + text.count("{") > MAX_DEPTH:
        check_depth(value)
    return value


def render(value: Json) -> bytes:
    """The text of a value for a person's eye, indented, in UTF-8.

    A lone surrogate has no UTF-8 form; its Python escape is the JSON escape too.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return text.encode("utf-8", "backslashreplace")


def _decoded(text: bytes) -> str:
    return text.decode(json.detect_encoding(text), "surrogatepass")


def _refuse(constant: str) -> Json:
    raise NotJson(f"{constant} is no JSON value")


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise NotJson(f"{number[:40]} is larger than any number of JSON readers")
    return value


_READER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
