"""The suite of clients would notice: each check fails for the conversation it is there for."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clients.catalogue import CHAT, RESPONSES, Guide
from clients.checks import ClientRun, failures
from clients.script import CALLS, PROGRAMS, QUESTIONS, ROUNDS
from clients.stage import Seen, Stage

Json = Any
PLAIN = Guide("chat.py", CHAT, "openai")
VENDOR = Guide("chat.py", CHAT, "openai", shapes="code_execution")
Breaking = Callable[[Stage, ClientRun], object]


def conversation() -> tuple[Stage, ClientRun]:
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
    return stage, ClientRun([["It is ", f"{worth}."], ["It is ", f"{count}."]], "", 0)


def wrong(stage: Stage, run: ClientRun, guide: Guide = PLAIN) -> list[str]:
    return list(failures(stage, run, guide=guide, form="streamed"))


def follow_up_messages(stage: Stage) -> Iterator[Json]:
    """All messages that the model was shown with the follow-up question."""
    yield from stage.upstream.seen[2]["messages"]


def test_a_conversation_as_it_should_be_passes() -> None:
    assert wrong(*conversation()) == []


@pytest.mark.parametrize(
    ("message", "breaking"),
    [
        ("1 answers, not 2", lambda stage, run: run.answers.pop()),
        ("does not hold", lambda stage, run: run.answers[0].pop()),
        ("one piece", lambda stage, run: run.answers.__setitem__(0, ["".join(run.answers[0])])),
        ("were called", lambda stage, run: stage.calls.append(CALLS[0])),
        ("killed 0 times", lambda stage, run: setattr(stage, "kills", 0)),
        (
            "did not come together",
            lambda stage, run: stage.requests.insert(1, Seen("/v1/chat/completions", 1, 200)),
        ),
        (
            "requests were refused",
            lambda stage, run: stage.requests.append(Seen("/v1/chat/completions", 6, 500)),
        ),
        (
            "did not ask for",
            lambda stage, run: stage.requests[0].answer.extend(b'{"type": "program"}'),
        ),
        ("id of ours", lambda stage, run: stage.upstream.raw.append(b'"cr1_abc"')),
        ("asked 3 times", lambda stage, run: stage.upstream.seen.pop()),
        (
            "what a tool gave",
            lambda stage, run: stage.upstream.seen[3]["messages"].append(
                {"role": "user", "content": str(stage.shop.prices["lamp"])}
            ),
        ),
        (
            "not shown its program, but",
            lambda stage, run: next(
                each for each in follow_up_messages(stage) if each.get("tool_calls")
            ).pop("tool_calls"),
        ),
        (
            "program's result",
            lambda stage, run: next(
                each for each in follow_up_messages(stage) if each["role"] == "tool"
            ).update(content="…"),
        ),
        (
            "with the follow-up question",
            lambda stage, run: stage.upstream.seen[2]["messages"].pop(),
        ),
    ],
)
def test_a_conversation_fails_for(message: str, breaking: Breaking) -> None:
    stage, run = conversation()
    breaking(stage, run)
    assert any(message in each for each in wrong(stage, run))


def test_a_client_that_warns_or_crashes_fails() -> None:
    stage, run = conversation()
    assert "UserWarning" in wrong(stage, ClientRun(run.answers, "UserWarning: odd", 0))[0]
    assert "ended with 1" in wrong(stage, ClientRun(run.answers, "", 1))[0]


def test_a_client_that_speaks_another_api_fails() -> None:
    stage, run = conversation()
    guide = Guide("responses.py", RESPONSES, "openai")
    assert any("did not speak Responses" in each for each in wrong(stage, run, guide))


def test_a_client_that_asked_for_the_vendors_shapes_must_get_them() -> None:
    stage, run = conversation()
    assert "the vendor's own shapes were not sent" in wrong(stage, run, VENDOR)
