"""A field of the wrong type is refused by its name."""

from collections.abc import Mapping

from coderelay.conversation import FieldError
from coderelay.core import Json
from coderelay.core.json_values import kind

_MISSING = object()


class Fields:
    """Reads the fields of an object that came from outside."""

    def __init__(self, value: Json, path: str = "") -> None:
        if not isinstance(value, dict):  # not Mapping: that check costs more than all the rest
            raise FieldError(path or "body", f"is {kind(value)}, not an object")
        self.value: Mapping[str, Json] = value
        self._path = path

    def path(self, name: str) -> str:
        """The name of a field, seen from the whole request."""
        return f"{self._path}.{name}" if self._path else name

    def spelling(self, *names: str) -> str:
        """The first of several spellings that is there, or the first of all."""
        return next((name for name in names if name in self.value), names[0])

    def text(self, name: str, default: Json = _MISSING) -> str:
        """A string; without a default it must be there."""
        return self._typed(name, str, "a string", default)  # type: ignore[no-any-return]

    def flag(self, name: str, default: bool) -> bool:
        """A boolean; null counts as missing."""
        return self._typed(name, bool, "a boolean", default)  # type: ignore[no-any-return]

    def number(self, name: str, default: Json = _MISSING) -> int:
        """A whole number. A time may have come as a float."""
        value = self._typed(name, (int, float), "a number", default)
        if isinstance(value, bool) or value != value or value in (float("inf"), float("-inf")):
            raise FieldError(self.path(name), f"is {kind(value)}, not a number")
        return int(value)

    def items(self, name: str, default: Json = _MISSING) -> list[Json]:
        """A list."""
        return self._typed(name, list, "a list", default)  # type: ignore[no-any-return]

    def inner(self, name: str, default: Json = _MISSING) -> "Fields":
        """The fields of an object inside."""
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
