"""The recipe in CONTRIBUTING for a new language, followed: one package, one row, nothing else."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from coderelay import Completed, Entry, Program, Returned, Suspended, Tool, evaluate
from coderelay.cli.demo.samples import programs
from coderelay.cli.exit_codes import UsageError
from coderelay.cli.source_file import read_program
from coderelay.core import ToolName
from coderelay.declare import declarations, host_functions, instructions, names, prompt
from coderelay.engines.interface import Engine, Progress
from coderelay.engines.scripted_engine import Script, ScriptedEngine, value
from coderelay.languages.language import Guide, Language, ToolPrinter, Wording
from coderelay.languages.language_registry import LANGUAGES, engine
from coderelay.languages.naming import HOST_NAMES, NamingStyle
from coderelay.models.scripted_model import ScriptedAnswer
from coderelay.schemas.schema_reader import property_names
from coderelay.server.app import create_app
from coderelay.server.settings import InvalidSetting, Settings
from tests.gateway.driving import SEARCH, USER, converse, script

# Step 1: an engine. It knows one program.

SOURCE = 'GIVE WEB_SEARCH("news")'


def news() -> Script:
    (result,) = yield [("web_search", {"query": "news"})]
    return value(result)


def nothing() -> Script:
    """The empty program, which the server runs to get ready."""
    return None
    yield


def load_engine(progress: Progress) -> Engine:
    return ScriptedEngine({SOURCE: news, "": nothing}, "toy")


# Step 2: a `Language`. Names are in capitals, and a declaration is a line.


def signature(tool: Tool, identifier: str) -> str:
    return f"{identifier}({', '.join(property_names(tool.parameters))})"


def declare(tools: Sequence[Tool], names: Sequence[ToolName]) -> str:
    return "\n".join(
        f"TOOL {signature(tool, name.identifiers[0])}"
        for tool, name in zip(tools, names, strict=True)
    )


def parameters(tool: Tool, identifier: str, length: int) -> dict[str, str]:
    return {name: name[:length] for name in property_names(tool.parameters)}


def capitals(words: Sequence[str]) -> str:
    return "_".join(words).upper()


TOY = Language(
    name="toy",
    title="Toy",
    load_engine=load_engine,
    naming=NamingStyle(join=capitals, number="_", reserved=HOST_NAMES | {"GIVE", "TOOL"}),
    tools=ToolPrinter(declare, signature, signature, parameters, signature),
    wording=Wording(argument="word", inner="word", step=lambda name: f" OF {name}"),
    guide=Guide(
        "`run_toy` runs one Toy program: `GIVE` and a tool.",
        ('GIVE WEATHER("Oslo")', 'GIVE SEARCH_TOOLS("mail")'),
        search_tools="TOOL SEARCH_TOOLS(query, limit)",
        describe_tool="TOOL DESCRIBE_TOOL(name)",
        search_call='GIVE SEARCH_TOOLS("create issue")',
        describe_call='GIVE DESCRIBE_TOOL("CREATE_ISSUE")',
    ),
    fence_tags=("t",),
    suffixes=(".toy",),
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Step 3: the row."""
    monkeypatch.setitem(LANGUAGES, TOY.name, TOY)


TOOLS = [
    Tool("web_search", "Search.", {"type": "object", "properties": {"query": {}}}),
    Tool("give"),
]


def test_a_toy_program_is_evaluated() -> None:
    program = Program("toy", SOURCE)
    outcome = evaluate(program, TOOLS, [])
    assert isinstance(outcome, Suspended)
    (call,) = outcome.calls
    assert (call.name, call.arguments) == ("web_search", {"query": "news"})
    journal = [Entry(call.name, call.arguments, Returned(["calm"]))]
    assert evaluate(program, TOOLS, journal) == Completed(["calm"], fuel=2)
    assert engine("toy").language == "toy"


def test_tools_are_named_declared_and_explained_in_it() -> None:
    identifiers = [name.identifiers for name in names(TOOLS, "toy")]
    assert identifiers == [("WEB_SEARCH", "web_search"), ("GIVE_2", "give")]
    assert declarations(TOOLS, "toy") == "TOOL WEB_SEARCH(query)\nTOOL GIVE_2()"
    guide = instructions("toy", indexed=True)
    assert guide.startswith("`run_toy` runs one Toy program")
    assert '`GIVE SEARCH_TOOLS("create issue")` gives the name' in guide
    assert "await" not in guide
    assert '```t\nGIVE WEATHER("Oslo")\n```' in guide
    many = [Tool(f"tool_{number}") for number in range(500)]
    assert "TOOL SEARCH_TOOLS(query, limit)" in prompt(many, "toy", tokens=200).declarations


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guide_shows_calls_of_the_functions_that_look_tools_up(language: str) -> None:
    found = LANGUAGES[language]
    assert host_functions.SEARCH.identifiers(found)[0] in found.guide.search_call
    assert host_functions.DESCRIBE.identifiers(found)[0] in found.guide.describe_call
    assert found.naming.join(("create", "issue")) in found.guide.describe_call


@pytest.mark.parametrize(
    "answer",
    [
        ScriptedAnswer(code=SOURCE),
        ScriptedAnswer(f"Look:\n```t\n{SOURCE}\n```"),
        ScriptedAnswer(f"```toy\n{SOURCE}\n```"),
        ScriptedAnswer(f"```\n{SOURCE}\n```"),
    ],
    ids=["through the code tool", "in a fence", "in a fence with the name", "in a bare fence"],
)
def test_a_model_writes_it_and_the_gateway_runs_it(answer: ScriptedAnswer) -> None:
    body = {"model": "m", "messages": [USER], "tools": [SEARCH], "code_mode": {"language": "toy"}}
    queries: list[Any] = []

    def search(query: str) -> str:
        queries.append(query)
        return "calm"

    model = script(answer, "All is calm.")
    history = converse(body, model, {"web_search": search})
    assert queries == ["news"]
    assert history[-1]["content"] == "All is calm."
    first = model.seen[0]
    assert [tool["function"]["name"] for tool in first["tools"]] == ["run_toy"]
    assert "TOOL WEB_SEARCH(query)" in json.dumps(first["messages"][0])


def test_the_suffix_of_a_file_tells_it(tmp_path: Path) -> None:
    path = tmp_path / "news.toy"
    path.write_text(SOURCE, "utf-8")
    assert read_program(path, language=None, id=None, created=None).language == "toy"


def test_samples_are_offered_in_languages_that_have_some() -> None:
    with pytest.raises(UsageError, match=r"no samples in toy: choose typescript or python$"):
        programs("toy")


def test_the_server_runs_a_conversation_in_it() -> None:
    """The application with its settings, its checks and its own engines, one for each request."""
    model = script(ScriptedAnswer(code=SOURCE), "All is calm.")

    async def converse_over_http() -> Any:
        app = create_app(Settings("scripted", language="toy"), model)
        transport = httpx.ASGITransport(app)
        messages: list[Any] = [USER]
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            for _ in range(2):
                body = {"model": "m", "messages": messages, "tools": [SEARCH]}
                response = await http.post("/v1/chat/completions", json=body)
                assert response.status_code == 200, response.text
                messages.append(response.json()["choices"][0]["message"])
                messages += [
                    {"role": "tool", "tool_call_id": call["id"], "content": "calm"}
                    for call in messages[-1].get("tool_calls", [])
                ]
        return messages

    history = asyncio.run(converse_over_http())
    assert [message["role"] for message in history] == ["user", "assistant", "tool", "assistant"]
    assert history[-1]["content"] == "All is calm."
    assert model.seen[0]["tools"][0]["function"]["name"] == "run_toy"
    assert model.seen[1]["messages"][-1]["content"] == "Result:\ncalm"


def test_settings_name_it_among_the_languages() -> None:
    with pytest.raises(InvalidSetting, match="language must be typescript, python or toy"):
        Settings("scripted", language="perl")
