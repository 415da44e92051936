"""What a schema says of a value beside its type: a description, and limits as tags."""

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
_SHOWN = 10

_NOTED = frozenset((*_TAGS, "description", "deprecated", "enum", "anyOf"))
_NONE = Notes()


def read_notes(schema: Json) -> Notes:
    """The notes of a schema, whatever it is."""
    if not isinstance(schema, dict) or _NOTED.isdisjoint(schema):
        return _NONE
    tags = [(word, tag) for word in _TAGS if word in schema for tag in _tag(word, schema[word])]
    said = schema.get("description")
    description = said.strip() if isinstance(said, str) else ""
    only = _only_option(schema)
    if only is not None:
        inner = read_notes(only)
        known = {word for word, _ in tags}
        tags += [(word, tag) for word, tag in inner.tags if word not in known]
        description = description or inner.description
    values = schema.get("enum")
    if isinstance(values, list) and len(values) > _MANY:
        shown = ", ".join(brief(value, _TAG_LENGTH) for value in values[:_SHOWN])
        description = f"{description} One of {len(values)} values: {shown}, ….".lstrip()
    if schema.get("deprecated") is True:
        tags.append(("deprecated", ""))
    return Notes(description, tuple(tags)) if description or tags else _NONE


_ENCODER = json.JSONEncoder(ensure_ascii=False)

dump = _ENCODER.encode
"""The JSON text of a value; made once, because `json.dumps` would make it at each call."""


def brief(value: Json, length: int) -> str:
    """The JSON text of a value, cut to a length. No more of it is written than is shown."""
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
    """The text, or as much of its beginning as fits into a length."""
    return text if len(text) <= length else text[: length - 1] + "…"


def lines(text: str) -> list[str]:
    """The lines of a description, without what would end a comment or a source text early."""
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
    """The option that is meant where the others are only null, as for an optional field."""
    options = schema.get("anyOf")
    if not isinstance(options, list) or len(options) != 2:
        return None
    rest = [each for each in options if each != {"type": "null"}]
    if len(rest) != 1 or not isinstance(rest[0], dict) or "anyOf" in rest[0]:
        return None
    return rest[0]
