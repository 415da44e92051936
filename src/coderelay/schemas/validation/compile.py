"""Compiles a schema into nodes that a walk can follow; each part when it is first needed."""

from collections.abc import Mapping
from typing import Any

from coderelay.core import Json, Schema
from coderelay.schemas.schema_references import References
from coderelay.schemas.validation.applicators import (
    AdditionalProperties,
    AllOf,
    AnyOf,
    Contains,
    DependentSchemas,
    If,
    Items,
    Not,
    OneOf,
    PatternProperties,
    Properties,
    PropertyNames,
)
from coderelay.schemas.validation.assertions import assertions
from coderelay.schemas.validation.patterns import Patterns
from coderelay.schemas.validation.unevaluated import Unevaluated
from coderelay.schemas.validation.walk import KINDS, Rule, Rules, SchemaNode, Walk

_REFERENCES = {"$ref": 4, "$recursiveRef": 2019, "$dynamicRef": 2020}
"""The keywords that refer to other schemas, each with the draft that introduced it."""
_HOPS = 20


class _False(Rule):
    """The schema `false`."""

    def __init__(self) -> None:
        super().__init__("falseSchema", {})

    def fits(self, value: Json, walk: Walk) -> bool:
        """No value fits."""
        return False


class SchemaCompiler:
    """Makes the nodes of one schema, each once. Many threads may use it at the same time."""

    def __init__(self, schema: Schema, draft: int) -> None:
        self._draft = draft
        self._references = References(schema)
        self._targets = self._referred()
        self._nodes: dict[int, SchemaNode] = {}
        self._patterns = Patterns()
        self._true = SchemaNode(lambda: _by_kind([]), shared=False)
        self._false = SchemaNode(lambda: _by_kind([_False()]), shared=False)
        self.root = self.node(self._references.root)

    def node(self, schema: Json) -> SchemaNode:
        """The node of a part of the schema."""
        for _ in range(_HOPS):
            if not self._only_refers(schema):
                break
            schema = self._references.find(schema["$ref"])
        if not isinstance(schema, dict):
            return self._false if schema is False else self._true
        found = self._nodes.get(id(schema))
        if found is None:
            shared = id(schema) in self._targets
            made = SchemaNode(lambda: _by_kind(self._rules(schema)), shared=shared)
            found = self._nodes.setdefault(id(schema), made)
        return found

    def _only_refers(self, schema: Json) -> bool:
        """Whether a schema counts only as a reference: up to draft 7 a `$ref` hides the rest."""
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            return False
        return self._draft < 2019 or len(schema) == 1

    def _referred(self) -> set[int]:
        """The schemas that references point to. They are found at the start, so that a walk takes
        the same steps whether or not it is the first."""
        found: set[int] = set()
        waiting: list[Json] = [self._references.root]
        while waiting:
            here = waiting.pop()
            if isinstance(here, dict):
                for word in _REFERENCES:
                    if isinstance(here.get(word), str):
                        found.add(id(self._references.find(here[word])))
                waiting.extend(here.values())
            elif isinstance(here, list):
                waiting.extend(here)
        return found

    def _rules(self, schema: dict[str, Any]) -> list[Rule]:
        draft = self._draft
        if draft < 2019 and isinstance(schema.get("$ref"), str):  # which hides all else
            return [AllOf("$ref", schema, [self.node(self._references.find(schema["$ref"]))])]
        found: list[Rule] = assertions(schema, draft, self._patterns)
        for word, since in _REFERENCES.items():
            if draft >= since and isinstance(schema.get(word), str):
                target = self._references.find(schema[word])
                found.append(AllOf(word, schema, [self.node(target)]))
        found += self._for_parts(schema)
        for word, kind in (("allOf", AllOf), ("anyOf", AnyOf), ("oneOf", OneOf)):
            if isinstance(schema.get(word), list):
                found.append(kind(word, schema, [self.node(each) for each in schema[word]]))
        if "not" in schema:
            found.append(Not("not", schema, self.node(schema["not"])))
        if "if" in schema and draft >= 7:
            condition, then, otherwise = (
                self.node(schema.get(word, True)) for word in ("if", "then", "else")
            )
            found.append(If(schema, condition, then, otherwise))
        if draft >= 2019:
            found += [
                Unevaluated(
                    word,
                    schema,
                    draft=draft,
                    find=self.node,
                    follow=self._references.find,
                    patterns=self._patterns,
                )
                for word in ("unevaluatedProperties", "unevaluatedItems")
                if word in schema
            ]
        return found

    def _for_parts(self, schema: dict[str, Any]) -> list[Rule]:
        return [*self._for_properties(schema), *self._for_items(schema)]

    def _for_properties(self, schema: dict[str, Any]) -> list[Rule]:
        found: list[Rule] = []
        named = _mapping(schema, "properties")
        patterns = [
            (self._patterns.of(text), each)
            for text, each in _mapping(schema, "patternProperties").items()
        ]
        if named:
            nodes = {name: self.node(each) for name, each in named.items()}
            found.append(Properties("properties", schema, nodes))
        if patterns:
            pairs = [(pattern, self.node(each)) for pattern, each in patterns]
            found.append(PatternProperties("patternProperties", schema, pairs))
        if schema.get("additionalProperties", True) is not True:
            node = self.node(schema["additionalProperties"])
            only = [pattern for pattern, _ in patterns]
            found.append(AdditionalProperties(schema, node, named, only))
        if "propertyNames" in schema and self._draft > 4:
            node = self.node(schema["propertyNames"])
            found.append(PropertyNames("propertyNames", schema, node))
        for word, since in (("dependentSchemas", 2019), ("dependencies", 4)):
            inner = {
                name: self.node(each)
                for name, each in _mapping(schema, word).items()
                if not isinstance(each, list)
            }
            if inner and self._draft >= since:
                found.append(DependentSchemas(word, schema, inner))
        return found

    def _for_items(self, schema: dict[str, Any]) -> list[Rule]:
        found: list[Rule] = []
        items, first, rest = schema.get("items"), schema.get("prefixItems"), schema.get("items")
        if self._draft < 2020:
            first, rest = None, items
            if isinstance(items, list):
                first, rest = items, schema.get("additionalItems")
        if isinstance(first, list) or rest is not None:
            places = [self.node(each) for each in first or ()]
            node = None if rest is None else self.node(rest)
            found.append(Items("items", schema, places, node))
        if "contains" in schema and self._draft > 4:
            node = self.node(schema["contains"])
            found.append(Contains(schema, node, counted=self._draft >= 2019))
        return found


def _mapping(schema: Mapping[str, Json], word: str) -> Mapping[str, Json]:
    found = schema.get(word)
    return found if isinstance(found, dict) else {}


def _by_kind(rules: list[Rule]) -> Rules:
    return {kind: tuple(rule for rule in rules if kind in rule.kinds) for kind in KINDS}
