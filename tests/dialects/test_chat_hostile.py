"""Whatever a Chat Completions client sends is read or refused properly."""

import contextlib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderelay.conversation import TooLarge, call_ids
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Program, RequestError
from coderelay.dialects import chat
from coderelay.dialects.code_endpoints import decode_declarations, decode_evaluate
from coderelay.dialects.kit.history_limits import MOST_MESSAGES

odd = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
NAMES = (
    "role id content tool_calls toolCalls tool_call_id toolCallId function name arguments code "
    "language created result status data error logs is_error type"
).split()
values = st.one_of(
    odd,
    st.sampled_from(
        ["user", "assistant", "tool", "code", "code_result", "a", "b", "cr1_p_0_0123456789abcdef"]
    ),
    st.sampled_from(
        ["function", "success", "error", "typescript", "cr1__x", {"status": "success"}]
    ),
    st.just([{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]),
)
messages = st.dictionaries(st.sampled_from(NAMES), values, max_size=6)
sound = st.sampled_from(
    [
        {"role": "user", "content": "x"},
        {"role": "code", "id": "a", "code": "1"},
        {"role": "code_result", "id": "a", "result": {"status": "success"}},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "assistant", "content": "x"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}],
        },
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "cr1_p_1_0123456789abcdef", "function": {"name": "f"}},
                {"id": "cr1_!", "function": {"name": "f"}},
            ],
        },
    ]
)
FIELDS = "tools tool_choice n stream stream_options response_format code_mode parallel_tool_calls"
bodies = st.builds(
    lambda history, more: {"model": "m", "messages": history, **more},
    st.lists(st.one_of(sound, messages), max_size=8),
    st.dictionaries(st.sampled_from(FIELDS.split()), odd, max_size=2),
)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(bodies, odd))
def test_a_request_is_read_or_refused(body: Any) -> None:
    for read in (
        lambda: chat.decode(body, chat.Defaults()),
        lambda: chat.needs_no_translation(body),
        lambda: decode_evaluate(body),
        lambda: decode_declarations(body),
    ):
        with contextlib.suppress(RequestError):
            read()


def test_a_history_of_too_many_messages_is_refused() -> None:
    messages = [{"role": "user", "content": "x"}] * (MOST_MESSAGES + 1)
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    with pytest.raises(TooLarge, match="10,000"):
        chat.decode({"model": "m", "messages": messages, "tools": tools}, chat.Defaults())


def _with_ids(ids: list[str]) -> dict[str, Any]:
    """A request whose history has a call under each of these ids."""
    calls = [{"id": id, "function": {"name": "f", "arguments": "{}"}} for id in ids]
    return {"model": "m", "messages": [{"role": "assistant", "tool_calls": calls}]}


def test_ids_that_together_unpack_to_too_much_are_refused() -> None:
    programs = [Program("python", "#" * 900_000, f"p{each}") for each in range(30)]
    ids = [call_ids.first_id(ProgramState(each, arguments="0" * 16)) for each in programs]
    assert sum(map(len, ids)) < 50_000
    with pytest.raises(TooLarge, match="the program 'p0' is longer than"):
        chat.decode(_with_ids(ids[:1]), chat.Defaults())
    with pytest.raises(TooLarge, match="unpack to too many bytes"):
        chat.decode(_with_ids(ids), chat.Defaults())


def test_ids_that_together_tell_of_too_many_programs_are_refused() -> None:
    programs = tuple(Program("python", "1", "p") for _ in range(100))
    ids = [
        call_ids.first_id(ProgramState(Program("python", "1", f"p{each}"), "", "0" * 16, programs))
        for each in range(200)
    ]
    assert sum(map(len, ids)) < 50_000
    with pytest.raises(TooLarge, match="more than 10,000 programs"):
        chat.decode(_with_ids(ids), chat.Defaults())
