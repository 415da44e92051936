"""Every tool has a name in a program, and no name is shared."""

import keyword

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderelay.core import Tool, UnknownLanguage
from coderelay.core.alternatives import alternatives
from coderelay.declare import names
from coderelay.languages.language_registry import LANGUAGES

wire_names = st.lists(
    st.text(max_size=12)
    | st.text(alphabet="aB_-.1$ é", max_size=6)
    | st.sampled_from(["web_search", "webSearch", "WebSearch", "main", "print", "await", "tool"])
    | st.sampled_from(["print2", "print_2", "tool2", "ﬁle", "file", "İ", "ß", "__proto__"]),
    max_size=12,
)


def identifiers(language: str, *wire: str) -> list[tuple[str, ...]]:
    return [name.identifiers for name in names([Tool(each) for each in wire], language)]


@pytest.mark.parametrize(
    ("wire", "typescript", "python"),
    [
        ("web_search", ("webSearch", "web_search"), ("web_search",)),
        ("webSearch", ("webSearch",), ("web_search", "webSearch")),
        ("WebSearch", ("webSearch", "WebSearch"), ("web_search", "WebSearch")),
        ("mcp__server__get-thing", ("mcpServerGetThing",), ("mcp_server_get_thing",)),
        ("get.weather", ("getWeather",), ("get_weather",)),
        ("HTTPGet", ("httpGet", "HTTPGet"), ("http_get", "HTTPGet")),
        ("s3_upload", ("s3Upload", "s3_upload"), ("s3_upload",)),
        ("123abc", ("tool123abc",), ("tool_123abc",)),
        ("42", ("tool42",), ("tool_42",)),
        ("été", ("été",), ("été",)),
        ("天気", ("天気",), ("天気",)),
        ("---", ("tool",), ("tool",)),
        ("", ("tool",), ("tool",)),
        ("main", ("main2",), ("main_2",)),
        ("delete", ("delete2",), ("delete",)),
        ("print", ("print",), ("print_2",)),
        ("Promise", ("promise",), ("promise", "Promise")),
        ("search_tools", ("searchTools2",), ("search_tools_2",)),
        ("_private", ("private2", "_private"), ("private", "_private")),
        ("__proto__", ("proto",), ("proto",)),
        ("get$thing", ("getThing", "get$thing"), ("get_thing",)),
        ("ToolError", ("toolError",), ("tool_error",)),
        ("x" * 300, ("x" * 300,), ("x" * 300,)),
    ],
)
def test_a_wire_name_becomes_an_identifier_of_the_language(
    wire: str, typescript: tuple[str, ...], python: tuple[str, ...]
) -> None:
    assert identifiers("typescript", wire) == [typescript]
    assert identifiers("python", wire) == [python]


def test_names_that_collide_are_numbered_in_tool_order() -> None:
    found = identifiers("typescript", "get-it", "get_it", "getIt", "get.it")
    assert found == [("getIt",), ("getIt2", "get_it"), ("getIt3",), ("getIt4",)]


def test_a_second_identifier_that_clashes_is_dropped() -> None:
    assert identifiers("typescript", "web_search", "webSearch") == [
        ("webSearch", "web_search"),
        ("webSearch2",),
    ]


def test_parameters_are_the_property_names_in_schema_order() -> None:
    schema = {
        "$ref": "#/$defs/Args",
        "$defs": {
            "Args": {
                "properties": {"z": {}, "a": {}},
                "allOf": [{"properties": {"m": {}, "a": {}}}, {"$ref": "#/$defs/More"}],
                "required": ["a"],
            },
            "More": {"properties": {"b": {}}},
        },
    }
    (name,) = names([Tool("t", parameters=schema)], "python")
    assert name.parameters == ("z", "a", "m", "b")


def test_an_unknown_language_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UnknownLanguage, match=f"'cobol'.*{alternatives(LANGUAGES)}"):
        names([], "cobol")


@pytest.mark.parametrize("language", LANGUAGES)
@given(wire=wire_names)
@settings(deadline=None)
def test_identifiers_are_unique_and_can_be_written(language: str, wire: list[str]) -> None:
    found = [each for several in identifiers(language, *wire) for each in several]
    assert len(set(found)) == len(found)
    for identifier in found:
        assert identifier.replace("$", "x").isidentifier()
        assert identifier not in LANGUAGES[language].naming.reserved
    if language == "python":
        assert not any(map(keyword.iskeyword, found))


@pytest.mark.parametrize("language", LANGUAGES)
@given(wire=wire_names, more=wire_names)
@settings(deadline=None)
def test_tools_added_at_the_end_rename_none(
    language: str, wire: list[str], more: list[str]
) -> None:
    assert identifiers(language, *wire, *more)[: len(wire)] == identifiers(language, *wire)
