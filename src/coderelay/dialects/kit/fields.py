"""Reads typed fields of a request; errors name the field with its path."""

from collections.abc import Mapping

from coderelay.conversation import FieldError
from coderelay.core import Json
from coderelay.core.json_values import kind

_MISSING = object()


class Fields:
    """The fields of a JSON object in a request. `path` is where the object is in the request."""

    def __init__(self, value: Json, path: str = "") -> None:
        if not isinstance(value, dict):  # not Mapping: that check is slower than everything else
            raise FieldError(path or "body", f"is {kind(value)}, not an object")
        self.value: Mapping[str, Json] = value
        self._path = path

    def path(self, name: str) -> str:
        """Return the path of a field in the request, such as `tools[0].name`."""
        return f"{self._path}.{name}" if self._path else name

    def spelling(self, *names: str) -> str:
        """Return the first of these names that is a field of the object, or else the first name."""
        return next((name for name in names if name in self.value), names[0])

    def text(self, name: str, default: Json = _MISSING) -> str:
        """Return a string field. Without a default, the field is required."""
        return self._typed(name, str, "a string", default)  # type: ignore[no-any-return]

    def flag(self, name: str, default: bool) -> bool:
        """Return a boolean field, or the default if it is missing or null."""
        return self._typed(name, bool, "a boolean", default)  # type: ignore[no-any-return]

    def number(self, name: str, default: Json = _MISSING) -> int:
        """Return a number field as an integer. Floats are accepted and cut, because some clients
        send times as floats."""
        value = self._typed(name, (int, float), "a number", default)
        if isinstance(value, bool) or value != value or value in (float("inf"), float("-inf")):
            raise FieldError(self.path(name), f"is {kind(value)}, not a number")
        return int(value)

    def items(self, name: str, default: Json = _MISSING) -> list[Json]:
        """Return a list field. Without a default, the field is required."""
        return self._typed(name, list, "a list", default)  # type: ignore[no-any-return]

    def inner(self, name: str, default: Json = _MISSING) -> "Fields":
        """Return the fields of an object field. Without a default, the field is required."""
        return Fields(self._typed(name, dict, "an object", default), self.path(name))

    def _typed(self, name: str, type: Json, called: str, default: Json) -> Json:
        value = self.value.get(name)
        if value is None:
            if default is not _MISSING:
                return default
            missing = "is missing" if name not in self.value else f"is null, not {called}"
            raise FieldError(self.path(name), missing)
        if not isinstance(value, type):
            raise FieldError(self.path(name), f"is {kind(value)}, not {called}")
        return value
