"""`unevaluatedProperties` and `unevaluatedItems`: schemas for what no other schema looked at."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from coderelay.core import Json
from coderelay.schemas.validation.assertions import matches
from coderelay.schemas.validation.patterns import Patterns
from coderelay.schemas.validation.walk import Error, Path, Rule, SchemaNode, Walk

Find: TypeAlias = Callable[[Json], SchemaNode]
"""Gives the compiled form of a schema."""
Follow: TypeAlias = Callable[[str], Json]
"""Gives the schema that a reference points to."""

_Seen: TypeAlias = set[str | int] | None
"""The parts of a value that were looked at, None for all of them."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class Unevaluated(Rule):
    """One of the two words."""

    def __init__(
        self,
        word: str,
        schema: Mapping[str, Json],
        *,
        draft: int,
        find: Find,
        follow: Follow,
        patterns: Patterns,
    ) -> None:
        super().__init__(word, schema)
        self._find = find
        self._follow = follow
        self._patterns = patterns
        if word == "unevaluatedProperties":
            self.kinds, self._own = ("object",), Unevaluated._own_properties
        else:
            self.kinds = ("array",)
            self._own = Unevaluated._own_items if draft >= 2020 else Unevaluated._own_items_2019

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether all parts fit that nothing else has looked at."""
        node = self._find(self.said)
        for part in self._left(value, walk):
            if not walk.fits(node, value[part]):
                return False
        return True

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """What is wrong with each; where there may be none, that they are there."""
        node = self._find(self.said)
        for part in self._left(value, walk):
            if not walk.fits(node, value[part]):
                if self.said is False:
                    yield Error(self.word, path, value, part, self.schema)
                else:
                    yield from walk.errors(node, value[part], (*path, part))

    def _left(self, value: Json, walk: Walk) -> list[str | int]:
        """The parts that no other word of the schema has looked at."""
        others = {word: part for word, part in self.schema.items() if word != self.word}
        seen = self._seen(others, value, walk)
        walk.spend(len(value) // 4)
        every = value if isinstance(value, dict) else range(len(value))
        return [] if seen is None else [part for part in every if part not in seen]

    def _seen(self, schema: Json, value: Json, walk: Walk) -> _Seen:
        """The parts that a schema has looked at."""
        if not isinstance(schema, dict):
            return set()
        if schema is not self.schema and self.word in schema:
            return None
        seen = self._own(self, schema, value, walk)
        if seen is None:
            return None
        for inner in self._applied(schema, value, walk):
            walk.spend(1)
            found = self._seen(inner, value, walk)
            if found is None:
                return None
            seen |= found
        return seen

    def _applied(self, schema: dict[str, Json], value: Json, walk: Walk) -> Iterator[Json]:
        """The schemas that apply to the value itself and that it fits."""
        for word in _REFERENCES:
            if isinstance(schema.get(word), str):
                yield self._follow(schema[word])
        inner = [each for word in ("allOf", "anyOf", "oneOf") for each in schema.get(word, ())]
        if isinstance(value, dict):
            dependent = schema.get("dependentSchemas", {})
            inner += [dependent[name] for name in dependent if name in value]
        if "if" in schema:
            holds = walk.fits(self._find(schema["if"]), value)
            inner += [schema["if"], schema.get("then")] if holds else [schema.get("else")]
        for each in inner:
            if each is not None and walk.fits(self._find(each), value):
                yield each

    def _own_properties(self, schema: dict[str, Json], value: Json, walk: Walk) -> _Seen:
        if "additionalProperties" in schema:
            return None
        seen = {name for name in value if name in schema.get("properties", ())}
        for text in schema.get("patternProperties", ()):
            pattern = self._patterns.of(text)
            seen |= {name for name in value if matches(pattern, name, walk)}
        return seen

    def _own_items(self, schema: dict[str, Json], value: Json, walk: Walk) -> _Seen:
        if "items" in schema:
            return None
        seen: set[str | int] = set(range(min(len(schema.get("prefixItems", ())), len(value))))
        if "contains" in schema:
            node = self._find(schema["contains"])
            seen |= {place for place, item in enumerate(value) if walk.fits(node, item)}
        return seen

    def _own_items_2019(self, schema: dict[str, Json], value: Json, walk: Walk) -> _Seen:
        items = schema.get("items")
        if not isinstance(items, list):
            return None if "items" in schema else set()
        return None if "additionalItems" in schema else set(range(min(len(items), len(value))))
