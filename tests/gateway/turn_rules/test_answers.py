"""What a turn does with each kind of answer that a model may give."""

import json
from typing import Any

import pytest

from coderelay.conversation import (
    AssistantText,
    DirectCalls,
    ProgramFinished,
    ProgramStarted,
    TextStreamed,
    TokenUsage,
    TurnReply,
    TurnStarted,
)
from coderelay.engines.scripted_engine import ScriptedEngine
from coderelay.gateway import model_request
from coderelay.gateway.answer_meaning import OwnCalls, interpret
from coderelay.gateway.program_in_text import ProgramInText
from coderelay.gateway.toolset import Toolset
from coderelay.models.model import CallPiece
from coderelay.models.model_answer import ModelAnswer
from coderelay.models.scripted_model import ScriptedAnswer
from tests.gateway.turn_rules.playing import SHOW_MAP, play, request, returns

SEARCH_DIRECTLY = {"type": "function", "function": {"name": "find_place"}}


def direct_calls(*calls: tuple[str, Any], text: str = "", **fields: Any) -> DirectCalls:
    played = play(
        request(direct=(SHOW_MAP, SEARCH_DIRECTLY), **fields), ScriptedAnswer(text, calls=calls)
    )
    (entry,) = played.entries
    assert isinstance(entry, DirectCalls)
    assert played.reply.finish == "tool_calls"
    return entry


def names(entry: DirectCalls) -> list[str]:
    return [call["function"]["name"] for call in entry.calls]


def test_direct_calls_go_to_the_client_with_the_models_ids_and_text() -> None:
    entry = direct_calls(("show_map", {"x": 1}), ("find_place", {}), text="Look.")
    assert names(entry) == ["show_map", "find_place"]
    assert [call["id"] for call in entry.calls] == ["call_2_0", "call_2_1"]
    assert entry.calls[0]["function"]["arguments"] == '{"x": 1}'
    assert entry.text == "Look."


def test_a_client_that_wants_one_call_at_a_time_gets_the_first_direct_call() -> None:
    assert names(direct_calls(("show_map", {}), ("find_place", {}), parallel=False)) == ["show_map"]


def test_a_direct_call_that_comes_first_drops_programs_and_unknown_tools() -> None:
    program = ("run_typescript", {"code": "return 1;"})
    assert names(direct_calls(("show_map", {}), program, ("nonsense", {}))) == ["show_map"]


def test_a_program_that_comes_first_drops_all_other_calls() -> None:
    calls = [("run_typescript", {"code": f"return {number};"}) for number in (1, 2)]
    answer = ScriptedAnswer(calls=[*calls, ("show_map", {})])
    played = play(request(direct=(SHOW_MAP,)), answer, "One.", programs={"return 1;": returns(1)})
    assert played.kinds == [
        TurnStarted, ProgramStarted, ProgramFinished, TextStreamed, AssistantText, TurnReply,
    ]  # fmt: skip
    assert played.last_message["content"] == "Result:\n1"


def test_direct_calls_get_new_ids_if_those_of_the_model_are_missing_doubled_or_like_ours() -> None:
    ids = ["", "a", "a", "cr1_abc_0_0123456789abcdef", "b"]
    answer = ModelAnswer()
    for place, id in enumerate(ids):
        answer.add(CallPiece(place, id, "show_map", "{}"))
    turn_request = request(direct=(SHOW_MAP,))
    toolset = Toolset(turn_request.tools, "typescript", lambda _: ScriptedEngine({}))
    in_text = ProgramInText("typescript", code_offered=True)
    meaning = interpret(answer, in_text, model_request.offer(turn_request, toolset))
    assert isinstance(meaning, OwnCalls)
    new = [call["id"] for call in meaning.calls]
    assert (new[1], new[4]) == ("a", "b")
    assert len(set(new)) == 5
    assert all(len(new[place]) == 9 for place in (0, 2, 3))


def test_direct_calls_without_arguments_get_an_empty_object() -> None:
    assert direct_calls(("show_map", "")).calls[0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("run_typescript", '{"code": "return 1', "not valid JSON"),
        ("run_typescript", "[1, 2]", 'takes one object {"code": "…"}'),
        ("run_typescript", '{"code": 7}', 'takes one object {"code": "…"}'),
        ("run_typescript", '{"a": "x", "b": "y"}', 'takes one object {"code": "…"}'),
        ("run_python", '{"code": "1"}', "There is no tool 'run_python'"),
        ("web_search", '{"query": "x"}', "Call webSearch inside a program"),
    ],
)
def test_the_model_gets_the_reason_why_a_call_is_invalid(
    name: str, arguments: str, reason: str
) -> None:
    played = play(request(), ScriptedAnswer(calls=[(name, arguments)]), "Sorry.")
    call, answer = played.bodies[1]["messages"][-2:]
    assert reason in answer["content"]
    assert call["tool_calls"][0]["id"] == answer["tool_call_id"]
    function = call["tool_calls"][0]["function"]
    assert isinstance(json.loads(function["arguments"]), dict)
    assert played.texts == ["Sorry."]


def test_two_equal_invalid_calls_have_different_ids() -> None:
    wrong = ScriptedAnswer(calls=[("nonsense", {})])
    messages = play(request(), wrong, wrong, "Sorry.").bodies[-1]["messages"]
    ids = [each["tool_call_id"] for each in messages if each["role"] == "tool"]
    assert len(set(ids)) == 2


def test_the_client_gets_the_text_beside_an_invalid_call() -> None:
    wrong = ScriptedAnswer("Let me look.", calls=[("nonsense", {})], reasoning="Hm.")
    played = play(request(), wrong, "Sorry.")
    assert played.entries == (AssistantText("Let me look.", "Hm."), AssistantText("Sorry."))
    assert played.streamed == "Let me look.Sorry."


def test_a_tool_that_is_not_offered_is_refused_without_naming_the_code_tool() -> None:
    answer = ScriptedAnswer(calls=[("nonsense", {})])
    played = play(request(tools=(), direct=(SHOW_MAP,)), answer, "Sorry.")
    assert played.last_message["content"] == "There is no tool 'nonsense': nothing was run."


def test_calls_are_ignored_if_no_tool_was_offered() -> None:
    answer = ScriptedAnswer("Words.", calls=[("web_search", {})])
    assert play(request(tool_choice="none"), answer).texts == ["Words."]


@pytest.mark.parametrize(
    "arguments",
    [
        '{"code": "return 1;"}',
        '{"source": "return 1;"}',
        '"return 1;"',
        '{"code": "return 1;", "x": "y"}',
    ],
    ids=["code", "another name", "a string", "with another field"],
)
def test_a_program_is_found_in_slightly_wrong_arguments(arguments: str) -> None:
    answer = ScriptedAnswer(calls=[("functions.run_typescript", arguments)])
    played = play(request(), answer, "One.", programs={"return 1;": returns(1)})
    assert played.last_message["content"] == "Result:\n1"


def test_a_program_that_was_cut_off_by_the_token_limit_is_not_run() -> None:
    answer = ScriptedAnswer("I will", calls=[("run_typescript", '{"code": "ret')], finish="length")
    played = play(request(), answer)
    assert played.texts == ["I will"]
    assert played.reply.finish == "length"


def test_an_empty_answer_is_asked_for_once_more_and_only_once() -> None:
    assert play(request(), " \n", "Now.").texts == ["Now."]
    played = play(request(), "", "")
    assert played.texts == [""]
    assert len(played.bodies) == 2


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_an_empty_answer_that_was_cut_off_is_not_asked_for_again(finish: str) -> None:
    played = play(request(), ScriptedAnswer("", finish=finish))
    assert played.reply.finish == finish
    assert len(played.bodies) == 1


def test_a_refusal_is_sent_as_a_whole() -> None:
    played = play(request(), ScriptedAnswer(refusal="I will not do that, sorry."))
    assert played.entries == (AssistantText("I will not do that, sorry.", refused=True),)
    assert played.streamed == ""


def test_a_refusal_after_text_is_text() -> None:
    played = play(request(), ScriptedAnswer("Well. ", refusal="No."))
    assert played.entries == (AssistantText("Well. No."),)
    assert played.streamed == "Well. No."


def test_reasoning_is_streamed_and_belongs_to_the_next_entry() -> None:
    empty = ScriptedAnswer("", reasoning="First. ")
    played = play(request(), empty, ScriptedAnswer("Yes.", reasoning="Then."))
    assert played.entries == (AssistantText("Yes.", "First. Then."),)
    assert played.streamed_reasoning == "First. Then."


def test_usage_is_the_sum_over_all_answers_and_the_model_is_the_one_that_answered() -> None:
    answers = [ScriptedAnswer(text, usage=TokenUsage(7, 2, 9)) for text in ("", "Yes.")]
    reply = play(request(), *answers).reply
    assert reply.usage == TokenUsage(14, 4, 18)
    assert reply.model == "scripted"
