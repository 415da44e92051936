"""What the model is told: its one tool, and what a program may use."""

import ast

import pytest

from coderelay.declare import check_tools, code_tool, instructions
from coderelay.languages.language_registry import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_instructions_are_short_and_show_two_programs(language: str) -> None:
    text = instructions(language)
    assert 250 <= len(text.split()) <= 450
    assert code_tool(language).name in text
    assert all(example in text for example in LANGUAGES[language].guide.examples)


@pytest.mark.parametrize(
    ("language", "search", "describe"),
    [("typescript", "searchTools", "describeTool"), ("python", "search_tools", "describe_tool")],
)
def test_the_search_is_explained_only_with_an_index(
    language: str, search: str, describe: str
) -> None:
    plain, indexed = instructions(language), instructions(language, indexed=True)
    assert search not in plain
    assert describe not in plain
    assert f"await {search}(" in indexed
    assert f"await {describe}(" in indexed
    assert len(indexed.split()) - len(plain.split()) < 90


@pytest.mark.parametrize(
    ("language", "name"), [("typescript", "run_typescript"), ("python", "run_python")]
)
def test_the_one_tool_takes_a_program(language: str, name: str) -> None:
    tool = code_tool(language)
    check_tools([tool])
    assert tool.name == name
    assert isinstance(tool.parameters, dict)
    assert tool.parameters["required"] == ["code"]
    assert tool.parameters["properties"]["code"]["type"] == "string"


@pytest.mark.parametrize("example", LANGUAGES["python"].guide.examples)
def test_the_python_examples_are_programs(example: str) -> None:
    compile(example, "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
