"""JSON that a model wrote, up to the length that any sensible text of it has."""

from coderelay.core import Json
from coderelay.core.json_reader import LENIENT, STRICT, read_json
from coderelay.core.json_values import NotJson
from coderelay.core.limits import MB

LONGEST = 1 * MB
"""Characters of a text that is read: no program, and no answer in a format, is so long."""


def read_model_json(text: str, *, strict: bool = False) -> Json:
    """The value of a text. Unless it is read strictly, line ends may stand in strings as they are.

    Raises `NotJson`.
    """
    if len(text) > LONGEST:
        raise NotJson(f"it is longer than {LONGEST:,} characters")
    return read_json(text, STRICT if strict else LENIENT)
