"""The events of a streamed response, in the API's own order."""

from typing import Any

import pytest

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    DirectCalls,
    HandedCall,
    ProgramStarted,
    ReasoningStreamed,
    TextStreamed,
    TokenUsage,
    TurnReply,
    TurnRequest,
    TurnStarted,
)
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Program
from coderelay.dialects import responses
from tests.dialects.contract.responses_client import ResponsesClient

Json = Any
PROGRAM = ProgramState(Program("typescript", "1", "p1"))
CLIENT = ResponsesClient()
STARTED = TurnStarted("r1", 5, "m")


def request(**fields: Any) -> TurnRequest:
    return responses.decode({"model": "m", "input": "Hi.", **fields}, responses.Defaults())


def reply(*entries: Any, finish: Any = "stop") -> TurnReply:
    usage = TokenUsage(
        3, 4, 7, {"prompt_tokens_details": {"cached_tokens": 2}, "completion_tokens_details": None}
    )
    return TurnReply(entries, finish, usage, "m", "r1", 5)


def events(*happened: Any, **fields: Any) -> list[Json]:
    stream = responses.ResponsesStream(request(**fields))
    sent = [each for event in (STARTED, *happened) for each in stream.feed(event)]
    for event in sent:
        CLIENT.check_event(event)
    return sent


def kinds(sent: list[Json]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in sent][2:]


MESSAGE = [
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
]
CALL = [
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
]


def test_text_may_come_before_calls() -> None:
    called = CallsHandedOut(
        PROGRAM, (HandedCall("a", 0, "f", {"x": 1}), HandedCall("b", 1, "f", {}))
    )
    wrote = ProgramStarted(PROGRAM, "Well.")
    sent = events(TextStreamed("Well."), wrote, called, reply(wrote, called, finish="tool_calls"))
    assert kinds(sent) == [*MESSAGE, *CALL, *CALL, "completed"]
    assert [event.get("output_index") for event in sent[2:]] == [0] * 6 + [1] * 4 + [2] * 4 + [None]
    whole = responses.encode(reply(wrote, called, finish="tool_calls"), request())
    assert CLIENT.assemble(sent) == whole
    assert [item["id"] for item in whole["output"]] == ["msg_r1_0", "fc_r1_1", "fc_r1_2"]
    assert whole["id"] == "resp_r1"
    assert whole["usage"] == {
        "input_tokens": 3,
        "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 0},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 7,
    }


def test_direct_calls_keep_the_upstreams_ids() -> None:
    function = {"name": "f", "arguments": "{broken"}
    entry = DirectCalls(({"id": "call_1", "type": "function", "function": function},))
    sent = events(entry, reply(entry, finish="tool_calls"))
    assert kinds(sent) == [*CALL, "completed"]
    (item,) = sent[-1]["response"]["output"]
    assert (item["call_id"], item["arguments"]) == ("call_1", "{broken")


def test_white_space_alone_is_no_message() -> None:
    wrote = ProgramStarted(PROGRAM)
    sent = events(
        TextStreamed(" "),
        TextStreamed("\n"),
        wrote,
        TextStreamed("So."),
        AssistantText("So."),
        reply(),
    )
    assert kinds(sent) == [*MESSAGE, "completed"]
    assert sent[-1]["response"]["output"][0]["content"][0]["text"] == "So."


def test_text_that_was_not_streamed_comes_at_once() -> None:
    said = AssistantText("All at once.")
    assert CLIENT.assemble(events(said, reply(said))) == responses.encode(reply(said), request())


def test_two_texts_are_two_messages() -> None:
    first, last = AssistantText("One."), AssistantText("Two.")
    sent = events(TextStreamed("One."), first, TextStreamed("Two."), last, reply(first, last))
    assert kinds(sent) == [*MESSAGE, *MESSAGE, "completed"]
    assert CLIENT.assemble(sent) == responses.encode(reply(first, last), request())


@pytest.mark.parametrize(
    ("finish", "reason"), [("length", "max_output_tokens"), ("content_filter", "content_filter")]
)
def test_an_answer_that_was_cut_is_incomplete(finish: str, reason: str) -> None:
    said = AssistantText("And then")
    ended = reply(said, finish=finish)
    sent = events(TextStreamed("And then"), said, ended)
    assert kinds(sent) == [*MESSAGE, "incomplete"]
    whole = sent[-1]["response"]
    assert whole == responses.encode(ended, request())
    assert (whole["status"], whole["output"][0]["status"]) == ("incomplete", "incomplete")
    assert whole["incomplete_details"] == {"reason": reason}


def test_an_answer_without_a_word_is_an_empty_message() -> None:
    sent = events(AssistantText(""), reply(AssistantText("")))
    assert sent[-1]["response"] == responses.encode(reply(AssistantText("")), request())
    assert sent[-1]["response"]["output"][0]["content"][0]["text"] == ""


def test_reasoning_is_sent_only_to_clients_that_ask() -> None:
    said = AssistantText("So.", "Hm. Hm.")
    happened = (
        ReasoningStreamed("Hm. "),
        ReasoningStreamed("Hm."),
        TextStreamed("So."),
        said,
        reply(said),
    )
    assert kinds(events(*happened)) == [*MESSAGE, "completed"]
    asked = {"reasoning": {"summary": "auto"}}
    sent = events(*happened, **asked)
    assert kinds(sent) == [
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        *MESSAGE,
        "completed",
    ]
    assert CLIENT.assemble(sent) == responses.encode(reply(said), request(**asked))


def test_an_answer_that_breaks_off_ends_with_an_error_and_a_failed_response() -> None:
    stream = responses.ResponsesStream(request())
    for event in (STARTED, TextStreamed("Well, ")):
        stream.feed(event)
    error = responses.error_object("the model left", type="upstream_error")
    told, failed = stream.fail(error)
    for event in (told, failed):
        CLIENT.check_event(event)
    assert told["message"] == "the model left"
    assert failed["sequence_number"] == told["sequence_number"] + 1
    response = failed["response"]
    assert response["status"] == "failed"
    assert response["error"] == {"code": "server_error", "message": "the model left"}
    assert response["output"][0]["status"] == "incomplete"
    assert response["output"][0]["content"][0]["text"] == "Well, "


def test_a_response_repeats_what_was_asked() -> None:
    tool = {"type": "function", "name": "f", "parameters": {}, "strict": False}
    asked: Json = {
        "instructions": "Be brief.",
        "tools": [{**tool, "unknown": 1}],
        "tool_choice": "auto",
        "temperature": 0.5,
        "metadata": {"a": "b"},
        "max_output_tokens": 9,
        "text": {"verbosity": "low"},
        "reasoning": {"effort": "low"},
        "truncation": "auto",
    }
    whole = responses.encode(reply(AssistantText("So.")), request(**asked))
    CLIENT.check(whole)
    same = ("instructions", "tool_choice", "temperature", "metadata", "max_output_tokens")
    assert {name: whole[name] for name in same} == {name: asked[name] for name in same}
    assert whole["tools"] == [tool]
    assert whole["text"] == {"format": {"type": "text"}, "verbosity": "low"}
    assert whole["truncation"] == "disabled"
