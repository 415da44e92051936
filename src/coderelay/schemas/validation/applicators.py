"""The keywords that apply other schemas: to the value itself, or to its parts."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from coderelay.core import Json
from coderelay.schemas.validation.assertions import matches
from coderelay.schemas.validation.patterns import Pattern
from coderelay.schemas.validation.walk import Error, Path, Rule, SchemaNode, Walk

_OPTIONS, _OF_AN_OPTION = 50, 10
"""For how many options of a choice errors are listed, and how many for each option."""


class AllOf(Rule):
    """`allOf`, `$ref` and its like: schemas that the value itself must fit."""

    def __init__(self, word: str, schema: Mapping[str, Json], nodes: Sequence[SchemaNode]) -> None:
        super().__init__(word, schema)
        self._nodes = nodes

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the value fits all of them."""
        for node in self._nodes:  # no all(): its generator would be a frame more for each level
            if not walk.fits(node, value):
                return False
        return True

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """The errors by each of them."""
        for node in self._nodes:
            yield from walk.errors(node, value, path)


class AnyOf(Rule):
    """`anyOf`."""

    def __init__(self, word: str, schema: Mapping[str, Json], nodes: Sequence[SchemaNode]) -> None:
        super().__init__(word, schema)
        self._nodes = nodes

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the value fits one of them."""
        for node in self._nodes:
            if walk.fits(node, value):
                return True
        return False

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """One error, which has the errors of each option."""
        branches = [
            tuple(islice(walk.errors(node, value, path), _OF_AN_OPTION))
            for node in self._nodes[:_OPTIONS]
        ]
        yield Error(self.word, path, value, self.schema, branches=tuple(branches))


class OneOf(AnyOf):
    """`oneOf`."""

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the value fits one of them and no other."""
        found = 0
        for node in self._nodes:
            if walk.fits(node, value):
                found += 1
                if found > 1:
                    break
        return found == 1


class Not(Rule):
    """`not`."""

    def __init__(self, word: str, schema: Mapping[str, Json], node: SchemaNode) -> None:
        super().__init__(word, schema)
        self._node = node

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the value does not fit the schema."""
        return not walk.fits(self._node, value)


class If(Rule):
    """`if`, with `then` and `else`."""

    def __init__(
        self,
        schema: Mapping[str, Json],
        condition: SchemaNode,
        then: SchemaNode,
        otherwise: SchemaNode,
    ) -> None:
        super().__init__("if", schema)
        self._condition = condition
        self._then, self._otherwise = then, otherwise

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the value fits the schema that applies to it."""
        return walk.fits(self.applied(value, walk), value)

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """The errors by that schema."""
        yield from walk.errors(self.applied(value, walk), value, path)

    def applied(self, value: Json, walk: Walk) -> SchemaNode:
        """The schema that applies to a value."""
        return self._then if walk.fits(self._condition, value) else self._otherwise


class DependentSchemas(Rule):
    """`dependentSchemas`, and the schemas in `dependencies`."""

    kinds = ("object",)

    def __init__(
        self, word: str, schema: Mapping[str, Json], nodes: Mapping[str, SchemaNode]
    ) -> None:
        super().__init__(word, schema)
        self._nodes = nodes

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the value fits the schemas of the properties that it has."""
        for node in self._applied(value, walk):
            if not walk.fits(node, value):
                return False
        return True

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """The errors by each of them."""
        for node in self._applied(value, walk):
            yield from walk.errors(node, value, path)

    def _applied(self, value: Json, walk: Walk) -> Iterator[SchemaNode]:
        walk.spend(len(self._nodes) // 8)
        return (node for name, node in self._nodes.items() if name in value)


class _Parts(Rule):
    """A keyword that applies schemas to parts of a value."""

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether all parts fit."""
        for _, part, node in self.parts(value, walk):
            if not walk.fits(node, part):
                return False
        return True

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """The errors of each part."""
        for step, part, node in self.parts(value, walk):
            if not walk.fits(node, part):
                yield from walk.errors(node, part, (*path, step))

    def parts(self, value: Json, walk: Walk) -> Iterator[tuple[str | int, Json, SchemaNode]]:
        """Each part with the schema that it must fit."""
        raise NotImplementedError


class Properties(_Parts):
    """`properties`."""

    kinds = ("object",)

    def __init__(
        self, word: str, schema: Mapping[str, Json], nodes: Mapping[str, SchemaNode]
    ) -> None:
        super().__init__(word, schema)
        self._nodes = nodes

    def parts(self, value: Json, walk: Walk) -> Iterator[tuple[str | int, Json, SchemaNode]]:
        """The properties that the schema names."""
        nodes = self._nodes
        walk.spend(len(value) // 4)
        return ((name, value[name], nodes[name]) for name in value if name in nodes)


class PatternProperties(_Parts):
    """`patternProperties`."""

    kinds = ("object",)

    def __init__(
        self, word: str, schema: Mapping[str, Json], nodes: Sequence[tuple[Pattern, SchemaNode]]
    ) -> None:
        super().__init__(word, schema)
        self._nodes = nodes

    def parts(self, value: Json, walk: Walk) -> Iterator[tuple[str | int, Json, SchemaNode]]:
        """The properties whose names match, once for each pattern."""
        for name, part in value.items():
            for pattern, node in self._nodes:
                if matches(pattern, name, walk):
                    yield name, part, node


class AdditionalProperties(_Parts):
    """`additionalProperties`: a schema for the properties that nothing beside it names."""

    kinds = ("object",)

    def __init__(
        self,
        schema: Mapping[str, Json],
        node: SchemaNode,
        named: Mapping[str, Json],
        patterns: Sequence[Pattern],
    ) -> None:
        super().__init__("additionalProperties", schema)
        self._node = node
        self._named = named
        self._patterns = patterns

    def parts(self, value: Json, walk: Walk) -> Iterator[tuple[str | int, Json, SchemaNode]]:
        """The properties that are not named beside it."""
        walk.spend(len(value) // 4)
        for name, part in value.items():
            if name not in self._named and not any(
                matches(pattern, name, walk) for pattern in self._patterns
            ):
                yield name, part, self._node

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """The errors of each. If none is allowed, each of them is one error."""
        if self.keyword_value is not False:
            yield from super().errors(value, walk, path)
            return
        for name, _, _ in self.parts(value, walk):
            yield Error(self.word, path, value, self.schema, name)


class PropertyNames(Rule):
    """`propertyNames`."""

    kinds = ("object",)

    def __init__(self, word: str, schema: Mapping[str, Json], node: SchemaNode) -> None:
        super().__init__(word, schema)
        self._node = node

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether all names fit."""
        for name in value:
            if not walk.fits(self._node, name):
                return False
        return True

    def errors(self, value: Json, walk: Walk, path: Path) -> Iterator[Error]:
        """Each name that does not fit."""
        for name in value:
            if not walk.fits(self._node, name):
                yield Error(self.word, path, value, self.schema, name)


class Items(_Parts):
    """`items`, `prefixItems` and `additionalItems`: schemas for items by their place."""

    kinds = ("array",)

    def __init__(
        self,
        word: str,
        schema: Mapping[str, Json],
        first: Sequence[SchemaNode],
        rest: SchemaNode | None,
    ) -> None:
        super().__init__(word, schema)
        self._first, self._rest = first, rest

    def parts(self, value: Json, walk: Walk) -> Iterator[tuple[str | int, Json, SchemaNode]]:
        """The items that have a schema for their place, each with that schema."""
        for place, (part, node) in enumerate(zip(value, self._first, strict=False)):
            yield place, part, node
        if self._rest is not None:
            for place in range(len(self._first), len(value)):
                yield place, value[place], self._rest


class Contains(Rule):
    """`contains`, with `minContains` and `maxContains`."""

    kinds = ("array",)

    def __init__(self, schema: Mapping[str, Json], node: SchemaNode, *, counted: bool) -> None:
        super().__init__("contains", schema)
        self._node = node
        self._least = schema.get("minContains", 1) if counted else 1
        self._most = schema.get("maxContains") if counted else None

    def fits(self, value: Json, walk: Walk) -> bool:
        """Whether the number of items that fit is within its limits."""
        found = 0
        for item in value:
            if walk.fits(self._node, item):
                found += 1
                if self._most is None and found >= self._least:
                    break
        return found >= self._least and (self._most is None or found <= self._most)
