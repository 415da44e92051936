"""Reads JSON that a model wrote, up to a maximum length."""

from coderelay.core import Json
from coderelay.core.json_reader import LENIENT, STRICT, read_json
from coderelay.core.json_values import NotJson
from coderelay.core.limits import MB

LONGEST = 1 * MB
"""The longest text that is read, in characters. No sensible program or answer is longer."""


def read_model_json(text: str, *, strict: bool = False) -> Json:
    """Return the value of a JSON text. Unless `strict`, line ends inside strings are accepted,
    because models often write them.

    Raises `NotJson`.
    """
    if len(text) > LONGEST:
        raise NotJson(f"it is longer than {LONGEST:,} characters")
    return read_json(text, STRICT if strict else LENIENT)
