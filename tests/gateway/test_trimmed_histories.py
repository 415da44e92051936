"""A finished program never breaks a conversation, whatever the client has dropped of it."""

import json
from typing import Any

import pytest

from coderelay.models import ScriptedModel
from tests.gateway.driving import USER, ask, code, converse, request, script

STEPS = "const a = await webSearch({ query: 'a' });\nreturn [a, await webSearch({ query: 'b' })];"
BATCH = "return await Promise.all(['c', 'd'].map((query) => webSearch({ query })));"


def conversation(protocol: str) -> tuple[dict[str, Any], list[Any]]:
    """Two turns of three programs, one of which makes no call."""
    body = request(code_mode={"protocol": protocol})
    model = script(code(STEPS, "First."), code("return 1;"), code(BATCH), "Done.", "Again.")
    messages = converse(body, model, {"web_search": lambda query: query})
    return body, converse({**body, "messages": [*messages, USER]}, model, {})


def sound(messages: list[Any]) -> None:
    """What every upstream insists on: each call has an id of its own, and one answer."""
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or []]
    answers = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert len(set(calls)) == len(calls)
    assert sorted(calls) == sorted(answers)
    assert "cr1_" not in json.dumps(messages)
    assert not {"code", "code_result"} & {message["role"] for message in messages}


@pytest.mark.parametrize("protocol", ["ids", "messages"])
def test_a_history_may_be_trimmed_anywhere(protocol: str) -> None:
    body, messages = conversation(protocol)
    for start in range(len(messages) + 1):
        model = ScriptedModel(lambda body: "Yes.")
        ask({**body, "messages": [*messages[start:], USER]}, model)
        sound(model.seen[-1]["messages"])


@pytest.mark.parametrize("protocol", ["ids", "messages"])
def test_any_message_may_be_lost(protocol: str) -> None:
    body, messages = conversation(protocol)
    for lost in range(len(messages)):
        model = ScriptedModel(lambda body: "Yes.")
        ask({**body, "messages": [*messages[:lost], *messages[lost + 1 :], USER]}, model)
        sound(model.seen[-1]["messages"])


@pytest.mark.parametrize("protocol", ["ids", "messages"])
def test_a_history_may_be_cut_short_where_the_person_goes_on(protocol: str) -> None:
    body, messages = conversation(protocol)
    for end in range(1, len(messages) + 1):
        model = ScriptedModel(lambda body: "Yes.")
        ask({**body, "messages": [*messages[:end], USER]}, model)
        sound(model.seen[-1]["messages"])
