"""What the declared type has and the schema allows is never refused, whatever the schema."""

from collections.abc import Sequence
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coderelay.core import Call, InvalidTool, Tool
from coderelay.declare import ToolHost, check_tools, names
from coderelay.schemas.schema_check import compiled
from coderelay.schemas.schema_reader import SchemaReading, read
from coderelay.schemas.type_model import (
    Array,
    Both,
    Constant,
    NamedType,
    Never,
    Object,
    Primitive,
    Shape,
    Tuple,
    UnionType,
)

NAMES = ["a", "b", "c", "d"]
SAMPLES = {"string": "x", "number": 1.5, "integer": 1, "boolean": True, "null": None}
DEEPEST = 6

values = st.recursive(
    st.sampled_from([None, True, 1, "x"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)
    ),
    max_leaves=4,
)
leaves = st.one_of(
    st.sampled_from(["string", "object", "array", "null"]).map(lambda kind: {"type": kind}),
    st.sampled_from(["#/$defs/A", "#/$defs/B"]).map(lambda reference: {"$ref": reference}),
    values.map(lambda value: {"const": value}),
    st.lists(values, min_size=1, max_size=2).map(lambda several: {"enum": several}),
    st.sampled_from([{}, {"nullable": True}, {"x-kind": "free"}, {"minProperties": 0}]),
)


def _branch(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=2)
    named = st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)
    words = {
        "type": st.sampled_from(["object", "array", ["object", "null"]]),
        "properties": named,
        "required": st.lists(st.sampled_from(NAMES), max_size=1),
        "additionalProperties": inner | st.booleans(),
        "patternProperties": named,
        "propertyNames": st.just({"maxLength": 5}),
        "unevaluatedProperties": st.booleans(),
        "dependentSchemas": named,
        "items": inner,
        "prefixItems": several,
        "contains": inner,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "$ref": st.sampled_from(["#/$defs/A", "#/$defs/B", "#"]),
        **dict.fromkeys(("anyOf", "allOf", "oneOf"), several),
    }
    chosen = st.lists(st.sampled_from(sorted(words)), min_size=1, max_size=3, unique=True)
    return chosen.flatmap(lambda some: st.fixed_dictionaries({word: words[word] for word in some}))


parts = st.recursive(leaves, _branch, max_leaves=8)
schemas = st.builds(
    lambda properties, more, a, b: {
        **more,
        "type": "object",
        "properties": {**properties, **more.get("properties", {})},
        "$defs": {"A": a, "B": b},
    },
    st.dictionaries(st.sampled_from(NAMES), parts, min_size=1, max_size=2),
    _branch(parts),
    parts,
    parts,
)


class Sampler:
    """Draws values of declared types."""

    def __init__(self, data: st.DataObject, reading: SchemaReading) -> None:
        self._data = data
        self._reading = reading

    def value(self, shape: Shape, depth: int = 0, *, beside: bool = False) -> Any:
        """A value of a type; of one that nothing is of, or that is too deep, null. As in
        TypeScript, `unknown` says nothing beside other types of the same value."""
        if depth > DEEPEST:
            return None
        match shape:
            case Primitive(kind):
                return SAMPLES[kind]
            case Constant(value):
                return value
            case NamedType(reference):
                named = self._reading.definitions[reference].shape
                return self.value(named, depth + 1, beside=beside)
            case Array(item):
                return [self.value(item, depth + 1) for _ in range(self._number(2))]
            case Tuple(items):
                return [self.value(item, depth + 1) for item in items]
            case Object():
                return self._object(shape, depth + 1)
            case UnionType(options):
                option = options[self._number(len(options) - 1)]
                return self.value(option, depth + 1, beside=beside)
            case Both(several):
                return _merged([self.value(part, depth + 1, beside=True) for part in several])
            case Never():
                return None
            case _:
                return {} if beside else self._data.draw(values)

    def _object(self, shape: Object, depth: int) -> dict[str, Any]:
        found = {
            each.name: self.value(each.shape, depth)
            for each in shape.properties
            if each.required or self._number(1)
        }
        if not shape.properties and shape.extra is None:
            found.update(self._data.draw(st.dictionaries(st.sampled_from(NAMES), values)))
        elif shape.extra is not None and not isinstance(shape.extra, Never):
            for name in NAMES[: self._number(len(NAMES))]:
                if name not in found and name not in {each.name for each in shape.properties}:
                    found[name] = self.value(shape.extra, depth)
        return found

    def _number(self, most: int) -> int:
        return self._data.draw(st.integers(0, most))


def _merged(several: Sequence[Any]) -> Any:
    """One value that has what all of these have."""
    objects = [each for each in several if isinstance(each, dict)]
    if not objects:
        return several[0]
    found: dict[str, Any] = {}
    for each in objects:
        for name, value in each.items():
            found[name] = _merged([found[name], value]) if name in found else value
    return found


@given(schema=schemas, data=st.data())
@settings(deadline=None, max_examples=400)
def test_what_the_declared_type_has_and_the_schema_allows_is_not_refused(
    schema: Any, data: st.DataObject
) -> None:
    tools = [Tool("t", "", schema)]
    try:
        check_tools(tools)
    except InvalidTool:
        assume(False)
    reading = read(schema)
    arguments = Sampler(data, reading).value(reading.shape)
    assume(compiled(tools[0]).validator.is_valid(arguments))
    host = ToolHost(tools, names(tools, "typescript"), "typescript")
    assert host.answer(Call(0, "t", arguments)) is None
