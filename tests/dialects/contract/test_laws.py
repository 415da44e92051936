"""A program that is continued request by request has the same outcome as one that runs at once."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderelay.conversation.model_view import outcome_for_model
from coderelay.conversation.outcome_text import after_text_round_trip
from coderelay.core import Call, CallError, Entry, Outcome, Program, Raised, Result, Suspended
from coderelay.programs import start
from coderelay.wire import tools_from_json
from tests.dialects.contract.client import SEARCH, Client, Failure, Made, Spec, new_ids
from tests.dialects.contract.clients import CLIENTS, SPOKEN
from tests.dialects.contract.programs import FUNCTIONS, PROGRAMS
from tests.gateway.driving import NOW, code, script
from tests.laws import python_programs, typescript_programs
from tests.laws.replay import answer

Json = Any
DRAWN = {
    "typescript": (typescript_programs.programs, typescript_programs.TOOLS),
    "python": (python_programs.programs, python_programs.TOOLS),
}
MOST_CALLS = 20
THE_END = "The end."


def result_of(index: int, name: str, arguments: Any) -> Result:
    """No client API has a name for an error: every one is a ToolError."""
    result = answer(Call(index, name, arguments))
    return Raised(CallError(result.error.message)) if isinstance(result, Raised) else result


def answer_to(made: Made, index: int) -> tuple[Made, Json | Failure]:
    result = result_of(index, made.name, made.arguments)
    if isinstance(result, Raised):
        return made, Failure(result.error.message)
    return made, json.dumps(result.value)


def through_the_wire(client: Client, source: str, **asked: Any) -> tuple[list[Any], str | None]:
    """The calls that a client sees, and what the model is shown in the end."""
    model = script(code(source), THE_END)
    history = client.user("Go.")
    seen: list[Any] = []
    while len(seen) < MOST_CALLS:
        body = client.body(history, **asked)
        response = client.ask(body, model, new_id=lambda: "p1")
        history = client.after(history, response)
        calls = client.calls(response)
        if not calls:
            return seen, model.seen[-1]["messages"][-1]["content"]
        answers = [answer_to(made, len(seen) + place) for place, made in enumerate(calls)]
        seen += [(made.name, made.arguments) for made in calls]
        history = client.answered(history, answers[::-1])
    return seen, None


def at_once(tools: Any, program: Program) -> tuple[list[Any], Outcome | None]:
    """The same for a live run that nobody interrupts."""
    run = start(program, tools_from_json(tools))
    calls: list[Any] = []
    try:
        outcome = run.proceed([])
        while isinstance(outcome, Suspended):
            if len(calls) >= MOST_CALLS:
                return calls, None
            entries = [
                Entry(call.name, call.arguments, result_of(call.index, call.name, call.arguments))
                for call in outcome.calls
            ]
            calls += [(call.name, call.arguments) for call in outcome.calls]
            outcome = run.proceed(entries)
        return calls, outcome if len(calls) < MOST_CALLS else None
    finally:
        run.close()


@settings(max_examples=24, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from(SPOKEN), st.booleans())
def test_a_conversation_is_the_uninterrupted_run(
    data: st.DataObject, spoken: tuple[Client, str], stream: bool
) -> None:
    client, language = spoken
    strategy, names = DRAWN[language]
    source = data.draw(strategy)
    tools = [{"name": name, "parameters": True} for name in names]
    specs = [Spec(name, {}) for name in names]
    calls, shown = through_the_wire(client, source, tools=specs, language=language, stream=stream)
    live, outcome = at_once(tools, Program(language, source, "p1", NOW))
    assert calls == live
    if outcome is None:
        assert shown is None
        return
    assert not isinstance(outcome, Suspended)
    keeps_text = client.vendor and client.name != "chat"
    assert shown == outcome_for_model(after_text_round_trip(outcome) if keeps_text else outcome)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_every_request_may_be_asked_again_and_gets_the_same_answer(
    client: Client, stream: bool
) -> None:
    language = client.languages[0]
    source = PROGRAMS[language]
    answers = (code(source["loop"]), code(source["twice"], "More."), "Done.")
    asked: dict[str, Any] = {"tools": [SEARCH], "language": language, "stream": stream}
    conversation = client.converse(client.user("Go."), script(*answers), FUNCTIONS, **asked)
    assert [len(batch) for batch in conversation.batches] == [1, 1, 1, 1, 1]
    for history, response in conversation.steps:
        body = client.body(history, **asked)
        assert client.ask(body, script(*answers), new_id=new_ids(history)) == response
