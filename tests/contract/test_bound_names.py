"""Only the tools that a program mentions cost time at its start, however many there are."""

import pytest

from coderelay.core import Program, Suspended, Tool
from coderelay.programs import evaluate

MANY = [Tool("web_search"), *(Tool(f"tool_number_{each}") for each in range(300))]
CALLS = {
    "typescript": "return await webSearch({});",
    "python": "await web_search()",
}


def calls(language: str, source: str, tools: list[Tool] = MANY) -> list[str]:
    outcome = evaluate(Program(language, source), tools, [])
    assert isinstance(outcome, Suspended), outcome
    return [call.name for call in outcome.calls]


@pytest.mark.parametrize("language", CALLS)
def test_tools_that_a_program_does_not_name_cost_it_nothing(language: str) -> None:
    program = Program(language, CALLS[language])
    few, many = (evaluate(program, tools, []) for tools in (MANY[:1], MANY))
    assert few == many


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("typescript", "const name = 'web' + 'Search'; return await globalThis[name]({});"),
        ("typescript", "return await tools['web' + '_search']({});"),
        ("typescript", "return await eval('web' + 'Search')({});"),
        ("typescript", "return await (() => 1).constructor('return web' + 'Search')()({});"),
        ("typescript", "return await w\\u0065bSearch({});"),
        ("typescript", "return await `${await webSearch({})}`;"),
        ("python", "await globals()['web' + '_search']()"),
        ("python", "await eval('web' + '_search')()"),
        ("python", "import tools\nawait getattr(tools, 'web' + '_search')()"),
        ("python", "await ｗeb_search()"),
    ],
)
def test_a_tool_that_a_program_reaches_indirectly_is_defined(language: str, source: str) -> None:
    assert calls(language, source) == ["web_search"]


@pytest.mark.parametrize("name", ["नमस्ते", "天気", "été", "$pay", "_x"])
@pytest.mark.parametrize("language", CALLS)
def test_a_name_in_any_script_is_found(language: str, name: str) -> None:
    if language == "python" and "$" in name:
        name = "pay"
    source = f"await {name}()" if language == "python" else f"return await {name}({{}});"
    assert calls(language, source, [Tool(name), Tool("other")]) == [name]
