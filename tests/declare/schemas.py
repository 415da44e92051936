"""Schemas for tests: strategies that make them, and those that have broken things before."""

from typing import Any

from hypothesis import strategies as st

NAMES = [
    "a",
    "b",
    "from",
    "user-id",
    "str",
    "list",
    "x1",
    "Type",
    "class",
    "id",
    "$x",
    "__y",
    "日本",
]
REFERENCES = ["#", "#/$defs/A", "#/$defs/B", "#/$defs/C-d", "#/nowhere", "http://e.org/x", "#A"]

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
arbitrary = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "items", "$ref", "enum", "x"]), inner
        )
    ),
    max_leaves=20,
)
"""Any JSON, with keys that a schema would have."""

leaves = st.one_of(
    st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(lambda t: {"type": t}),
    st.sampled_from(REFERENCES).map(lambda reference: {"$ref": reference}),
    st.lists(scalars, min_size=1, max_size=4).map(lambda values: {"enum": values}),
    scalars.map(lambda value: {"const": value}),
    st.sampled_from([{}, True, False]),
)


def _branch(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string", ["object", "null"]]),
            "properties": named,
            "required": st.lists(st.sampled_from(NAMES), max_size=3),
            "additionalProperties": inner,
            "patternProperties": named,
            "items": inner,
            "prefixItems": several,
            "anyOf": several,
            "allOf": several,
            "oneOf": several,
            "$ref": st.sampled_from(REFERENCES),
            "nullable": st.booleans(),
            "description": st.text(max_size=20) | st.sampled_from(['"""', "*/", "a\\", "a\nb"]),
            "default": scalars,
        },
    )


plausible = st.recursive(leaves, _branch, max_leaves=12)
"""What looks like a schema, if a strange one."""

objects = st.builds(
    lambda properties, required, definitions: {
        "type": "object",
        "properties": properties,
        "required": required,
        "$defs": definitions,
    },
    st.dictionaries(st.sampled_from(NAMES), plausible, max_size=5),
    st.lists(st.sampled_from(NAMES), max_size=3),
    st.fixed_dictionaries({"A": plausible, "B": plausible, "C-d": plausible}),
)


def nested(depth: int) -> dict[str, Any]:
    """An object in an object, and so on."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def doubling(word: str, levels: int = 60) -> dict[str, Any]:
    """A schema with two ways to the next definition in each: 2^60 ways to the last."""
    definitions: dict[str, Any] = {
        f"a{level}": {word: [{"$ref": f"#/$defs/a{level + 1}"}] * 2} for level in range(levels)
    }
    definitions[f"a{levels}"] = {"type": "object", "properties": {"x": {"type": "string"}}}
    return {"$ref": "#/$defs/a0", "$defs": definitions}


def chain(length: int) -> dict[str, Any]:
    """A long way from one definition to the next."""
    definitions: dict[str, Any] = {
        f"a{place}": {"$ref": f"#/$defs/a{place + 1}"} for place in range(length)
    }
    definitions[f"a{length}"] = {"type": "string"}
    return {"$ref": "#/$defs/a0", "$defs": definitions}


def spread(levels: int = 60) -> dict[str, Any]:
    """Two properties that each add to the next definition."""
    definitions: dict[str, Any] = {}
    for level in range(levels):
        part = {"allOf": [{"$ref": f"#/$defs/a{level + 1}"}, {"properties": {"z": {}}}]}
        definitions[f"a{level}"] = {"properties": {"p": part, "q": part}}
    definitions[f"a{levels}"] = {"type": "object", "properties": {"x": {"type": "string"}}}
    return {"$ref": "#/$defs/a0", "$defs": definitions}


def deep_list(depth: int) -> list[Any]:
    """A list in a list, and so on."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


_SELF = {"$ref": "#/$defs/A"}
HOSTILE: dict[str, Any] = {
    "nested 3,000 deep": nested(3_000),
    "combined 3,000 deep": {"allOf": [nested(3_000)]},
    "doubling allOf": doubling("allOf"),
    "doubling anyOf": doubling("anyOf"),
    "spread": spread(),
    "a chain": chain(2_000),
    "itself": {"$ref": "#"},
    "itself in allOf": {"allOf": [{"$ref": "#"}]},
    "a definition that is itself": {"properties": {"x": _SELF}, "$defs": {"A": _SELF}},
    "a definition that is itself or a text": {
        "properties": {"x": _SELF},
        "$defs": {"A": {"anyOf": [_SELF, {"type": "string"}]}},
    },
    "definitions that are each other": {
        "properties": {"x": _SELF},
        "$defs": {
            "A": {"anyOf": [{"properties": {"x": {"$ref": "#/$defs/B"}}}, {"$ref": "#/$defs/B"}]},
            "B": {"anyOf": [_SELF, {"type": "string"}]},
        },
    },
    "a map of itself": {
        "properties": {"x": _SELF},
        "$defs": {"A": {"type": "object", "additionalProperties": _SELF}},
    },
    "references to nowhere": {
        "properties": {"a": {"$ref": "#/x"}, "b": {"$ref": "http://e.org"}, "c": {"$ref": 5}}
    },
    "a huge enumeration": {"properties": {"x": {"enum": [f"v{each}" for each in range(20_000)]}}},
    "huge numbers": {"properties": {"x": {"enum": [10**5_000, 1e999, -(2**70)]}}},
    "a deep constant": {"properties": {"x": {"const": deep_list(3_000)}}},
    "a deep default": {"properties": {"x": {"default": deep_list(3_000)}}},
    "half a surrogate pair": {
        "properties": {"\ud800": {"const": "\udc00"}},
        "description": "\ud800",
    },
    "no schema": {"type": 5, "properties": [1], "required": 7, "anyOf": "x", "enum": {"a": 1}},
    "parts that are none": {"properties": {"a": [1], "b": "x", "c": None, "d": 3}},
    "comments that end": {
        "properties": {"x": {"description": '*/ """ \\ \x00 \x0c\r\n\t\u2028x"'}}
    },
    "many options": {
        "properties": {
            "x": {"anyOf": [{"properties": {f"p{each}": {}}} for each in range(2_000)]},
        }
    },
}
