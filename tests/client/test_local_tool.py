"""A function's type hints and docstring are all that its declaration needs."""

from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from coderelay.client import LocalTool, tool
from coderelay.core import InvalidTool


class Colour(Enum):
    RED = "red"


class Size(BaseModel):
    width: int
    height: int = 1


@dataclass
class Box:
    size: Size
    made: date


def test_a_decorated_function_is_still_the_function() -> None:
    @tool
    def double(number: int) -> int:
        return number * 2

    assert isinstance(double, LocalTool)
    assert double(4) == 8
    assert double(number=5) == 10


def test_the_schema_comes_from_the_type_hints() -> None:
    @tool
    def paint(colour: Colour, kind: Literal["oil", "water"], coats: int = 2) -> list[str]:
        """Paint it."""
        return []

    declared = paint.declaration
    assert (declared.name, declared.description) == ("paint", "Paint it.")
    assert declared.parameters == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "colour": {"$ref": "#/$defs/Colour"},
            "kind": {"type": "string", "enum": ["oil", "water"]},
            "coats": {"type": "integer", "default": 2},
        },
        "required": ["colour", "kind"],
        "$defs": {"Colour": {"title": "Colour", "type": "string", "enum": ["red"]}},
    }
    assert declared.returns == {"type": "array", "items": {"type": "string"}}


def test_models_and_dataclasses_are_described_in_full() -> None:
    @tool
    def pack(box: Box) -> Size:
        return box.size

    assert set(_parameters(pack)["$defs"]) == {"Box", "Size"}
    assert isinstance(pack.declaration.returns, dict)
    assert pack.declaration.returns["required"] == ["width", "height"]


def test_a_function_without_hints_takes_and_returns_anything() -> None:
    @tool
    def anything(value, other=None):  # type: ignore[no-untyped-def]
        return value

    assert _parameters(anything)["properties"] == {"value": {}, "other": {"default": None}}
    assert anything.declaration.returns is None


def test_a_function_without_parameters_has_an_empty_object() -> None:
    @tool
    def now() -> None: ...

    assert now.declaration.parameters == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    assert now.declaration.returns == {"type": "null"}


GOOGLE = """Find things.

    Slowly.

    Args:
        query: What to find,
            in words.

    Returns:
        What was found.
    """
NUMPY = """Find things.

    Slowly.

    Parameters
    ----------
    query : str
        What to find, in words.

    Returns
    -------
    str
        What was found.
    """
REST = """Find things.

    Slowly.

    :param query: What to find, in words.
    :returns: What was found.
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
def test_docstrings_of_every_style_describe_the_arguments(docstring: str) -> None:
    def find(query: str) -> str:
        return query

    find.__doc__ = docstring
    declared = tool(find).declaration
    assert declared.description == "Find things.\n\nSlowly."
    assert _parameters(tool(find))["properties"]["query"]["description"] == (
        "What to find, in words."
    )
    assert declared.returns == {"type": "string", "description": "What was found."}


def test_a_field_description_wins_over_the_docstring() -> None:
    @tool
    def find(query: Annotated[str, Field(description="From the field.", min_length=2)]) -> str:
        """Find.

        :param query: From the docstring.
        """
        return query

    assert _parameters(find)["properties"]["query"] == {
        "type": "string",
        "minLength": 2,
        "description": "From the field.",
    }


def test_name_and_description_can_be_given() -> None:
    @tool(name="look_up", description="Looks up.")
    def find(query: str) -> str:
        """Find."""
        return query

    assert find.declaration.name == "look_up"
    assert find.declaration.description == "Looks up."


def test_parameters_may_have_names_that_pydantic_uses_itself() -> None:
    @tool
    def odd(copy: int, schema: str, model_config: bool, _hidden: int = 0) -> None: ...

    names = ["copy", "schema", "model_config", "_hidden"]
    assert list(_parameters(odd)["properties"]) == names


def test_a_default_that_json_has_no_form_for_is_left_out() -> None:
    @tool
    def wait(until: Any = object()) -> None: ...  # noqa: B008

    assert _parameters(wait)["properties"] == {"until": {}}


def test_methods_and_partials_can_be_tools() -> None:
    class Shop:
        def price(self, item: str) -> float:
            return 1.0

    def power(base: int, exponent: int) -> int:
        return int(base**exponent)

    assert list(_parameters(tool(Shop().price))["properties"]) == ["item"]
    square = tool(name="square")(partial(power, exponent=2))
    assert _parameters(square)["required"] == ["base"]


def test_a_partial_without_a_name_is_refused() -> None:
    with pytest.raises(InvalidTool, match="use tool\\(name=…\\)"):
        tool(partial(print))


def test_arguments_without_a_name_are_refused() -> None:
    def total(*numbers: int) -> int:
        return sum(numbers)

    with pytest.raises(InvalidTool, match=r"the tool 'total' takes \*numbers: int"):
        tool(total)


def test_a_type_without_a_json_form_is_refused() -> None:
    class Opaque: ...

    def use(it: Opaque) -> None: ...

    with pytest.raises(InvalidTool, match="a type hint of the tool 'use' has no JSON form"):
        tool(use)


def test_a_hint_that_cannot_be_resolved_is_refused() -> None:
    def use(it: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(InvalidTool, match="'Nowhere' is not defined"):
        tool(use)


def _parameters(local: LocalTool[..., Any]) -> dict[str, Any]:
    parameters = local.declaration.parameters
    assert isinstance(parameters, dict)
    return parameters
