"""Our own validator comes to the same as the library, in counted steps."""

from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from coderelay.schemas.validation import SchemaCompiler, Walk

DRAFTS = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    2019: jsonschema_rs.Draft201909Validator,
    2020: jsonschema_rs.Draft202012Validator,
}
NAMES = ("a", "b", "c", "ab", "x-1")

names = st.sampled_from(NAMES)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from([0.5, 1.0, 2.5, 1e30, 10**20]),
    st.sampled_from(["", "a", "ab", "abc", "x-1", "é", "😀"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
counts = st.integers(0, 4)
numbers = st.sampled_from([0, 1, 2, 2.5, 10])
patterns = st.sampled_from(["^a", "b$", "^(?!a)", "[a-c]{2}", "\\d", "(a)\\1"])
kinds = st.sampled_from(["null", "boolean", "string", "number", "integer", "array", "object"])
references = st.sampled_from(["#", "#/definitions/one", "#/definitions/two"]).map(
    lambda reference: {"$ref": reference}
)
LEAVES = {
    "type": kinds | st.lists(kinds, min_size=1, max_size=3, unique=True),
    "enum": st.lists(values, min_size=1, max_size=3, unique_by=repr),
    "const": values,
    "minimum": numbers,
    "maximum": numbers,
    "exclusiveMinimum": numbers,
    "exclusiveMaximum": numbers,
    "multipleOf": st.sampled_from([1, 2, 0.5, 0.1]),
    "minLength": counts,
    "maxLength": counts,
    "pattern": patterns,
    "minItems": counts,
    "maxItems": counts,
    "uniqueItems": st.booleans(),
    "minProperties": counts,
    "maxProperties": counts,
    "minContains": counts,
    "maxContains": counts,
    "required": st.lists(names, min_size=1, max_size=2, unique=True),
    "dependentRequired": st.dictionaries(names, st.lists(names, max_size=2, unique=True)),
    "format": st.just("email"),
    "title": st.just("a title"),
}


def with_inner(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    # References recur only through parts of a value: a schema that is not itself means nothing.
    part = inner | references
    several = st.lists(inner, min_size=1, max_size=3)
    parts = st.lists(part, min_size=1, max_size=3)
    keyed = st.dictionaries(names, part, max_size=3)
    words: dict[str, st.SearchStrategy[Any]] = {
        **LEAVES,
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), several),
        **dict.fromkeys(("not", "if", "then", "else", "propertyNames"), inner),
        **dict.fromkeys(("additionalProperties", "additionalItems"), part | st.booleans()),
        **dict.fromkeys(("unevaluatedProperties", "unevaluatedItems"), part | st.booleans()),
        "properties": keyed,
        "dependentSchemas": st.dictionaries(names, inner, max_size=3),
        "prefixItems": parts,
        "items": part | parts,
        "contains": part,
        "patternProperties": st.dictionaries(patterns, part, max_size=2),
        "dependencies": st.dictionaries(names, inner | st.lists(names, min_size=1, unique=True)),
    }
    return st.lists(st.sampled_from(sorted(words)), max_size=5, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({word: words[word] for word in chosen})
    )


schemas = st.recursive(
    st.fixed_dictionaries({}, optional=LEAVES) | st.booleans(), with_inner, max_leaves=6
)
whole = st.tuples(with_inner(schemas), schemas, schemas).map(
    lambda parts: {**parts[0], "definitions": {"one": parts[1], "two": parts[2]}}
)


def by_library(schema: Any, draft: int, value: Any) -> bool | None:
    """What the library says, None where it does not take the schema or cannot decide."""
    try:
        validator = DRAFTS[draft](
            schema,
            validate_formats=False,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=5_000),
        )
    except (jsonschema_rs.ValidationError, ValueError):
        return None
    return validator.is_valid(value)


@given(schema=whole, value=values, draft=st.sampled_from(sorted(DRAFTS)))
@settings(max_examples=400, deadline=None)
def test_the_validator_agrees_with_the_library(schema: Any, value: Any, draft: int) -> None:
    expected = by_library(schema, draft, value)
    if expected is None:
        return
    root = SchemaCompiler(schema, draft).root
    assert Walk(10**6).fits(root, value) is expected
    assert (next(Walk(10**6).errors(root, value, ()), None) is None) is expected
