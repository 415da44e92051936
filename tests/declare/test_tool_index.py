"""If the declarations of all tools would be too long, the model gets an index of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderelay.core import Tool
from coderelay.declare import declarations, instructions, names, prompt
from coderelay.declare.tool_index import first_sentence, index, tokens
from tests.declare.many import many_tools

FEW = [
    Tool("mcp__github__create_issue", "Open an issue. It needs a title."),
    Tool("get_weather", "Weather of a city"),
    Tool("mcp__github__list_issues", "List issues."),
    Tool("getNews"),
    Tool("post", "Post it."),
    Tool("slack.send", "Send."),
    Tool("slack.list", "List."),
]


def text(tools: list[Tool], budget: int, language: str = "typescript") -> str:
    return index(tools, names(tools, language), budget)


@pytest.mark.parametrize(
    ("string", "count"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("天气", 2)]
)
def test_a_token_is_four_bytes(string: str, count: int) -> None:
    assert tokens(string) == count


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        ("", ""),
        ("Search the web. Returns hits.", "Search the web."),
        ("Search the web", "Search the web"),
        ("\n\n  Search the web\nand more", "Search the web"),
        ("Version 1.2 of it. More", "Version 1.2 of it."),
        ("Takes e.g. a city. More", "Takes e.g. a city."),
        ("Really? Yes.", "Really?"),
        ("查询天气。返回温度。", "查询天气。"),
        ("x" * 200, "x" * 99 + "…"),
        ("a\u2028b\x1b[31m", "a"),
    ],
)
def test_the_first_sentence_is_one_line(description: str, sentence: str) -> None:
    assert first_sentence(description) == sentence


def test_tools_of_one_namespace_or_first_word_stand_together_in_tool_order() -> None:
    assert (
        text(FEW, 1_000)
        == """\
mcp__github (2):
- mcpGithubCreateIssue: Open an issue.
- mcpGithubListIssues: List issues.
get (2):
- getWeather: Weather of a city
- getNews
slack (2):
- slackSend: Send.
- slackList: List.
others (1):
- post: Post it."""
    )


def test_a_word_that_all_names_begin_with_makes_no_group() -> None:
    tools = [Tool(f"acme_{each}") for each in ("user_get", "user_list", "order_get", "order_list")]
    lines = text(tools, 100).splitlines()
    assert [line for line in lines if line.endswith(":")] == ["acme_user (2):", "acme_order (2):"]


@pytest.mark.parametrize("budget", [6_000, 2_000, 500, 100, 40, 0])
@pytest.mark.parametrize("count", [0, 1, 100, 2_000])
def test_an_index_keeps_to_its_budget_but_for_a_line(count: int, budget: int) -> None:
    index_text = text(many_tools(count), budget)
    last = index_text.splitlines()[-1] if index_text else ""
    assert tokens(index_text) - tokens(last) <= budget


def test_the_more_tools_there_are_the_less_is_said_of_each() -> None:
    def first_line(count: int, budget: int = 6_000) -> str:
        return text(many_tools(count), budget).splitlines()[0]

    assert first_line(300) == "github (100):"
    assert first_line(700).startswith("github (100): githubListIssue, githubGetIssue, ")
    assert "more" not in first_line(700)
    assert first_line(2_000).endswith(", … 40 more")
    assert first_line(2_000, 120) == "github (100)"
    assert text(many_tools(2_000), 40).splitlines()[-1] == "… 8 more groups with 800 tools"


@given(st.lists(st.text(max_size=20), max_size=30, unique=True), st.integers(0, 300))
@settings(deadline=None)
def test_any_names_can_be_indexed(wire: list[str], budget: int) -> None:
    tools = [Tool(each, each * 3) for each in wire]
    index_text = text(tools, budget)
    assert index_text == text(tools, budget)
    assert all(line.isprintable() for line in index_text.split("\n"))


@pytest.mark.parametrize("language", ["typescript", "python"])
def test_few_tools_are_declared_and_many_are_indexed(language: str) -> None:
    few, many = many_tools(5), many_tools(200)
    prompted = prompt(few, language)
    assert prompted.declarations == declarations(few, language)
    assert prompted.instructions == instructions(language)
    assert not prompted.indexed

    prompted = prompt(many, language)
    assert prompted.indexed
    assert prompted.instructions == instructions(language, indexed=True)
    assert "The index of 200 tools:" in prompted.declarations
    assert tokens(prompted.declarations) <= 6_050
    assert prompted.text == f"{prompted.instructions}\n\n{prompted.declarations}"
    assert prompted == prompt(many, language)


@pytest.mark.parametrize("language", ["typescript", "python"])
def test_the_budget_is_what_the_caller_says(language: str) -> None:
    tools = many_tools(20)
    length = tokens(declarations(tools, language))
    assert not prompt(tools, language, tokens=length).indexed
    assert prompt(tools, language, tokens=length - 1).indexed
    assert not prompt(many_tools(200), language, tokens=1_000_000).indexed
