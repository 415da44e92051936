"""Programs and their outputs as items of OpenAI's API, sent back unchanged or changed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderelay.conversation import DamagedState, StateError
from coderelay.conversation.program_state import ProgramState
from coderelay.conversation.state_text import InflateBudget
from coderelay.core import Completed, Failed, Failure, Program
from coderelay.core.program import LATEST
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.responses.program_items import (
    output_item,
    program_item,
    read_output,
    read_program,
)
from coderelay.languages.language_registry import LANGUAGES
from tests.dialects.contract.client import SEARCH, Spec
from tests.dialects.contract.programs import FUNCTIONS, PROGRAMS
from tests.dialects.contract.responses_client import ResponsesClient
from tests.gateway.driving import code, script

Json = Any
CLIENT = ResponsesClient(vendor=True)
SOURCE = PROGRAMS["typescript"]
programs = st.builds(
    Program,
    st.sampled_from(list(LANGUAGES)),
    st.text(),
    st.text(min_size=1, max_size=200),
    st.integers(0, LATEST),
)


@given(programs)
def test_a_program_is_unchanged_after_a_round_trip(program: Program) -> None:
    state = ProgramState(program, "f", tools=frozenset({"web_search"}))
    assert read_program(Fields(program_item(state)), "typescript", InflateBudget()) == (state, None)


@given(programs, st.sampled_from(["code", "fingerprint", "call_id"]), st.text(min_size=1))
def test_every_change_is_detected(program: Program, name: str, more: str) -> None:
    item = program_item(ProgramState(program))
    changed = Fields({**item, name: item[name] + more})
    _, problem = read_program(changed, "typescript", InflateBudget())
    assert isinstance(problem, StateError)


@pytest.mark.parametrize(
    ("outcome", "status", "result"),
    [
        (Completed({"a": 1}), "completed", '{"a":1}'),
        (
            Failed(Failure("exception", "no", name="TypeError", line=3)),
            "incomplete",
            "The program failed (exception): TypeError: no (line 3)",
        ),
    ],
)
def test_an_outcome_is_written_and_read_back(
    outcome: Completed | Failed, status: str, result: str
) -> None:
    item = output_item(Program("typescript", "1", "p1"), outcome)
    assert (item["status"], item["result"]) == (status, result)
    assert type(read_output(Fields(item))) is type(outcome)


def conversation(*answers: Any, **more: Any) -> list[Json]:
    asked: dict[str, Any] = {"tools": [SEARCH], "language": "typescript", "stream": False, **more}
    history = CLIENT.user("Go.")
    return CLIENT.converse(history, script(*answers), FUNCTIONS, **asked).history


def kinds(history: list[Json]) -> list[str]:
    return [item.get("type", "user") for item in history]


def ask(history: list[Json], model: Any) -> Json:
    body = CLIENT.body(history, tools=[SEARCH], language="typescript", stream=False)
    return CLIENT.ask(body, model)


def test_a_program_its_calls_and_its_output_are_items() -> None:
    history = conversation(code(SOURCE["twice"], "Let me see."), "Done.")
    assert kinds(history) == [
        "user",
        "message",
        "program",
        "function_call",
        "function_call_output",
        "function_call",
        "function_call_output",
        "program_output",
        "message",
    ]
    program, first, *_ = history[2:]
    assert program["code"] == SOURCE["twice"]
    assert first["caller"] == {"type": "program", "caller_id": program["call_id"]}
    assert first["call_id"].startswith("cr1_")
    assert history[7]["call_id"] == program["call_id"]
    assert history[7]["result"] == '[["a"],["b"]]'


def test_text_is_the_output() -> None:
    history = conversation(code("text('one'); text({ n: 2 });"), "Done.")
    assert history[2]["result"] == 'one\n{"n":2}'


def test_a_failed_program_is_incomplete_and_the_next_one_follows() -> None:
    history = conversation(code(SOURCE["broken"]), code(SOURCE["silent"]), "Done.")
    assert kinds(history) == ["user", *["program", "program_output"] * 2, "message"]
    assert [history[2]["status"], history[4]["status"]] == ["incomplete", "completed"]
    assert history[2]["result"].startswith("The program failed (exception): ReferenceError")


def test_an_output_in_the_history_is_used_as_it_stands() -> None:
    history = conversation(code(SOURCE["one"]), "Done.")
    history[-2] = {**history[-2], "result": "other"}
    ask([*history, *CLIENT.user("And?")], model := script("", "", "So."))
    assert model.seen[-1]["messages"][3]["content"] == "Result:\nother"


def opened() -> list[Json]:
    history = CLIENT.user("Go.")
    response = ask(history, script(code(SOURCE["twice"])))
    history = CLIENT.after(history, response)
    return CLIENT.answered(history, [(made, '"x"') for made in CLIENT.calls(response)])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("code", "return 1;"),
        ("fingerprint", "cr1-python-1763300000-0123456789abcdef"),
        ("fingerprint", "other"),
        ("call_id", "prog_other"),
    ],
)
def test_a_changed_program_is_refused_where_it_is_to_be_run(name: str, value: str) -> None:
    history = opened()
    history[1] = {**history[1], name: value}
    with pytest.raises(DamagedState, match=r"input\[1\]") as caught:
        ask(history, script())
    assert CLIENT.dialect.error_body(caught.value)[0] == 400


def test_a_changed_program_that_has_ended_breaks_nothing() -> None:
    history = conversation(code(SOURCE["one"]), "Done.")
    history[1] = {**history[1], "fingerprint": "other"}
    ask([*history, *CLIENT.user("And?")], model := script("", "", "So."))
    assert model.seen[-1]["messages"][3]["content"] == "Result:\nx"


def test_a_missing_program_is_reported() -> None:
    history = opened()
    with pytest.raises(Exception, match="missing from the history") as caught:
        ask([history[0], *history[2:]], script())
    assert CLIENT.dialect.error_body(caught.value)[0] == 400


def test_an_answer_may_leave_out_its_caller() -> None:
    history = [{key: item[key] for key in item if key != "caller"} for item in opened()]
    assert [made.arguments for made in CLIENT.calls(ask(history, script()))] == [{"query": "b"}]


def test_another_language_is_kept_by_the_fingerprint() -> None:
    history = CLIENT.user("Go.")
    body = CLIENT.body(history, tools=[SEARCH], language="python", stream=False)
    response = CLIENT.ask(body, script(code(PROGRAMS["python"]["twice"])))
    history = CLIENT.after(history, response)
    history = CLIENT.answered(history, [(made, '"x"') for made in CLIENT.calls(response)])
    assert len(CLIENT.calls(ask(history, script()))) == 1


def test_a_program_may_be_written_where_no_tool_allows_it() -> None:
    tools = [Spec("web_search", SEARCH.parameters, ("direct",))]
    model = script(code(SOURCE["silent"]), "Done.")
    body = CLIENT.body(CLIENT.user("Go."), tools=tools, language="typescript", stream=False)
    assert CLIENT.ask(body, model)["output"][1]["result"] == "42"
    offered = [tool["function"]["name"] for tool in model.seen[0]["tools"]]
    assert offered == ["run_typescript", "web_search"]


@pytest.mark.parametrize("vendor", [False, True], ids=["plain", "vendor"])
def test_text_after_calls_does_not_end_their_program(vendor: bool) -> None:
    client = ResponsesClient(vendor=vendor)
    asked: dict[str, Any] = {"tools": [SEARCH], "language": "typescript", "stream": False}
    model = script(code(PROGRAMS["typescript"]["twice"]), "Done.")
    history = client.user("Go.")
    for _ in range(2):
        response = client.ask(client.body(history, **asked), model)
        history = client.after(history, response)
        history.append({"role": "assistant", "content": "Let me look."})
        history = client.answered(history, [(made, '"x"') for made in client.calls(response)])
    assert client.text(client.ask(client.body(history, **asked), model)) == "Done."
    call, answer = model.seen[-1]["messages"][2:]
    assert call["content"] == "Let me look."
    assert answer["content"] == 'Result:\n["x","x"]'
