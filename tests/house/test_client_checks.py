"""The suite of clients would notice: each check fails for the conversation it is there for."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clients.catalogue import CHAT, RESPONSES, Guide
from clients.checks import Said, failures
from clients.script import CALLS, PROGRAMS, QUESTIONS, ROUNDS
from clients.stage import Seen, Stage

Json = Any
PLAIN = Guide("chat.py", CHAT, "openai")
VENDOR = Guide("chat.py", CHAT, "openai", shapes="code_execution")
Breaking = Callable[[Stage, Said], object]


def conversation() -> tuple[Stage, Said]:
    """A conversation as it should be."""
    stage = Stage("typescript", vendor=False)
    worth, count = stage.shop.expected()
    stage.calls = list(CALLS)
    stage.kills = 1
    stage.requests = [Seen("/v1/chat/completions", before, 200) for before in (0, *ROUNDS)]
    tools = [{"type": "function", "function": {"name": "run_typescript"}}]
    messages: list[Json] = [{"role": "system", "content": "…"}]
    for question, code, number in zip(
        QUESTIONS, PROGRAMS["run_typescript"], (worth, count), strict=True
    ):
        messages.append({"role": "user", "content": question})
        stage.upstream.seen.append({"tools": tools, "messages": list(messages)})
        function = {"name": "run_typescript", "arguments": json.dumps({"code": code})}
        messages.append({"role": "assistant", "tool_calls": [{"function": function}]})
        messages.append({"role": "tool", "content": f"Result:\n{number}"})
        stage.upstream.seen.append({"tools": tools, "messages": list(messages)})
        messages.append({"role": "assistant", "content": f"It is {number}."})
    return stage, Said([["It is ", f"{worth}."], ["It is ", f"{count}."]], "", 0)


def wrong(stage: Stage, said: Said, guide: Guide = PLAIN) -> list[str]:
    return list(failures(stage, said, guide=guide, form="streamed"))


def shown(stage: Stage) -> Iterator[Json]:
    """All messages that the model was shown with the follow-up question."""
    yield from stage.upstream.seen[2]["messages"]


def test_a_conversation_as_it_should_be_passes() -> None:
    assert wrong(*conversation()) == []


@pytest.mark.parametrize(
    ("message", "breaking"),
    [
        ("1 answers, not 2", lambda stage, said: said.answers.pop()),
        ("does not hold", lambda stage, said: said.answers[0].pop()),
        ("one piece", lambda stage, said: said.answers.__setitem__(0, ["".join(said.answers[0])])),
        ("were called", lambda stage, said: stage.calls.append(CALLS[0])),
        ("killed 0 times", lambda stage, said: setattr(stage, "kills", 0)),
        (
            "did not come together",
            lambda stage, said: stage.requests.insert(1, Seen("/v1/chat/completions", 1, 200)),
        ),
        (
            "requests were refused",
            lambda stage, said: stage.requests.append(Seen("/v1/chat/completions", 6, 500)),
        ),
        (
            "did not ask for",
            lambda stage, said: stage.requests[0].answer.extend(b'{"type": "program"}'),
        ),
        ("id of ours", lambda stage, said: stage.upstream.raw.append(b'"cr1_abc"')),
        ("asked 3 times", lambda stage, said: stage.upstream.seen.pop()),
        (
            "what a tool gave",
            lambda stage, said: stage.upstream.seen[3]["messages"].append(
                {"role": "user", "content": str(stage.shop.prices["lamp"])}
            ),
        ),
        (
            "not shown its program, but",
            lambda stage, said: next(each for each in shown(stage) if each.get("tool_calls")).pop(
                "tool_calls"
            ),
        ),
        (
            "program's result",
            lambda stage, said: next(
                each for each in shown(stage) if each["role"] == "tool"
            ).update(content="…"),
        ),
        (
            "with the follow-up question",
            lambda stage, said: stage.upstream.seen[2]["messages"].pop(),
        ),
    ],
)
def test_a_conversation_fails_for(message: str, breaking: Breaking) -> None:
    stage, said = conversation()
    breaking(stage, said)
    assert any(message in each for each in wrong(stage, said))


def test_a_client_that_warns_or_crashes_fails() -> None:
    stage, said = conversation()
    assert "UserWarning" in wrong(stage, Said(said.answers, "UserWarning: odd", 0))[0]
    assert "ended with 1" in wrong(stage, Said(said.answers, "", 1))[0]


def test_a_client_that_speaks_another_api_fails() -> None:
    stage, said = conversation()
    guide = Guide("responses.py", RESPONSES, "openai")
    assert any("did not speak Responses" in each for each in wrong(stage, said, guide))


def test_a_client_that_asked_for_the_vendors_shapes_must_get_them() -> None:
    stage, said = conversation()
    assert "the vendor's own shapes were not sent" in wrong(stage, said, VENDOR)
