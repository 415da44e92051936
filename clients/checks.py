"""What must hold after a conversation, whatever the client and its API."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from clients.catalogue import CHAT, MESSAGES, RESPONSES, Guide
from clients.script import CALLS, PROGRAMS, ROUNDS, VENDOR_PROGRAMS, Json
from clients.stage import Stage

PATHS = {CHAT: "/v1/chat/completions", RESPONSES: "/v1/responses", MESSAGES: "/v1/messages"}
_VENDOR = (b'"type":"program_output"', b'"type":"code_execution_tool_result"')
_UNASKED = (
    *_VENDOR,
    b'"type":"program"',
    b'"type":"server_tool_use"',
    b'"caller"',
    b'"role":"code"',
    b'"role":"code_result"',
)
"""What only those are sent who declared a vendor's own tool, or speak our own protocol."""


@dataclass(frozen=True, slots=True)
class ClientRun:
    """What the client's process came to: the pieces of each answer, and all that it printed."""

    answers: list[list[str]]
    errors: str
    code: int


def failures(stage: Stage, run: ClientRun, *, guide: Guide, form: str) -> Iterator[str]:
    """What does not hold; nothing, if all is well."""
    if run.code or run.errors:
        yield f"the client ended with {run.code}: {run.errors.strip()[-1500:]}"
    yield from _answers(stage, run, form)
    yield from _calls(stage)
    yield from _requests(stage, guide)
    yield from _upstream(stage, guide)


def _answers(stage: Stage, run: ClientRun, form: str) -> Iterator[str]:
    expected = stage.shop.expected()
    if len(run.answers) != len(expected):
        yield f"{len(run.answers)} answers, not {len(expected)}"
    for pieces, number in zip(run.answers, expected, strict=False):
        if number not in "".join(pieces):
            yield f"the answer {''.join(pieces)!r} does not hold {number}"
        if form == "streamed" and len(pieces) < 2:
            yield f"the answer came in one piece: {pieces}"


def _calls(stage: Stage) -> Iterator[str]:
    made = sorted(stage.calls, key=repr)
    if made != CALLS:
        yield f"the tools were called {made}, not {CALLS}"
    if stage.kills != 1:
        yield f"the server was killed {stage.kills} times, not once"


def _requests(stage: Stage, guide: Guide) -> Iterator[str]:
    taken = [seen for seen in stage.requests if seen.status == 200]
    summary = [(seen.path, seen.status, seen.calls_before) for seen in stage.requests]
    if tuple(seen.calls_before for seen in taken) != (0, *ROUNDS):
        yield f"the calls of a batch did not come together: {summary}"
    if {seen.path for seen in stage.requests} != {PATHS[guide.api]}:
        yield f"the client did not speak {guide.api}: {summary}"
    refused = [seen for seen in stage.requests if seen.status != 200]
    if [seen.status for seen in refused] != [guide.refused] * len(refused):
        yield f"requests were refused: {summary}: {bytes(refused[-1].answer)[:500]!r}"
    got = b"".join(bytes(seen.answer) for seen in taken).replace(b'": ', b'":')
    found = [each.decode() for each in _UNASKED if each in got]
    if guide.shapes and not any(each in got for each in _VENDOR):
        yield "the vendor's own shapes were not sent"
    if found and not guide.shapes:
        yield f"the client was sent {found}, which it did not ask for"


def _upstream(stage: Stage, guide: Guide) -> Iterator[str]:
    bodies = stage.upstream.seen
    if len(bodies) != 4:
        yield f"the model was asked {len(bodies)} times, not 4"
        return
    if b"cr1_" in b"".join(stage.upstream.raw):
        yield "an id of ours went upstream"
    if found := [each for each in stage.shop.secrets() if each in json.dumps(bodies)]:
        yield f"the model was shown what a tool gave: {found}"
    programs = VENDOR_PROGRAMS if guide.shapes else PROGRAMS
    name = bodies[0]["tools"][0]["function"]["name"]
    for body in bodies[1:]:
        yield from _block(body["messages"], name, code=programs[name][0], holds=stage)
    follow_up = [
        message["role"] for message in bodies[2]["messages"] if message["role"] != "system"
    ]
    if follow_up != ["user", "assistant", "tool", "assistant", "user"]:
        yield f"the model was shown {follow_up} with the follow-up question"


def _block(messages: Json, name: str, *, code: str, holds: Stage) -> Iterator[str]:
    """The first program and its result, as one call of the code tool and one answer to it."""
    calling: Json = next((each for each in messages if each.get("tool_calls")), {"tool_calls": []})
    functions = [call["function"] for call in calling["tool_calls"]]
    called = [(function["name"], json.loads(function["arguments"])) for function in functions]
    if called != [(name, {"code": code})]:
        yield f"the model was not shown its program, but {functions}"
        return
    result = next((each for each in messages if each["role"] == "tool"), {"content": ""})
    if holds.shop.expected()[0] not in result["content"]:
        yield f"the model was not shown its program's result, but {result}"
