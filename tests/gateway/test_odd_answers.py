"""Unexpected answers of models are interpreted, or answered with an error for the model."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from coderelay.conversation import ProgramsSpent, ReasoningStreamed, TextStreamed
from coderelay.dialects import chat
from coderelay.models import ScriptedModel
from coderelay.models.scripted_model import ScriptedAnswer
from tests.gateway.driving import (
    SEARCH,
    USER,
    ask,
    at_once,
    code,
    converse,
    events,
    gateway,
    request,
    script,
)

DIRECT = {
    "type": "function",
    "function": {"name": "show_map", "parameters": {"type": "object"}},
    "allowed_callers": ["direct"],
}
CALL = "return await webSearch({ query: 'x' });"
TOOLS = {"web_search": lambda query: query}


def last_message(model: ScriptedModel) -> Any:
    return model.seen[-1]["messages"][-1]


def text_of(response: Any) -> Any:
    return response["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (ScriptedAnswer(calls=[("run_typescript", '{"code": "return 1')]), "not valid JSON"),
        (ScriptedAnswer(calls=[("run_typescript", "[1, 2]")]), "takes one object"),
        (ScriptedAnswer(calls=[("run_python", {"code": "1"})]), "There is no tool 'run_python'"),
        (ScriptedAnswer(calls=[("web_search", {"query": "x"})]), "webSearch inside a program"),
    ],
    ids=["broken-json", "no-object", "not-offered", "called-directly"],
)
def test_the_model_is_told_why_a_call_cannot_be_carried_out(
    answer: ScriptedAnswer, complaint: str
) -> None:
    model = script(answer, "Sorry.")
    assert text_of(ask(request(), model)) == "Sorry."
    assert complaint in last_message(model)["content"]
    arguments = model.seen[-1]["messages"][-2]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(json.loads(arguments), dict)


def test_line_breaks_in_json_strings_are_accepted() -> None:
    model = script(ScriptedAnswer(calls=[("run_typescript", '{"code": "return\n 7;"}')]), "Seven.")
    ask(request(), model)
    assert "Result" in last_message(model)["content"]


def test_an_empty_answer_is_asked_for_once_more() -> None:
    answers: Iterator[ScriptedAnswer | str] = iter([ScriptedAnswer(""), "Now."])
    assert text_of(ask(request(), ScriptedModel(lambda body: next(answers)))) == "Now."
    assert text_of(ask(request(), ScriptedModel(lambda body: ""))) == ""


def test_of_several_programs_the_first_counts() -> None:
    programs = [("run_typescript", {"code": f"return {n};"}) for n in (1, 2)]
    model = script(ScriptedAnswer(calls=[*programs, ("show_map", {})]), "One.")
    ask(request(tools=[SEARCH, DIRECT]), model)
    assert last_message(model)["content"] == "Result:\n1"
    assert len(model.seen[-1]["messages"][-2]["tool_calls"]) == 1


def test_direct_calls_before_code_drop_the_code() -> None:
    answer = ScriptedAnswer(
        "Look.", calls=[("show_map", {}), ("run_typescript", {"code": "return 1;"})]
    )
    response = ask(request(tools=[SEARCH, DIRECT]), script(answer))
    message = response["choices"][0]["message"]
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["show_map"]
    assert message["content"] == "Look."
    assert response["choices"][0]["finish_reason"] == "tool_calls"


def test_a_direct_call_and_its_result_go_upstream_as_they_stand() -> None:
    model = script(ScriptedAnswer(calls=[("show_map", {"x": 1})]), "Shown.")
    body = request(tools=[SEARCH, DIRECT])
    messages = converse(body, model, {"show_map": lambda x: "ok"})
    assert messages[-1]["content"] == "Shown."
    assert model.seen[-1]["messages"][1:] == messages[:-1]
    offered = [tool["function"]["name"] for tool in model.seen[-1]["tools"]]
    assert offered == ["run_typescript", "show_map"]
    assert "allowed_callers" not in model.seen[-1]["tools"][1]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "written",
    [
        f"I will look.\n\n```typescript\n{CALL}\n```",
        f"I will look.\n\n```ts\n{CALL}\n```\n",
        f"I will look.\n```\n{CALL}\n```",
        "I will look.\n<tool_call>\n"
        + json.dumps({"name": "run_typescript", "arguments": {"code": CALL}})
        + "\n</tool_call>",
        "I will look.\n<tool_call>\n<function=run_typescript>\n<parameter=code>\n"
        + CALL
        + "\n</parameter>\n</function>\n</tool_call>",
    ],
    ids=["typescript", "ts", "untagged", "tool_call", "xml"],
)
def test_a_program_written_as_text_is_understood(written: str, stream: bool) -> None:
    model = script(written, "Found.")
    messages = converse(request(stream=stream), model, TOOLS)
    assert messages[1]["content"].strip() == "I will look."
    assert messages[-1]["content"] == "Found."
    assert last_message(model)["content"] == "Result:\nx"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "written",
    [
        "Use this:\n```ts\nconst x = 1;\n```",
        "Use this:\n```python\nawait web_search(query='x')\n```",
        f"Use this:\n```ts\n{CALL}\n```\nIt searches.",
        f"```ts\n{CALL}\n```\nor\n```ts\n{CALL}\n```",
        "A ` and a `` and a < and <tool",
        "<tool_call>nothing",
    ],
)
def test_code_that_is_meant_as_an_answer_is_not_run(written: str, stream: bool) -> None:
    response = ask(request(stream=stream), script(written))
    assert text_of(response) == written
    assert response["choices"][0]["finish_reason"] == "stop"


def test_a_turn_ends_after_its_programs_with_the_last_failure() -> None:
    model = ScriptedModel(lambda body: code("throw new Error('again');"))
    with pytest.raises(ProgramsSpent, match=r"(?s)2 programs.*again"):
        ask(request(code_mode={"max_programs": 2}), model)
    assert len(model.seen) == 3


def test_programs_are_counted_over_the_requests_of_a_turn() -> None:
    model = ScriptedModel(lambda body: code(CALL))
    with pytest.raises(ProgramsSpent):
        converse(request(code_mode={"max_programs": 3}), model, TOOLS)
    assert len(model.seen) == 4


def test_a_program_too_long_for_an_id_is_failed() -> None:
    noise = "".join(random.Random(1).choices([chr(c) for c in range(0x4E00, 0x9E00)], k=24_000))
    model = script(code(f"// {noise}\n{CALL}"), "Too long.")
    ask(request(), model)
    assert "write a shorter one" in last_message(model)["content"]


def test_required_is_met_by_one_program() -> None:
    model = script(code(CALL), code("return 1;"), "Done.")
    converse(request(tool_choice="required"), model, TOOLS)
    assert [body["tool_choice"] for body in model.seen] == ["required", "auto", "auto"]


def test_a_tool_that_the_choice_names_is_direct() -> None:
    choice = {"type": "function", "function": {"name": "web_search"}}
    model = script(ScriptedAnswer(calls=[("web_search", {"query": "x"})]))
    response = ask(request(tool_choice=choice), model)
    assert response["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "web_search"
    assert model.seen[0]["tool_choice"] == choice
    assert SEARCH in model.seen[0]["tools"]


def test_only_allowed_tools_are_declared() -> None:
    other = {"type": "function", "function": {"name": "other_tool"}}
    named = {"type": "function", "function": {"name": "web_search"}}
    choice = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [named]}}
    model = script("Words.")
    ask(request(tool_choice=choice, tools=[SEARCH, other]), model)
    system = model.seen[0]["messages"][0]["content"]
    assert "webSearch(" in system
    assert "otherTool(" not in system
    assert model.seen[0]["tool_choice"] == "required"


def test_tool_choice_none_turns_code_mode_off() -> None:
    model = script("Words.")
    assert text_of(ask(request(tool_choice="none"), model)) == "Words."
    assert model.seen[0]["messages"] == [USER]
    assert "tools" not in model.seen[0]


@pytest.mark.parametrize("stream", [False, True])
def test_a_format_is_asked_for_once_more_where_the_text_does_not_fit(stream: bool) -> None:
    schema = {"type": "object", "required": ["n"]}
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    answers: list[ScriptedAnswer | str]
    answers = [code("return 1;", "Hm."), "It is 1.", '{"n": 1}']
    asked: list[Any] = []

    def answer(body: Any) -> ScriptedAnswer | str:
        asked.append(body)
        return answers[len(asked) - 1]

    body = request(response_format=wanted, stream=stream)
    response = ask(body, ScriptedModel(answer))
    assert text_of(response) == '{"n": 1}'
    assert ["response_format" in body for body in asked] == [False, False, True]
    assert "tools" not in asked[2]


def test_a_text_that_fits_its_format_is_not_asked_for_again() -> None:
    model = script('{"n": 1}')
    response = ask(request(response_format={"type": "json_object"}, stream=True), model)
    assert text_of(response) == '{"n": 1}'
    assert len(model.seen) == 1


def test_reasoning_reaches_the_client_and_unknown_fields_go_upstream() -> None:
    model = script(ScriptedAnswer("Yes.", reasoning="Let me think."))
    response = ask(request(temperature=0.5, foo={"bar": 1}), model)
    assert response["choices"][0]["message"]["reasoning_content"] == "Let me think."
    assert model.seen[0]["temperature"] == 0.5
    assert model.seen[0]["foo"] == {"bar": 1}
    assert not {"code_mode", "n"} & model.seen[0].keys()


def test_the_prompt_stands_at_the_end_of_the_clients_own_system_message() -> None:
    model = script("Hi.")
    ask(request(messages=[{"role": "system", "content": "Be brief."}, USER]), model)
    system, user = model.seen[0]["messages"]
    assert system["content"].startswith("Be brief.\n\n")
    assert "declare function webSearch" in system["content"]
    assert user == USER


def test_events_begin_with_started_and_end_with_the_reply() -> None:
    _, all_events = asyncio.run(events(request(), script(code("return 1;"), "One.")))
    kinds = [type(event).__name__ for event in all_events]
    assert kinds == [
        "TurnStarted",
        "ProgramStarted",
        "ProgramFinished",
        "TextStreamed",
        "AssistantText",
        "TurnReply",
    ]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "first",
    [
        ScriptedAnswer("Let me call.", calls=[("web_search", {"query": "x"})]),
        ScriptedAnswer("```ts\nlook\n```", calls=[("run_typescript", {"code": "return 1;"})]),
    ],
    ids=["told-off", "held-back"],
)
def test_text_beside_a_call_is_sent_whether_streamed_or_not(
    first: ScriptedAnswer, stream: bool
) -> None:
    response = ask(request(stream=stream), script(first, "Sorry."))
    assert text_of(response) == f"{first.text}\n\nSorry."


def test_a_cached_replay_gives_the_same_answer_as_a_computed_one() -> None:
    body = request()
    first = ask(body, script(code(CALL)))["choices"][0]["message"]
    answer = {"role": "tool", "tool_call_id": first["tool_calls"][0]["id"], "content": "7"}
    body["messages"] += [first, answer, {"role": "assistant", "content": "Seven."}, USER]
    model = script("", "", "Again.")
    kept = gateway(model)
    for _ in range(3):
        asked = chat.decode(json.loads(json.dumps(body)), chat.Defaults())
        asyncio.run(_drain(kept.turn(asked, key=None, run_blocking=at_once)))
    assert model.seen[0] == model.seen[1] == model.seen[2]
    assert model.seen[2]["messages"][3]["content"] == "Result:\n7"


async def _drain(turn: AsyncIterator[Any]) -> list[Any]:
    return [event async for event in turn]


@pytest.mark.parametrize("format", [None, {"type": "json_object"}], ids=["any", "format"])
@pytest.mark.parametrize(
    "first",
    [
        ScriptedAnswer("", reasoning="Hm. "),
        ScriptedAnswer("See: ", calls=[("nothing", {})], reasoning="Hm. "),
        ScriptedAnswer("", calls=[("nothing", {})], reasoning="Hm. "),
        ScriptedAnswer(f"See:\n```ts\n{CALL}\n```", reasoning="Hm. "),
        ScriptedAnswer(
            'See: <tool_call>{"name": "nothing", "arguments": {}}</tool_call>', reasoning="Hm."
        ),
        ScriptedAnswer(" \n", code="return 1;", reasoning="Hm. "),
        ScriptedAnswer("No JSON.", reasoning="Hm. "),
    ],
)
def test_pieces_add_up_to_the_entries(first: ScriptedAnswer, format: Any) -> None:
    model = ScriptedModel(iter_of(first, *[ScriptedAnswer("{}", reasoning="Well.")] * 2))
    _, happened = asyncio.run(events(request(stream=True, response_format=format), model))
    entries = happened[-1].entries
    for piece, field in ((TextStreamed, "text"), (ReasoningStreamed, "reasoning")):
        told = "".join(each.text for each in happened if isinstance(each, piece))
        assert told == "".join(getattr(entry, field, "") for entry in entries)


def iter_of(*answers: ScriptedAnswer) -> Callable[[Any], ScriptedAnswer]:
    """A script whose answers come one after another, whatever was asked."""
    left = iter(answers)
    return lambda _: next(left)


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_is_not_asked_for_again_in_a_format(stream: bool) -> None:
    model = script(ScriptedAnswer(refusal="No."), "{}")
    asked = request(stream=stream, response_format={"type": "json_object"})
    message = ask(asked, model)["choices"][0]["message"]
    assert (message["content"] or None, message["refusal"]) == (None, "No.")
    assert len(model.seen) == 1
