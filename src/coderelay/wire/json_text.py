"""How JSON is written for people to read."""

import json

from coderelay.core import Json


def render(value: Json) -> bytes:
    """The text of a value for a person's eye, indented, in UTF-8.

    A lone surrogate has no UTF-8 form; its Python escape is the JSON escape too.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return text.encode("utf-8", "backslashreplace")
