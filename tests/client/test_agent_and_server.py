"""An agent and the real server: a tool's answer reaches the program, and nothing else does."""

from enum import Enum
from typing import Any, Literal

import httpx
import pytest

from coderelay import Agent
from coderelay.client import AgentEvent, Called, ProgramEnded, ProgramWritten, TextDelta
from coderelay.core import Completed, Failed, Json
from coderelay.models.scripted_model import Script, ScriptedAnswer, ScriptedModel
from coderelay.server import Settings
from coderelay.server.app import create_app


class Colour(Enum):
    RED = "7"


def serving(script: Script, language: str = "typescript") -> httpx.ASGITransport:
    return httpx.ASGITransport(
        create_app(
            Settings("scripted", language=language, allow_hosts=("relay",)),
            ScriptedModel(script),
        )
    )


def outcome_of(agent: Agent) -> Completed | Failed:
    told: list[AgentEvent] = []
    agent.run_sync("Go.", watch=told.append)
    (ended,) = (event for event in told if isinstance(event, ProgramEnded))
    return ended.outcome


VALUES: list[Json] = [
    *("7", "null", '"quoted"', "", " 7 ", "plain", "[1]", "é\n\x00"),
    *(7, 1.5, True, None, [], ["7", 7], {"a": "7"}, {}),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_program_gets_what_the_tool_returned(value: Json) -> None:
    def echo() -> Any:
        return value

    def words() -> str:
        return str(value)

    def maybe() -> str | None:
        return value if isinstance(value, str) else None

    code = "return [await echo(), await words(), await maybe()];"
    agent = Agent(
        "http://relay/v1",
        model="m",
        tools=[echo, words, maybe],
        transport=serving([ScriptedAnswer(code=code), "Done."]),
    )
    expected = [value, str(value), value if isinstance(value, str) else None]
    assert outcome_of(agent) == Completed(expected)


def test_a_choice_of_strings_stays_a_string() -> None:
    def literal() -> Literal["7", "8"]:
        return "7"

    def colour() -> Colour:
        return Colour.RED

    def colours() -> dict[str, Colour]:
        return {"a": Colour.RED}

    code = "return [await literal(), await colour(), await colours()];"
    tools = [literal, colour, colours]
    transport = serving([ScriptedAnswer(code=code), "Done."])
    agent = Agent("http://relay/v1", model="m", tools=tools, transport=transport)
    assert outcome_of(agent) == Completed(["7", "7", {"a": "7"}])


def refuse(why: str) -> None:
    """Fail."""
    raise LookupError(why)


async def double(number: int) -> int:
    """Twice a number."""
    return number * 2


PROGRAMS = {
    "typescript": (
        "await refuse({ why: 'just so' })",
        "try { await refuse({ why: 'again' }) } catch (error) { console.log(error.message) }\n"
        "return await Promise.all([1, 2, 3].map((number) => double({ number })))",
        "return (await double({ number: 4 })) + 1",
    ),
    "python": (
        "await refuse(why='just so')",
        "import asyncio\ntry:\n    await refuse(why='again')\nexcept Exception as error:\n"
        "    print(error)\nawait asyncio.gather(*(double(number=n) for n in (1, 2, 3)))",
        "await double(number=4) + 1",
    ),
}


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_program_fails_is_repaired_and_followed_by_another(language: str) -> None:
    first, second, third = (ScriptedAnswer(code=code) for code in PROGRAMS[language])
    transport = serving([first, second, "2, 4, 6.", third, "9."])
    talk = Agent(
        "http://relay/v1",
        model="m",
        tools=[refuse, double],
        language=language,
        transport=transport,
    )
    told: list[AgentEvent] = []
    assert talk.run_sync("Double 1, 2 and 3.", watch=told.append) == "2, 4, 6."
    assert talk.run_sync("And 4, plus 1?", watch=told.append) == "9."
    ends = [event.outcome for event in told if isinstance(event, ProgramEnded)]
    assert isinstance(ends[0], Failed)
    assert "just so" in ends[0].error.message
    values = [end.value for end in ends[1:] if isinstance(end, Completed)]
    assert values == [[2, 4, 6], 9]
    assert [log.text for log in ends[1].logs] == ["again"]
    written = [event.program.language for event in told if isinstance(event, ProgramWritten)]
    assert written == [language] * 3
    assert [e.call.index for e in told if isinstance(e, Called)] == [0, 0, 1, 2, 3, 0]


def test_each_request_may_go_to_another_server() -> None:
    script: Script = [ScriptedAnswer(code=PROGRAMS["typescript"][1]), "Done."]

    class Anew(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return await serving(script).handle_async_request(request)

    talk = Agent("http://relay/v1", model="m", tools=[refuse, double], transport=Anew())
    assert talk.run_sync("Go.") == "Done."


def test_an_agent_that_takes_our_server_for_another_is_served_all_the_same() -> None:
    transport = serving([ScriptedAnswer(code=PROGRAMS["typescript"][2]), "9."])
    talk = Agent(
        "http://relay/v1", model="m", tools=[double], protocol="plain", transport=transport
    )
    assert talk.run_sync("Go.") == "9."
    assert [message["role"] for message in talk.messages] == [
        *("user", "assistant", "tool", "assistant")
    ]


def test_text_comes_as_the_model_speaks() -> None:
    text = "This is a text that is longer than what comes at once."
    talk = Agent("http://relay/v1", model="m", tools=[double], transport=serving([text]))
    told: list[AgentEvent] = []
    assert talk.run_sync("Go.", watch=told.append) == text
    pieces = [event.text for event in told if isinstance(event, TextDelta)]
    assert len(pieces) > 1
    assert "".join(pieces) == text


def test_an_agent_without_tools_just_talks() -> None:
    model = ScriptedModel(["Hello."])
    transport = httpx.ASGITransport(create_app(Settings("scripted", allow_hosts=("relay",)), model))
    talk = Agent("http://relay/v1", model="m", transport=transport)
    assert talk.run_sync("Hi.") == "Hello."
    assert "tools" not in model.seen[0]
