"""A client may want its text in a format, which no upstream can require beside tools."""

from typing import Any

import pytest

from coderelay.conversation import AssistantText, DirectCalls, ProgramStarted, TextStreamed
from coderelay.models.scripted_model import ScriptedAnswer
from tests.gateway.turn_rules.playing import SHOW_MAP, Played, play, request, returns

OBJECT = {"type": "json_object"}
NUMBER = {
    "type": "json_schema",
    "json_schema": {"name": "x", "schema": {"type": "object", "required": ["n"]}},
}


def play_in_format(*answers: ScriptedAnswer | str, **fields: Any) -> Played:
    """Play a turn whose text is to be an object with `n`."""
    asks = request(**{"response_format": NUMBER, **fields})
    return play(asks, *answers, programs={"return 1;": returns(1)})


def test_text_in_the_format_is_sent_when_it_is_complete() -> None:
    played = play_in_format('{"n": 1, "text": "long enough for two pieces"}')
    assert played.kinds.count(TextStreamed) == 1
    assert played.texts == [played.streamed]
    assert len(played.bodies) == 1


@pytest.mark.parametrize("text", ["It is 1.", "{}", '{"n": 1} or so', "[]"])
def test_text_in_another_format_is_asked_for_again_without_tools(text: str) -> None:
    played = play_in_format(text, '{"n": 1}')
    first, second = played.bodies
    assert ("tools" in first, "response_format" in first) == (True, False)
    assert ("tools" in second, second["response_format"]) == (False, NUMBER)
    assert second["messages"] == first["messages"][1:]
    assert played.entries == (AssistantText('{"n": 1}'),)
    assert played.streamed == '{"n": 1}'


def test_the_second_answer_is_taken_as_it_is() -> None:
    """Even if it is empty, in the wrong format, or looks like a program."""
    for text in ("", "Still words.", "```ts\nwebSearch()\n```"):
        played = play_in_format("Words.", text)
        assert played.texts == [text]
        assert played.streamed == text


def test_the_second_answer_is_streamed_as_it_comes() -> None:
    played = play_in_format("Words.", "Still words, in several pieces.")
    assert played.kinds.count(TextStreamed) == 2


def test_an_invalid_schema_of_the_format_is_left_to_the_upstream() -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "nonsense"}}}
    played = play_in_format('{"n": 1}', "{}", response_format=wanted)
    assert played.bodies[1]["response_format"] == wanted


def test_without_programs_the_upstream_is_asked_for_the_format_at_once() -> None:
    played = play_in_format("Words.", tools=())
    assert played.bodies[0]["response_format"] == NUMBER
    assert played.texts == ["Words."]


def test_a_refusal_is_not_asked_for_again() -> None:
    played = play_in_format(ScriptedAnswer(refusal="No."))
    assert played.entries == (AssistantText("No.", refused=True),)
    assert played.streamed == ""


def test_text_beside_a_program_or_a_direct_call_is_left_out() -> None:
    started, _, text = play_in_format(ScriptedAnswer("Hm.", code="return 1;"), '{"n": 1}').entries
    assert isinstance(started, ProgramStarted) and started.text == ""
    assert text == AssistantText('{"n": 1}')
    played = play_in_format(ScriptedAnswer("Hm.", calls=[("show_map", {})]), direct=(SHOW_MAP,))
    (called,) = played.entries
    assert isinstance(called, DirectCalls) and called.text == ""
    assert played.streamed == ""


def test_text_beside_an_invalid_call_is_left_out() -> None:
    played = play_in_format(ScriptedAnswer("Hm.", calls=[("nonsense", {})]), '{"n": 1}')
    assert played.texts == ['{"n": 1}']
    assert played.streamed == '{"n": 1}'


def test_an_empty_answer_is_asked_for_again_with_tools_and_then_for_the_format() -> None:
    played = play_in_format("", "", "{}", response_format=OBJECT)
    assert ["tools" in body for body in played.bodies] == [True, True, False]
    assert played.texts == ["{}"]
