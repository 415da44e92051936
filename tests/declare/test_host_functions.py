"""Programs look up their tools with the host's own functions."""

import json
from typing import Any

import pytest

from coderelay.core import Call, CallError, Raised, Returned, Tool
from coderelay.declare import ToolHost, declarations, names
from tests.declare.many import many_tools

MANY = many_tools(300)


def host(language: str = "typescript", tools: list[Tool] = MANY) -> ToolHost:
    return ToolHost(tools, names(tools, language), language)


def value(name: str, arguments: Any, language: str = "typescript") -> Any:
    answer = host(language).answer(Call(0, name, arguments))
    assert isinstance(answer, Returned), answer
    return answer.value


def error(name: str, arguments: Any, language: str = "typescript") -> CallError:
    answer = host(language).answer(Call(0, name, arguments))
    assert isinstance(answer, Raised), answer
    return answer.error


def test_a_search_says_how_what_it_found_is_called() -> None:
    assert value("searchTools", ["github create issue", 1]) == [
        {
            "name": "githubCreateIssue",
            "signature": "githubCreateIssue(args: { issue_id: string; fields?: string[]; "
            "page_size?: number; options?: { dry_run?: boolean; time_zone?: string } }): "
            "Promise<{ id?: string; name?: string }>",
            "description": "Create a new issue in Github.",
        }
    ]
    (found,) = value("search_tools", {"query": "github create issue", "limit": 1}, "python")
    assert found["name"] == "github_create_issue"
    assert found["signature"].startswith("github_create_issue(*, issue_id: str, ")
    assert found["signature"].endswith(" -> GithubCreateIssueResult")


@pytest.mark.parametrize(
    "arguments", ["issue", ["issue"], {"query": "issue"}, ["issue", None], ["issue", 10.0]]
)
def test_arguments_come_in_a_row_or_by_name(arguments: Any) -> None:
    assert value("searchTools", arguments) == value("searchTools", ["issue", 10])
    assert len(value("searchTools", arguments)) == 10


def test_no_more_are_found_than_there_are() -> None:
    assert len(value("searchTools", ["issue", 50])) == 15
    assert len(value("searchTools", ["get", 50])) == 50
    assert value("searchTools", "zzz") == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, 'missing required property "query"'),
        (None, 'missing required property "query"'),
        ([5], "query must be string, got integer 5"),
        ([["a"]], 'query must be string, got array ["a"]'),
        ("", "query must have at least 1 characters"),
        (["x" * 201], "query must have at most 200 characters"),
        (["x", 0], "limit must be at least 1, got integer 0"),
        (["x", 51], "limit must be at most 50, got integer 51"),
        (["x", "5"], 'limit must be integer, got string "5"'),
        (["x", 1.5], "limit must be integer, got number 1.5"),
        (["x", True], "limit must be integer, got boolean true"),
        (["x", 1, 2], "it takes no more than 2 arguments"),
        ({"query": "x", "limt": 5}, 'unexpected property "limt" (did you mean "limit"?)'),
    ],
)
def test_wrong_arguments_are_reported(arguments: Any, reason: str) -> None:
    said = error("searchTools", arguments)
    assert (said.name, said.kind) == ("ArgumentsError", "arguments")
    assert said.message.startswith(f"searchTools: {reason}")
    assert said.message.endswith("\nexpected: searchTools(query: string, limit?: number)")
    python = error("search_tools", arguments, "python").message
    assert python.endswith("\nexpected: search_tools(query: str, limit: int = 10)")


def test_half_a_surrogate_pair_is_a_word_that_nothing_has() -> None:
    assert value("searchTools", "\ud800") == []
    error("describeTool", "\ud800").message.encode()
    tools = [Tool("a\ud800", "b \ud800")]
    answer = host(tools=tools).answer(Call(0, "searchTools", "b"))
    assert isinstance(answer, Returned)
    assert json.dumps(answer.value, ensure_ascii=False).encode()


@pytest.mark.parametrize("language", ["typescript", "python"])
def test_a_description_is_the_declaration_that_the_model_would_have_seen(language: str) -> None:
    own = {"typescript": "describeTool", "python": "describe_tool"}[language]
    for tool in MANY[:3]:
        expected = declarations([tool], language)
        (known,) = names([tool], language)
        for name in (tool.name, *known.identifiers):
            assert value(own, name, language) == expected
    assert value(own, own, language).count(own) == 1


def test_an_unknown_tool_is_answered_with_the_nearest() -> None:
    said = error("describeTool", "githubCreatIssue")
    assert said.name == "UnknownToolError"
    assert said.message.startswith(
        "there is no tool 'githubCreatIssue'; nearest: githubCreateIssue"
    )
    far = error("describeTool", "zzz").message
    assert far.startswith("there is no tool 'zzz'; the tools are: githubListIssue, ")
    assert far.endswith(" (find one with searchTools)")
    assert len(error("describeTool", "y" * 1_000).message) < 500


def test_a_description_is_bounded() -> None:
    tools = [Tool("huge", "x" * 1_000_000)]
    answer = host(tools=tools).answer(Call(0, "describeTool", "huge"))
    assert isinstance(answer, Returned)
    assert len(answer.value) == 64_000


@pytest.mark.parametrize("language", ["typescript", "python"])
def test_a_tool_that_is_called_like_one_of_them_keeps_its_name_on_the_wire(language: str) -> None:
    tools = [Tool("searchTools", "Mine."), Tool("search_tools2"), Tool("describe_tool")]
    made = host(language, tools)
    wire = [name.name for name in made.names]
    inside = [each for name in made.names for each in name.identifiers]
    assert len(set(wire)) == len(wire) == 5
    assert len(set(inside)) == len(inside)
    for tool in tools:
        assert made.answer(Call(0, tool.name, {})) is None
    for name in made.names[:2]:
        assert made.answer(Call(0, name.name, {name.parameters[0]: "mine"})) is not None
    search = made.answer(Call(0, made.names[0].name, "mine"))
    assert isinstance(search, Returned)
    assert search.value[0]["name"] in inside
