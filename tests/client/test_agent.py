"""An agent keeps a conversation: with code blocks at our server, with plain calls at others."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator

import httpx
import pytest

from coderelay.client import (
    Agent,
    AgentEvent,
    Answer,
    Answered,
    Called,
    ProgramEnded,
    ProgramWritten,
    ReasoningDelta,
    TextDelta,
)
from coderelay.core import (
    Call,
    Completed,
    Failed,
    Failure,
    InvalidTool,
    Json,
    Log,
    Program,
    Returned,
)
from tests.client.endpoints import (
    CODE,
    FAILED,
    RESULT,
    TEXT,
    TWO,
    FakeEndpoint,
    agent,
    call,
    calls,
    chunk,
    coded,
    events,
    ours,
    shout,
    text_reply,
    twice,
)


def test_a_code_block_is_kept_as_messages() -> None:
    endpoint = ours(coded(CODE, TWO, finish="tool_calls"), coded(RESULT, TEXT, text="It is 6."))
    talk = agent(endpoint, language="python")
    assert talk.run_sync("Double 1 and 2.") == "It is 6."
    assert talk.messages == [
        {"role": "user", "content": "Double 1 and 2."},
        CODE,
        TWO,
        {"role": "tool", "tool_call_id": "a", "content": "2"},
        {"role": "tool", "tool_call_id": "b", "content": "4"},
        RESULT,
        TEXT,
    ]
    first, second = endpoint.requests
    assert first["code_mode"] == {"protocol": "messages", "language": "python"}
    assert first["stream_options"] == {"include_usage": True}
    assert first["tools"][0]["output_schema"] == {"type": "integer"}
    assert second["messages"] == talk.messages[:5]


def test_every_event_is_reported_as_it_happens() -> None:
    thinking = chunk(reasoning_content="hm")
    endpoint = ours(
        events(thinking, chunk(messages=[CODE]), chunk(messages=[TWO]), chunk(finish="tool_calls")),
        coded(RESULT, TEXT, text="It is 6."),
    )
    told: list[AgentEvent] = []
    agent(endpoint).run_sync("Double 1 and 2.", watch=told.append)
    program = Program("python", CODE["code"], "p1", 1763200000)
    first, second = Call(0, "twice", {"number": 1}), Call(1, "twice", {"number": 2})
    assert told[:4] == [
        ReasoningDelta("hm"),
        ProgramWritten(program),
        Called(first),
        Called(second),
    ]
    answered = [event for event in told if isinstance(event, Answered)]
    assert sorted((each.call.index, each.result) for each in answered) == [
        (0, Returned(2)),
        (1, Returned(4)),
    ]
    assert told[6:] == [
        TextDelta("It is 6."),
        ProgramEnded("p1", Completed([2, 4], (Log("log", "done"),))),
        Answer(
            "It is 6.",
            "stop",
            {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        ),
    ]


def test_calls_are_counted_from_the_start_of_their_program() -> None:
    one = calls(call("a", "twice", {"number": 1}))
    two = calls(call("b", "twice", {"number": 2}))
    endpoint = ours(
        coded(CODE, one, finish="tool_calls"),
        coded(two, finish="tool_calls"),
        coded(FAILED, CODE | {"id": "p2"}, one, finish="tool_calls"),
        coded(RESULT | {"id": "p2"}, TEXT),
    )
    told: list[AgentEvent] = []
    agent(endpoint).run_sync("Go.", watch=told.append)
    assert [event.call.index for event in told if isinstance(event, Called)] == [0, 1, 0]
    ends = [event for event in told if isinstance(event, ProgramEnded)]
    assert ends[0] == ProgramEnded("p1", Failed(Failure("exception", "no", line=3)))


def test_a_follow_up_goes_on_with_the_whole_conversation() -> None:
    endpoint = ours(coded(RESULT, TEXT), coded(TEXT))
    talk = agent(endpoint, system="Be brief.")
    talk.run_sync("One.")
    talk.run_sync("Two.")
    assert endpoint.probes == 1
    roles = [message["role"] for message in endpoint.requests[1]["messages"]]
    assert roles == ["system", "user", "code_result", "assistant", "user"]


def test_a_conversation_goes_on_in_another_agent() -> None:
    first = agent(ours(coded(CODE, RESULT, TEXT)))
    first.run_sync("One.")
    endpoint = ours(coded(TEXT))
    second = agent(endpoint, messages=json.loads(json.dumps(first.messages)))
    second.run_sync("Two.")
    assert endpoint.requests[0]["messages"][:-1] == first.messages


def test_a_tool_that_fails_is_an_error_message() -> None:
    tool_calls = calls(call("a", "refuse", {"why": "just so"}), call("b", "nowhere", {}))
    endpoint = ours(coded(CODE, tool_calls, finish="tool_calls"), coded(RESULT, TEXT))
    talk = agent(endpoint)
    talk.run_sync("Go.")
    known = "the tools are twice, shout, refuse"
    assert talk.messages[3:5] == [
        {"role": "tool", "tool_call_id": "a", "content": "just so", "is_error": True},
        {
            "role": "tool",
            "tool_call_id": "b",
            "content": f"no tool is called 'nowhere': {known}",
            "is_error": True,
        },
    ]


def test_the_calls_of_a_batch_run_at_the_same_time() -> None:
    both = threading.Barrier(2)

    def meet(number: int) -> int:
        both.wait()
        return number

    tool_calls = calls(call("a", "meet", {"number": 1}), call("b", "meet", {"number": 2}))
    endpoint = ours(coded(CODE, tool_calls, finish="tool_calls"), coded(RESULT, TEXT))
    assert agent(endpoint, tools=[meet]).run_sync("Go.") == "It is 6."


def test_a_string_stays_unchanged_if_the_tool_always_returns_one() -> None:
    def either(text: str) -> str | int:
        return text

    tool_calls = calls(call("a", "shout", {"text": "7"}), call("b", "either", {"text": "7"}))
    endpoint = ours(coded(CODE, tool_calls, finish="tool_calls"), coded(RESULT, TEXT))
    talk = agent(endpoint, tools=[shout, either])
    talk.run_sync("Go.")
    assert [message.get("content") for message in talk.messages[3:5]] == ["7", '"7"']


def test_another_endpoint_gets_plain_tool_calls() -> None:
    pieces = [
        chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "twice", "arguments": ""}}]),
        chunk(tool_calls=[{"index": 1, "id": "b", "function": {"name": "refuse"}}]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"number"'}}]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": ": 4}"}}]),
        chunk(tool_calls=[{"index": 1, "function": {"arguments": '{"why": "no"}'}}]),
    ]
    endpoint = FakeEndpoint(events(*pieces, chunk(finish="tool_calls")), text_reply("Eight."))
    talk = agent(endpoint, api_key="secret", options={"temperature": 0})
    assert talk.run_sync("Double 4.") == "Eight."
    assert talk.messages[1:] == [
        calls(call("a", "twice", '{"number": 4}'), call("b", "refuse", '{"why": "no"}')),
        {"role": "tool", "tool_call_id": "a", "content": "8"},
        {"role": "tool", "tool_call_id": "b", "content": "ValueError: no"},
        {"role": "assistant", "content": "Eight."},
    ]
    body = endpoint.requests[0]
    assert set(body) == {"model", "messages", "stream", "tools", "temperature"}
    assert set(body["tools"][0]) == {"type", "function"}
    assert endpoint.headers[0]["authorization"] == "Bearer secret"


def test_an_endpoint_that_does_not_stream_is_understood() -> None:
    whole = {"message": calls(call("a", "twice", {"number": 4})), "finish_reason": "tool_calls"}
    answer = {"message": {"role": "assistant", "content": "Eight."}, "finish_reason": "stop"}
    endpoint = FakeEndpoint(
        httpx.Response(200, json={"choices": [whole]}),
        httpx.Response(200, json={"choices": [answer]}),
    )
    told: list[AgentEvent] = []
    assert agent(endpoint).run_sync("Double 4.", watch=told.append) == "Eight."
    assert TextDelta("Eight.") in told


@pytest.mark.parametrize("whole", [False, True])
def test_a_refusal_is_text(whole: bool) -> None:
    refused = {"role": "assistant", "content": None, "refusal": "I will not."}
    answer = {"message": refused, "finish_reason": "stop"}
    streamed = events(chunk(refusal="I will "), chunk(refusal="not.", finish="stop"))
    endpoint = FakeEndpoint(httpx.Response(200, json={"choices": [answer]}) if whole else streamed)
    assert agent(endpoint).run_sync("Do harm.") == "I will not."


def test_arguments_may_come_as_an_object() -> None:
    tool_calls = {"id": "a", "function": {"name": "twice", "arguments": {"number": 4}}}
    endpoint = FakeEndpoint(
        events(chunk(tool_calls=[tool_calls]), chunk(finish="tool_calls")), text_reply("Eight.")
    )
    talk = agent(endpoint)
    assert talk.run_sync("Double 4.") == "Eight."
    assert talk.messages[2].get("content") == "8"


@pytest.mark.parametrize("health", [{"status": "ok"}, ["coderelay"], "coderelay"])
def test_an_endpoint_that_does_not_identify_as_ours_gets_plain_calls(health: Json) -> None:
    endpoint = FakeEndpoint(text_reply("Hi."), health=health)
    agent(endpoint).run_sync("Hi?")
    assert "code_mode" not in endpoint.requests[0]


def test_the_protocol_can_be_fixed() -> None:
    endpoint = FakeEndpoint(coded(TEXT))
    agent(endpoint, protocol="messages").run_sync("Hi?")
    assert endpoint.probes == 0
    assert endpoint.requests[0]["code_mode"] == {"protocol": "messages"}


def test_arguments_that_do_not_fit_go_back_to_the_model() -> None:
    tool_calls = [
        {"index": place, **call(str(place), "twice", arguments)}
        for place, arguments in enumerate(['{"number": ', "", '{"number": "x"}'])
    ]
    endpoint = FakeEndpoint(
        events(chunk(tool_calls=tool_calls), chunk(finish="tool_calls")), text_reply("Oh.")
    )
    talk = agent(endpoint)
    talk.run_sync("Go.")
    contents = [str(m["content"]) for m in talk.messages if m["role"] == "tool"]
    assert all(content.startswith("ValidationError: ") for content in contents)
    assert "number: Field required" in contents[1]


def test_events_can_be_iterated() -> None:
    async def listen() -> list[AgentEvent]:
        return [event async for event in agent(ours(coded(TEXT, text="It is 6."))).stream("Go.")]

    assert [type(event) for event in asyncio.run(listen())] == [TextDelta, Answer]


def test_leaving_the_iteration_stops_the_turn() -> None:
    started = asyncio.Event()

    async def forever() -> None:
        started.set()
        await asyncio.Event().wait()

    async def leave() -> Agent:
        endpoint = ours(coded(CODE, calls(call("a", "forever", {})), finish="tool_calls"))
        talk = agent(endpoint, tools=[forever])
        stream: AsyncIterator[AgentEvent] = talk.stream("Go.")
        async for event in stream:
            if isinstance(event, Called):
                break
        await stream.aclose()  # type: ignore[attr-defined]  # a generator has it
        return talk

    talk = asyncio.run(leave())
    assert talk.messages == []


def test_one_agent_has_one_turn_at_a_time() -> None:
    async def both() -> None:
        called, release = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            called.set()
            await release.wait()

        tool_calls = calls(call("a", "wait", {}))
        endpoint = ours(coded(CODE, tool_calls, finish="tool_calls"), coded(RESULT, TEXT))
        talk = agent(endpoint, tools=[wait])
        first = asyncio.create_task(talk.run("One."))
        await called.wait()
        with pytest.raises(RuntimeError, match="in the middle of a turn"):
            await talk.run("Two.")
        release.set()
        assert await first == "It is 6."

    asyncio.run(both())


def test_the_synchronous_way_says_so_where_a_loop_is_running() -> None:
    async def inside() -> None:
        agent(ours(coded(TEXT))).run_sync("Go.")

    with pytest.raises(RuntimeError, match="use `await"):
        asyncio.run(inside())


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidTool):
        agent(ours(), tools=[twice, twice])
