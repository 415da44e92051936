"""Continued request by request through the wire, a program comes to what it comes to at once."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderelay.conversation.shown import told
from coderelay.core import Call, CallError, Entry, Program, Raised, Result, Suspended
from coderelay.run import start
from coderelay.wire import tools_from_json
from tests.gateway.driving import NOW, USER, ask, code, script
from tests.laws import python_programs, typescript_programs
from tests.laws.replay import answer

PROGRAMS = {
    "typescript": (typescript_programs.programs, typescript_programs.TOOLS),
    "python": (python_programs.programs, python_programs.TOOLS),
}
MOST_CALLS = 20
THE_END = "The end."


def declared(tools: Any) -> list[Any]:
    return [{"type": "function", "function": {"name": name, "parameters": True}} for name in tools]


def result_of(index: int, name: str, arguments: Any) -> Result:
    """Chat Completions has no name for an error: every one is a ToolError."""
    result = answer(Call(index, name, arguments))
    return Raised(CallError(result.error.message)) if isinstance(result, Raised) else result


def message(call: Any, index: int) -> tuple[Any, Any]:
    function = call["function"]
    name, arguments = function["name"], json.loads(function["arguments"])
    result = result_of(index, name, arguments)
    tool = {"role": "tool", "tool_call_id": call["id"]}
    if isinstance(result, Raised):
        return (name, arguments), {**tool, "content": result.error.message, "is_error": True}
    return (name, arguments), {**tool, "content": json.dumps(result.value)}


def through_the_wire(body: Any, source: str) -> tuple[list[Any], str | None]:
    """The calls that a client sees, and what the model is shown in the end."""
    model = script(code(source), THE_END)
    messages, calls = [USER], []
    while len(calls) < MOST_CALLS:
        response = ask({**body, "messages": messages}, model, new_id=lambda: "p1")
        choice = response["choices"][0]
        messages += choice.get("messages") or [choice["message"]]
        if choice["finish_reason"] == "stop":
            return calls, model.seen[-1]["messages"][-1]["content"]
        answers = []
        for call in choice["message"]["tool_calls"]:
            made, answered = message(call, len(calls))
            calls.append(made)
            answers.append(answered)
        messages += reversed(answers)
    return calls, None


def at_once(tools: Any, program: Program) -> tuple[list[Any], str | None]:
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
        return calls, told(outcome) if len(calls) < MOST_CALLS else None
    finally:
        run.close()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from(list(PROGRAMS)), st.sampled_from(["ids", "messages"]))
def test_a_conversation_is_the_uninterrupted_run(
    data: st.DataObject, language: str, protocol: str
) -> None:
    strategy, names = PROGRAMS[language]
    source = data.draw(strategy)
    tools = declared(names)
    mode = {"language": language, "protocol": protocol}
    wire = through_the_wire({"model": "m", "tools": tools, "code_mode": mode}, source)
    assert wire == at_once(tools, Program(language, source, "p1", NOW))
