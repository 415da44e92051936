"""The types of an SDK, taken at their word: every value is valid, and no field is unknown."""

from functools import lru_cache
from typing import Any

from pydantic import BaseModel, TypeAdapter

Json = Any


@lru_cache(maxsize=16)
def _adapter(type: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type)


def unknown_fields(type: Any, value: Json) -> set[str]:
    """The paths of fields that the SDK has no name for. Raises where a value is not valid."""
    found: set[str] = set()
    _collect(_adapter(type).validate_python(value), "", found)
    return found


def _collect(value: Any, path: str, found: set[str]) -> None:
    if isinstance(value, BaseModel):
        found.update(f"{path}{name}" for name in value.model_extra or {})
        for name in type(value).model_fields:
            _collect(getattr(value, name), f"{path}{name}.", found)
    elif isinstance(value, list):
        for item in value:
            _collect(item, path, found)
