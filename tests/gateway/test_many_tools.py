"""With many tools the model gets an index, and its programs look tools up."""

import json
from typing import Any

import pytest

from coderelay.core import CoderelayError, Diverged
from coderelay.models import ScriptedModel
from coderelay.models.scripted_model import ScriptedAnswer
from tests.gateway.driving import USER, ask, code, converse, request, script, tool_message

LANGUAGES = ("typescript", "python")
PROTOCOLS = ("ids", "messages")
LOOK_UP = {
    "typescript": (
        "const [found] = await searchTools('compute the square of a number', 1);\n"
        "const [text, square] = await Promise.all([\n"
        "  describeTool(found.name), tools[found.name]({ n: 7 })]);\n"
        "const missing = await describeTool('math_squar').catch((e) => e.message);\n"
        "const again = await mathSquare({ n: square });\n"
        "return { name: found.name, square, text, missing, again };"
    ),
    "python": (
        "import asyncio, tools\n"
        "[found] = await search_tools('compute the square of a number', 1)\n"
        "text, square = await asyncio.gather(\n"
        "    describe_tool(found['name']), getattr(tools, found['name'])(n=7))\n"
        "try:\n    missing = await describe_tool('math_squar')\n"
        "except ToolError as error:\n    missing = str(error)\n"
        "{'name': found['name'], 'square': square, 'text': text, 'missing': missing,\n"
        " 'again': await math_square(n=square)}"
    ),
}
NAMES = {"typescript": "mathSquare", "python": "math_square"}


def declared(name: str, description: str) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


MANY = [
    *(
        declared(f"tool_{each}", f"Does the thing that has the number {each}.")
        for each in range(200)
    ),
    declared("math_square", "Compute the square of a number."),
]


def body(language: str, protocol: str = "ids", **fields: Any) -> dict[str, Any]:
    mode = {"language": language, "protocol": protocol}
    return request(**{"tools": MANY, "code_mode": mode, **fields})


def system_prompt(model: ScriptedModel) -> str:
    return str(model.seen[0]["messages"][0]["content"])


def result(model: ScriptedModel) -> Any:
    return json.loads(model.seen[1]["messages"][-1]["content"].removeprefix("Result:\n"))


def square(n: int) -> int:
    return n * n


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_looks_a_tool_up_and_calls_it(language: str, protocol: str) -> None:
    """Each request goes to a gateway of its own, and the client sees its own tool only."""
    model = script(code(LOOK_UP[language]), "Done.")
    history = converse(body(language, protocol), model, {"math_square": square})
    called = [call["function"] for each in history for call in each.get("tool_calls") or []]
    assert [call["name"] for call in called] == ["math_square", "math_square"]
    assert [json.loads(call["arguments"]) for call in called] == [{"n": 7}, {"n": 49}]
    came = result(model)
    assert came["name"] == NAMES[language]
    assert (came["square"], came["again"]) == (49, 2401)
    assert "Compute the square of a number." in came["text"]
    assert f"nearest: {NAMES[language]}" in came["missing"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prompt_is_an_index_and_says_how_to_search(language: str) -> None:
    model = script("Nothing to do.")
    ask(body(language), model, declaration_tokens=3_000)
    prompt = system_prompt(model)
    assert "The index of 201 tools:" in prompt
    assert f"- {NAMES[language]}: Compute the square of a number." in prompt
    assert ("searchTools(" if language == "typescript" else "search_tools(") in prompt
    again = script("Nothing to do.")
    ask(body(language), again, declaration_tokens=3_000)
    assert system_prompt(again) == prompt


def test_the_budget_decides_whether_there_is_an_index() -> None:
    model = script("a", "b")
    ask(body("typescript"), model, declaration_tokens=100_000)
    assert "declare function mathSquare(args: { n: number }): Promise<unknown>;" in system_prompt(
        model
    )
    assert "searchTools" not in system_prompt(model)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_that_only_searches_ends_without_the_client(language: str) -> None:
    """And it is kept in the history of the turn: the next program's calls carry it."""
    search = {
        "typescript": "return await searchTools('square', 1);",
        "python": "await search_tools('square', 1)",
    }
    use = {"typescript": "return await mathSquare({ n: 3 });", "python": "await math_square(n=3)"}
    model = script(code(search[language]), code(use[language]), "Nine.")
    history = converse(body(language), model, {"math_square": square})
    assert history[-1]["content"] == "Nine."
    assert len([each for each in history if each["role"] == "tool"]) == 1
    assert NAMES[language] in model.seen[1]["messages"][-1]["content"]
    assert model.seen[2]["messages"][-3]["content"] == model.seen[1]["messages"][-1]["content"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tool_that_is_in_no_index_is_still_checked(language: str) -> None:
    source = {
        "typescript": "return await mathSquare({ n: 'seven' });",
        "python": "await math_square(n='seven')",
    }
    model = script(code(source[language]), "I see.")
    ask(body(language), model, declaration_tokens=100)
    assert "n must be integer" in model.seen[1]["messages"][-1]["content"]


def moved(change: str) -> list[Any]:
    """The same tools, but another one is the best answer to the search."""
    tools = [*MANY[:-1], declared("math_square", "Nothing."), declared("math_power", "Power.")]
    return [*tools, declared("square_number", f"Compute the square of a number {change}.")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_tools_that_change_so_that_a_search_finds_another_are_a_divergence(language: str) -> None:
    model = script(code(LOOK_UP[language]), "Done.")
    response = ask(body(language), model)
    message = response["choices"][0]["message"]
    answer = tool_message(message["tool_calls"][0], {"math_square": square})
    history = [USER, message, answer]
    with pytest.raises(Diverged, match="the program called square_number"):
        ask(body(language, messages=history, tools=moved("")), model)
    same = ask(body(language, messages=history, tools=[*MANY, declared("z", "z")]), model)
    assert same["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "math_square"


@pytest.mark.parametrize(
    ("language", "name"), [("typescript", "searchTools"), ("python", "search_tools")]
)
def test_a_model_that_calls_the_search_itself_is_told_to_write_a_program(
    language: str, name: str
) -> None:
    model = script(ScriptedAnswer(calls=[(name, {"query": "x"})]), "Sorry.")
    ask(body(language), model)
    said = model.seen[1]["messages"][-1]["content"]
    assert f"Call {name} inside a program" in said


def test_a_clients_own_tool_with_that_name_is_called_at_the_client() -> None:
    tools = [declared("searchTools", "Mine."), declared("describe_tool", "Mine too.")]
    source = (
        "const own = await searchTools('mine');\n"
        "const theirs = [await searchTools2({ n: 1 }), await describeTool2({ n: 2 })];\n"
        "return [own.map((each) => each.name), ...theirs];"
    )
    model = script(code(source), "Done.")
    history = converse(
        request(tools=tools), model, {"searchTools": lambda n: n, "describe_tool": lambda n: n}
    )
    assert history[-1]["content"] == "Done."
    assert result(model) == [["searchTools2", "describeTool2"], 1, 2]


def test_an_invalid_schema_is_refused_however_many_tools_there_are() -> None:
    broken = {"type": "function", "function": {"name": "x", "parameters": {"type": "nope"}}}
    with pytest.raises(CoderelayError, match="'x'"):
        ask(request(tools=[*MANY, broken]), script("a"))
