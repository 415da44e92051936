"""Follows references inside a schema. A reference to anything else is never fetched."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from coderelay.core import Json, Schema

_HOPS = 20


class References:
    """Finds what the references of one schema point to; None where they point to nothing."""

    def __init__(self, root: Schema) -> None:
        self.root: Json = dict(root) if isinstance(root, Mapping) else root
        self._marked: dict[str, Json] | None = None

    def find(self, reference: str) -> Json:
        """The part of the schema that a reference points to, or None."""
        base, _, fragment = reference.partition("#")
        start: Json = self._marks().get(base) if base else self.root
        if not fragment:
            return start
        if not fragment.startswith("/"):
            return self._marks().get("#" + fragment)
        return _point(start, fragment)

    def follow(self, schema: Json) -> Json:
        """The schema at the end of a chain of references; None if the chain leads to nothing."""
        for _ in range(_HOPS):
            if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
                return schema
            schema = self.find(schema["$ref"])
        return None

    def _marks(self) -> dict[str, Json]:
        """The parts of the schema that have names: by `$id`, or by `#` and an anchor."""
        if self._marked is None:
            self._marked = {}
            waiting: list[Json] = [self.root]
            while waiting:
                here = waiting.pop()
                if isinstance(here, dict):
                    self._mark(here)
                    waiting.extend(reversed(list(here.values())))
                elif isinstance(here, list):
                    waiting.extend(reversed(here))
        return self._marked

    def _mark(self, here: dict[str, Any]) -> None:
        assert self._marked is not None
        for key, prefix in (("$id", ""), ("$anchor", "#"), ("$dynamicAnchor", "#")):
            mark = here.get(key)
            if isinstance(mark, str):
                self._marked.setdefault(prefix + mark.rstrip("#"), here)


def _point(start: Json, fragment: str) -> Json:
    """Walk a JSON pointer."""
    here = start
    for step in fragment.split("/")[1:]:
        if isinstance(here, dict):
            here = here.get(unquote(step).replace("~1", "/").replace("~0", "~"))
        elif isinstance(here, list) and step.isascii() and step.isdigit() and len(step) < 9:
            here = here[int(step)] if int(step) < len(here) else None
        else:
            return None
    return here
