"""JSON that people read."""

import json

from coderelay.core import Json


def render(value: Json) -> bytes:
    """The text of a value, indented, in UTF-8. A lone surrogate, which UTF-8 cannot encode, is
    escaped: Python's escape of it is also that of JSON."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return text.encode("utf-8", "backslashreplace")
