"""`unevaluatedProperties` and `unevaluatedItems`: schemas for what no other schema applied to."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from coderelay.core import Json
from coderelay.schemas.validation.assertions import matches
from coderelay.schemas.validation.patterns import Patterns
from coderelay.schemas.validation.walk import Error, Path, Rule, SchemaNode, Walk

Find: TypeAlias = Callable[[Json], SchemaNode]
"""Gives the compiled form of a schema."""
Follow: TypeAlias = Callable[[str], Json]
"""Gives the schema that a reference points to."""

_LEVELS = 3
"""How many nested schemas this counts as, by the frames that it takes of Python's stack."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class Unevaluated(Rule):
    """One of the two keywords."""

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
        """Whether all parts fit that no other schema applied to."""
        node = self._find(self.keyword_value)
        for part in self._left(value, walk):
            if not walk.fits(node, value[part]):
                return False
        return True

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """The errors of each such part. If none is allowed, each of them is one error."""
        node = self._find(self.keyword_value)
        for part in self._left(value, walk):
            if not walk.fits(node, value[part]):
                if self.keyword_value is False:
                    yield Error(self.word, path, value, self.schema, part)
                else:
                    yield from walk.errors(node, value[part], (*path, part))

    def _left(self, value: Json, walk: Walk) -> list[str | int]:
        """The parts that no other keyword applied a schema to."""
        walk.spend(len(value) // 4)
        seen: set[str | int] = set()
        walk.enter(_LEVELS)
        all_seen = self._look(value, walk, seen)
        walk.leave(_LEVELS)
        if all_seen:
            return []
        every = value if isinstance(value, dict) else range(len(value))
        return [part for part in every if part not in seen]

    def _look(self, value: Json, walk: Walk, seen: set[str | int]) -> bool:
        """Add to `seen` the parts that a schema applied to. Returns whether these are all parts."""
        waiting: list[Json] = [self.schema]
        visited: set[int] = set()
        for schema in waiting:  # it grows; a list, because schemas may refer to each other
            walk.spend(1)
            if not isinstance(schema, dict) or id(schema) in visited:
                continue
            visited.add(id(schema))
            if (schema is not self.schema and self.word in schema) or self._own(
                self, schema, value, walk, seen
            ):
                return True
            waiting.extend(self._applied(schema, value, walk))
        return False

    def _applied(self, schema: dict[str, Json], value: Json, walk: Walk) -> Iterator[Json]:
        """The schemas for the value itself that the value fits."""
        for word in _REFERENCES:
            if isinstance(schema.get(word), str):
                yield self._follow(schema[word])
        for word in ("allOf", "anyOf", "oneOf"):
            yield from self._fitting(schema.get(word, ()), value, walk)
        if isinstance(value, dict):
            dependent = schema.get("dependentSchemas", {})
            walk.spend(len(dependent) // 8)
            applied = (dependent[name] for name in dependent if name in value)
            yield from self._fitting(applied, value, walk)
        if "if" in schema:
            holds = walk.fits(self._find(schema["if"]), value)
            if holds:
                yield schema["if"]
            yield from self._fitting([schema.get("then" if holds else "else")], value, walk)

    def _fitting(self, schemas: Iterable[Json], value: Json, walk: Walk) -> Iterator[Json]:
        for each in schemas:
            if each is not None and walk.fits(self._find(each), value):
                yield each

    def _own_properties(
        self, schema: dict[str, Json], value: Json, walk: Walk, seen: set[str | int]
    ) -> bool:
        if "additionalProperties" in schema:
            return True
        walk.spend(len(value) // 4)
        named = schema.get("properties", ())
        seen.update(name for name in value if name in named)
        for text in schema.get("patternProperties", ()):
            pattern = self._patterns.of(text)
            seen.update(name for name in value if matches(pattern, name, walk))
        return False

    def _own_items(
        self, schema: dict[str, Json], value: Json, walk: Walk, seen: set[str | int]
    ) -> bool:
        if "items" in schema:
            return True
        self._first(schema.get("prefixItems", ()), value, walk, seen)
        if "contains" in schema:
            node = self._find(schema["contains"])
            seen.update(place for place, item in enumerate(value) if walk.fits(node, item))
        return False

    def _own_items_2019(
        self, schema: dict[str, Json], value: Json, walk: Walk, seen: set[str | int]
    ) -> bool:
        items = schema.get("items")
        if not isinstance(items, list):
            return "items" in schema
        self._first(items, value, walk, seen)
        return "additionalItems" in schema

    def _first(
        self, schemas: Sequence[Json], value: Json, walk: Walk, seen: set[str | int]
    ) -> None:
        """Add the items that have a schema by their place."""
        count = min(len(schemas), len(value))
        walk.spend(count // 4)
        seen.update(range(count))
