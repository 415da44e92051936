"""Reading a schema never fails: what cannot be understood is unknown."""

import ast
from typing import Any

import pytest
from hypothesis import given, settings

from coderelay.core import InvalidTool, Tool, UnknownLanguage
from coderelay.core.alternatives import alternatives
from coderelay.declare import check_tools, code_tool, declarations, instructions, names
from coderelay.languages.language_registry import LANGUAGES
from tests.declare.schemas import HOSTILE, arbitrary, objects, plausible


def everything(schema: Any) -> None:
    """Declare a tool of this schema in all languages, and see that it is text that parses."""
    tool = Tool("web_search", "Search.", schema, schema)
    for language in LANGUAGES:
        text = declarations([tool, tool], language)
        text.encode()
        assert text == declarations([tool, tool], language)
    ast.parse(declarations([tool], "python"))


def refusal(schema: Any) -> str:
    """Why a tool of this schema is refused; empty where it is not."""
    try:
        check_tools([Tool("t", "", schema)])
    except InvalidTool as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_is_declared_all_the_same(name: str) -> None:
    everything(HOSTILE[name])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_is_checked_in_no_time(name: str) -> None:
    assert len(refusal(HOSTILE[name])) < 1_000


@given(schema=arbitrary)
@settings(deadline=None)
def test_arbitrary_json_in_place_of_a_schema_is_declared(schema: Any) -> None:
    everything(schema)


@given(schema=plausible | objects)
@settings(deadline=None)
def test_any_schema_is_declared(schema: Any) -> None:
    everything(schema)


@given(schema=arbitrary | plausible | objects)
@settings(deadline=None)
def test_any_schema_is_checked_or_refused(schema: Any) -> None:
    said = refusal(schema)
    assert not said or said.startswith("tool 't': /parameters")


@pytest.mark.parametrize(
    "use", [code_tool, instructions, lambda x: names([], x), lambda x: declarations([], x)]
)
def test_an_unknown_language_is_the_callers_error(use: Any) -> None:
    with pytest.raises(UnknownLanguage, match=f"choose {alternatives(LANGUAGES)}"):
        use("cobol")
