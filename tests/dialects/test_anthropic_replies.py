"""How a turn is encoded as a message, whole and as events."""

from typing import Any

import pytest

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    DirectCalls,
    Finish,
    HandedCall,
    NewEntry,
    ProgramFinished,
    ProgramStarted,
    ReasoningStreamed,
    Receipt,
    TextStreamed,
    TokenUsage,
    TurnReply,
    TurnRequest,
    TurnStarted,
)
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Completed, Program
from coderelay.dialects import anthropic
from coderelay.dialects.kit.code_mode import Defaults
from tests.dialects.contract.anthropic_client import CODE_EXECUTION, AnthropicClient

Json = Any

PROGRAM = ProgramState(Program("python", "1", "p1", 1_763_300_000))
USAGE = TokenUsage(100, 20, 120, {"prompt_tokens_details": {"cached_tokens": 60}})


def request(*, vendor: bool = False, **more: Json) -> TurnRequest:
    tools = [CODE_EXECUTION] if vendor else []
    body = {"model": "m", "max_tokens": 9, "messages": [], "tools": tools, **more}
    return anthropic.decode(body, Defaults())


def reply(*entries: NewEntry, finish: Finish = "stop", receipt: Receipt | None = None) -> TurnReply:
    return TurnReply(entries, finish, USAGE, "tiny", "r1", 1_763_300_000, receipt)


def streamed(asked: TurnRequest, *events: Any) -> list[Json]:
    stream = anthropic.AnthropicStream(asked)
    return [sent for event in (TurnStarted("r1", 0, "m"), *events) for sent in stream.feed(event)]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("tool_calls", "tool_use"),
        ("content_filter", "refusal"),
    ],
)
def test_a_message_says_why_it_ends_and_what_it_cost(finish: Finish, reason: str) -> None:
    message = anthropic.encode(reply(AssistantText("Hi."), finish=finish), request())
    AnthropicClient().check(message)
    assert message == {
        "id": "msg_r1",
        "type": "message",
        "role": "assistant",
        "model": "tiny",
        "content": [{"type": "text", "text": "Hi."}],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 40,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 60,
            "output_tokens": 20,
        },
    }


def test_text_is_streamed_in_the_order_of_the_api() -> None:
    said = AssistantText("Hello.")
    events = streamed(request(), TextStreamed("Hel"), TextStreamed("lo."), said, reply(said))
    for event in events:
        AnthropicClient().check_event(event)
    assert [event["type"] for event in events] == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert events[0]["message"]["usage"]["output_tokens"] == 0
    assert events[-2]["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}
    assert events[-2]["usage"]["output_tokens"] == 20


THOUGHT = AssistantText("Hi.", "Hm.")


@pytest.mark.parametrize(
    ("thinking", "seen"),
    [
        (None, False),
        ({"type": "disabled"}, False),
        ({"type": "enabled", "budget_tokens": 1024}, True),
        ({"type": "adaptive", "display": "omitted"}, False),
        ({"type": "adaptive"}, True),
    ],
)
def test_reasoning_is_sent_only_on_request(thinking: Json, seen: bool) -> None:
    asked = request(thinking=thinking)
    whole = anthropic.encode(reply(THOUGHT), asked)
    types = ["thinking", "text"] if seen else ["text"]
    assert [block["type"] for block in whole["content"]] == types
    events = streamed(
        asked,
        ReasoningStreamed("H"),
        ReasoningStreamed("m."),
        TextStreamed("Hi."),
        THOUGHT,
        reply(THOUGHT),
    )
    for event in events:
        AnthropicClient().check_event(event)
    message = AnthropicClient().assemble(events)
    assert message["content"] == whole["content"]
    assert all(block["signature"] for block in whole["content"] if block["type"] == "thinking")


CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"q": 1}'}}
BROKEN = {"id": "call_2", "type": "function", "function": {"name": "f", "arguments": '{"q'}}


@pytest.mark.parametrize("vendor", [False, True], ids=["plain", "vendor"])
def test_direct_calls_are_objects_even_where_the_model_wrote_none(vendor: bool) -> None:
    client = AnthropicClient(vendor=vendor)
    entry = DirectCalls((CALL, BROKEN), "Let me see.")
    asked = request(vendor=vendor)
    whole = anthropic.encode(reply(entry, finish="tool_calls"), asked)
    client.check(whole)
    caller = {"caller": {"type": "direct"}} if vendor else {}
    use = {"type": "tool_use", "name": "f"}
    assert whole["content"] == [
        {"type": "text", "text": "Let me see."},
        {**use, "id": "call_1", "input": {"q": 1}, **caller},
        {**use, "id": "call_2", "input": {"INVALID_JSON": '{"q'}, **caller},
    ]
    events = streamed(asked, TextStreamed("Let me see."), entry, reply(entry, finish="tool_calls"))
    for event in events:
        client.check_event(event)
    assert client.assemble(events)["content"] == whole["content"]


@pytest.mark.parametrize("vendor", [False, True], ids=["plain", "vendor"])
def test_programs_are_for_those_who_declared_code_execution(vendor: bool) -> None:
    client, asked = AnthropicClient(vendor=vendor), request(vendor=vendor)
    entries = (
        ProgramStarted(PROGRAM, "First."),
        ProgramFinished(PROGRAM, Completed(1)),
        ProgramStarted(PROGRAM, "Then."),
        CallsHandedOut(PROGRAM, (HandedCall("cr1_x", 0, "f", {"q": 1}),)),
    )
    done = reply(*entries, finish="tool_calls")
    whole = anthropic.encode(done, asked)
    client.check(whole)
    events = streamed(
        asked, TextStreamed("First."), *entries[:2], TextStreamed("Then."), *entries[2:], done
    )
    for event in events:
        client.check_event(event)
    assert client.assemble(events)["content"] == whole["content"]
    types = [block["type"] for block in whole["content"]]
    if vendor:
        result = "code_execution_tool_result"
        run = ["text", "server_tool_use"]
        assert types == [*run, result, *run, "tool_use"]
    else:
        assert types == ["text", "text", "tool_use"]


def test_a_receipt_is_sent_only_on_request() -> None:
    asked = request(code_mode={"receipt": True})
    done = reply(AssistantText("Hi."), receipt=Receipt(1, 2, 3, 4, USAGE, 5))
    receipt = anthropic.encode(done, asked)["code_mode"]["receipt"]
    assert receipt["tokens"] == {
        "measured": anthropic.encode(done, asked)["usage"],
        "saved_estimate": 5,
    }
    assert streamed(asked, done)[-2]["code_mode"]["receipt"] == receipt


def test_a_stream_that_breaks_off_ends_with_the_error() -> None:
    error = anthropic.error_object("it broke", type="upstream_error")
    stream = anthropic.AnthropicStream(request())
    stream.feed(TurnStarted("r1", 0, "m"))
    stream.feed(TextStreamed("Hel"))
    assert stream.fail(error) == [error]
    AnthropicClient().check_error(error)
