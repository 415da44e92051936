"""What a schema says about a value besides its type: a description, and limits as tags."""

import json
from typing import Any

from coderelay.core import Json
from coderelay.schemas.type_model import Notes

_TAGS = (
    "default",
    "format",
    "pattern",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
)
_BARE = ("format", "pattern")
_TAG_LENGTH = 200
_MANY = 100
_EXAMPLES = 10

_NOTED = frozenset((*_TAGS, "description", "deprecated", "enum", "anyOf"))
_NONE = Notes()


def read_notes(schema: Json) -> Notes:
    """The notes of a schema; none if it is not an object."""
    if not isinstance(schema, dict) or _NOTED.isdisjoint(schema):
        return _NONE
    tags = [(word, tag) for word in _TAGS if word in schema for tag in _tag(word, schema[word])]
    text = schema.get("description")
    description = text.strip() if isinstance(text, str) else ""
    only = _only_option(schema)
    if only is not None:
        inner = read_notes(only)
        known = {word for word, _ in tags}
        tags += [(word, tag) for word, tag in inner.tags if word not in known]
        description = description or inner.description
    values = schema.get("enum")
    if isinstance(values, list) and len(values) > _MANY:
        examples = ", ".join(brief(value, _TAG_LENGTH) for value in values[:_EXAMPLES])
        description = f"{description} One of {len(values)} values: {examples}, ….".lstrip()
    if schema.get("deprecated") is True:
        tags.append(("deprecated", ""))
    return Notes(description, tuple(tags)) if description or tags else _NONE


_ENCODER = json.JSONEncoder(ensure_ascii=False)

dump = _ENCODER.encode
"""The JSON text of a value. The encoder is made once: `json.dumps` would make one in each call."""


def brief(value: Json, length: int) -> str:
    """The JSON text of a value, shortened to a length. No more text is made than is used."""
    if isinstance(value, str):
        return cut(dump(value[: length + 1]), length)
    text = ""
    try:
        for piece in _ENCODER.iterencode(value):
            text += piece
            if len(text) > length:
                break
    except (TypeError, ValueError, RecursionError):  # an integer of 5,000 digits has no text
        return "…"
    return cut(text, length)


def cut(text: str, length: int) -> str:
    """The text, shortened to a length with an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + "…"


def lines(text: str) -> list[str]:
    """The lines of a description, without characters that would end a comment or a line early."""
    if text.isprintable():
        return [text] if text else []
    return [
        "".join(letter if letter.isprintable() else " " for letter in line).strip()
        for line in text.splitlines()
    ]


def _tag(word: str, value: Json) -> list[str]:
    if word in _BARE:
        return [value] if isinstance(value, str) and len(value) <= _TAG_LENGTH else []
    text = brief(value, _TAG_LENGTH)
    return [] if text.endswith("…") else [text]


def _only_option(schema: dict[str, Any]) -> Json:
    """The other option, if one of two options is null, as in the schema of an optional field."""
    options = schema.get("anyOf")
    if not isinstance(options, list) or len(options) != 2:
        return None
    rest = [each for each in options if each != {"type": "null"}]
    if len(rest) != 1 or not isinstance(rest[0], dict) or "anyOf" in rest[0]:
        return None
    return rest[0]
