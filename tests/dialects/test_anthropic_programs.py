"""Programs in the history of a Messages client: in ids for plain ones, as blocks for those that
declare code execution."""

import re
from typing import Any

import pytest
from hypothesis import given

from coderelay.conversation import HistoryError, Unsupported
from coderelay.conversation.model_view import outcome_for_model
from coderelay.conversation.outcome_text import after_text_round_trip
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Completed, Failed, Program
from coderelay.dialects.anthropic.code_execution import read_result, result_block
from coderelay.dialects.kit.fields import Fields
from coderelay.models import ScriptedModel
from coderelay.models.scripted_model import ScriptedAnswer
from tests.conversation.test_outcome_text import outcomes
from tests.dialects.contract.anthropic_client import CODE_EXECUTION, AnthropicClient
from tests.dialects.contract.client import SEARCH, Made

Json = Any

PLAIN, VENDOR = AnthropicClient(), AnthropicClient(vendor=True)
TWO = (
    "import asyncio\n"
    'a, b = await asyncio.gather(web_search(query="a"), web_search(query="b"))\n'
    "print('found')\n"
    "[a, b]"
)
PNG: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A"}}


def body(client: AnthropicClient, history: list[Json], **more: Any) -> Json:
    asked = {"tools": [SEARCH], "language": "python", "stream": False, **more}
    return client.body(history, **asked)


def result(call: Made, content: Json, **more: Json) -> Json:
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, **more}


def begun(
    client: AnthropicClient, source: str = TWO, **more: Any
) -> tuple[list[Json], list[Made], ScriptedModel]:
    """A conversation in which a program waits."""
    model = ScriptedModel([ScriptedAnswer(code=source, text="Let me see."), "Done."])
    history = client.user("Go.")
    response = client.ask(body(client, history, **more), model)
    assert response["stop_reason"] == "tool_use"
    return client.after(history, response), client.calls(response), model


def messages_for_model(model: ScriptedModel) -> list[Json]:
    """What the model was shown last, without the system prompt."""
    return list(model.seen[-1]["messages"][1:])


@pytest.mark.parametrize("client", [PLAIN, VENDOR], ids=repr)
@pytest.mark.parametrize(
    "arranged",
    [
        lambda a, b, words: [[a, b, words]],
        lambda a, b, words: [[b, a], [words]],
        lambda a, b, words: [[words, a], [b]],
        lambda a, b, words: [[b], [words], [a]],
    ],
    ids=["one message", "words after", "words first", "words between"],
)
def test_text_beside_results_comes_after_the_program(
    client: AnthropicClient, arranged: Any
) -> None:
    history, (a, b), model = begun(client)
    words = {"type": "text", "text": "Hurry!"}
    for content in arranged(result(a, '"A"'), result(b, [{"type": "text", "text": "B"}]), words):
        history = [*history, {"role": "user", "content": content}]
    response = client.ask(body(client, history), model)
    assert client.text(response) == "Done."
    roles = [message["role"] for message in messages_for_model(model)]
    assert roles == ["user", "assistant", "tool", "user"]
    assert '["A","B"]' in messages_for_model(model)[2]["content"]
    assert messages_for_model(model)[3]["content"] == "Hurry!"


@pytest.mark.parametrize("client", [PLAIN, VENDOR], ids=repr)
def test_text_beside_results_does_not_stop_a_program_with_more_calls(
    client: AnthropicClient,
) -> None:
    source = "[await web_search(query=each) for each in 'ab']"
    history, (a,), model = begun(client, source)
    words = {"type": "text", "text": "Hurry!"}
    history = [*history, {"role": "user", "content": [result(a, "A"), words]}]
    response = client.ask(body(client, history), model)
    (b,) = client.calls(response)
    history = [*client.after(history, response), {"role": "user", "content": [result(b, "B")]}]
    assert client.text(client.ask(body(client, history), model)) == "Done."
    assert '["A","B"]' in messages_for_model(model)[2]["content"]
    assert messages_for_model(model)[3]["content"] == "Hurry!"


@pytest.mark.parametrize("client", [PLAIN, VENDOR], ids=repr)
def test_a_question_in_place_of_a_result_interrupts_the_program(client: AnthropicClient) -> None:
    history, (a, _), model = begun(client)
    history = [
        *history,
        {"role": "user", "content": [result(a, '"A"')]},
        *client.user("Never mind."),
    ]
    assert client.text(client.ask(body(client, history), model)) == "Done."
    assert "interrupted" in messages_for_model(model)[2]["content"]
    assert messages_for_model(model)[3] == {"role": "user", "content": "Never mind."}


@pytest.mark.parametrize("client", [PLAIN, VENDOR], ids=repr)
def test_a_picture_in_a_result_is_shown_to_the_model_after_the_block(
    client: AnthropicClient,
) -> None:
    history, (a, b), model = begun(client)
    content = [result(a, [{"type": "text", "text": "A"}, PNG]), result(b, [PNG])]
    history = [*history, {"role": "user", "content": content}]
    client.ask(body(client, history), model)
    assert "[not text: shown to the model after this]" in messages_for_model(model)[2]["content"]
    assert [part["type"] for part in messages_for_model(model)[3]["content"]] == ["image_url"] * 2


@pytest.mark.parametrize("client", [PLAIN, VENDOR], ids=repr)
def test_a_picture_in_a_result_does_not_interrupt_a_program(client: AnthropicClient) -> None:
    """A result that is missing beside it is an oversight: nobody interrupted anything."""
    history, (a, b), model = begun(client)
    history = [*history, {"role": "user", "content": [result(a, [PNG])]}]
    with pytest.raises(HistoryError, match=b.id):
        client.ask(body(client, history), model)


@pytest.mark.parametrize("client", [PLAIN, VENDOR], ids=repr)
def test_a_result_without_content_is_none_and_a_failed_one_raises(client: AnthropicClient) -> None:
    source = (
        'a = await web_search(query="a")\n'
        "try:\n    b = await web_search(query='b')\nexcept ToolError as e:\n    b = str(e)\n[a, b]"
    )
    history, (a,), model = begun(client, source)
    answer = {"type": "tool_result", "tool_use_id": a.id}
    history = [*history, {"role": "user", "content": [answer]}]
    response = client.ask(body(client, history), model)
    (b,) = client.calls(response)
    failed = result(b, [{"type": "text", "text": "no net"}], is_error=True)
    history = [*client.after(history, response), {"role": "user", "content": [failed]}]
    client.ask(body(client, history), model)
    assert '[null,"no net"]' in messages_for_model(model)[2]["content"]


def test_a_program_and_its_result_are_content_blocks() -> None:
    history, calls, model = begun(VENDOR)
    said, program, *uses = history[-1]["content"]
    assert said == {"type": "text", "text": "Let me see."}
    assert re.fullmatch(r"srvtoolu_[A-Za-z0-9_-]+", program["id"])
    assert program == {
        "type": "server_tool_use",
        "id": program["id"],
        "name": "code_execution",
        "input": {"code": TWO},
    }
    caller = {"type": "code_execution_20250825", "tool_id": program["id"]}
    assert [use["caller"] for use in uses] == [caller] * 2
    history = VENDOR.answered(history, [(call, call.arguments["query"]) for call in calls])
    response = VENDOR.ask(body(VENDOR, history), model)
    ended, answer = response["content"]
    assert ended == {
        "type": "code_execution_tool_result",
        "tool_use_id": program["id"],
        "content": {
            "type": "code_execution_result",
            "stdout": 'found\n["a","b"]',
            "stderr": "",
            "return_code": 0,
            "content": [],
        },
    }
    assert answer == {"type": "text", "text": "Done."}
    assert response["container"]["id"].startswith("container_")


@pytest.mark.parametrize(
    ("source", "out", "err", "code"),
    [
        ("6 * 7", "42", "", 0),
        ("x = 1", "", "", 0),
        ("print('a'); 'b'", "a\nb", "", 0),
        ("import sys\nprint('x', file=sys.stderr)\n1", "1", "x", 0),
        ("print('a')\nnothing", "a", "NameError", 1),
        ("f(", "", "syntax", 1),
    ],
)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_program_needs_no_tool(source: str, out: str, err: str, code: int, stream: bool) -> None:
    model = ScriptedModel([ScriptedAnswer(code=source), "Done."])
    history = VENDOR.user("Go.")
    response = VENDOR.ask(body(VENDOR, history, tools=[], stream=stream), model)
    content = response["content"][1]["content"]
    assert (content["stdout"], content["return_code"]) == (out, code)
    assert err in content["stderr"] and bool(err) == bool(content["stderr"])
    # When it comes back, the model is shown the same as before.
    before = messages_for_model(model)
    history = [*VENDOR.after(history, response), *VENDOR.user("And?")]
    model = ScriptedModel(lambda _: "Well.")
    VENDOR.ask(body(VENDOR, history, tools=[], stream=stream), model)
    assert messages_for_model(model)[: len(before)] == before


def test_code_that_was_changed_is_refused_while_its_program_waits() -> None:
    history, calls, model = begun(VENDOR)
    history[-1]["content"][1]["input"]["code"] += "\n"
    answered = VENDOR.answered(history, [(call, "x") for call in calls])
    with pytest.raises(HistoryError, match="was changed") as refused:
        VENDOR.ask(body(VENDOR, answered), model)
    assert refused.value.param == "messages[1].content[1].input.code"
    over = [*history, *VENDOR.user("Never mind.")]
    assert VENDOR.text(VENDOR.ask(body(VENDOR, over), model)) == "Done."


def foreign(*more: Json) -> list[Json]:
    """A history that another server began."""
    use = {"type": "server_tool_use", "id": "srvtoolu_01Ab", "name": "code_execution"}
    caller = {"type": "code_execution_20250825", "tool_id": "srvtoolu_01Ab"}
    return [
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": [
                {**use, "input": {"code": 'x = await web_search(query="a")\nx * 2'}},
                {
                    "type": "tool_use",
                    "id": "toolu_1",
                    "name": "web_search",
                    "input": {"query": "a"},
                    "caller": caller,
                },
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "21"}],
        },
        *more,
    ]


def test_a_program_that_another_server_began_goes_on() -> None:
    response = VENDOR.ask(body(VENDOR, foreign()), ScriptedModel(lambda _: "Done."))
    assert response["content"][0]["tool_use_id"] == "srvtoolu_01Ab"
    assert response["content"][0]["content"]["stdout"] == "42"


def ended(content: Json) -> Json:
    block = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_01Ab"}
    return {"role": "assistant", "content": [{**block, "content": content}]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            {"type": "code_execution_result", "stdout": "7", "stderr": "", "return_code": 0},
            "Result:\n7",
        ),
        (
            {"type": "code_execution_result", "stdout": "", "stderr": "Oh.", "return_code": 1},
            "The program failed (exception): Oh.",
        ),
        (
            {"type": "code_execution_tool_result_error", "error_code": "unavailable"},
            "The program failed (exception): unavailable",
        ),
    ],
)
def test_a_result_in_the_history_is_used_as_it_stands(content: Json, expected: str) -> None:
    model = ScriptedModel(lambda _: "Done.")
    history = foreign(ended(content), {"role": "user", "content": "And?"})
    VENDOR.ask(body(VENDOR, history), model)
    assert messages_for_model(model)[2]["content"] == expected


@pytest.mark.parametrize(
    "message",
    [
        ended({"type": "encrypted_code_execution_result", "encrypted_stdout": "x"}),
        {
            "role": "assistant",
            "content": [
                {
                    "type": "server_tool_use",
                    "id": "s",
                    "name": "bash_code_execution",
                    "input": {},
                }
            ],
        },
        {
            "role": "assistant",
            "content": [{"type": "bash_code_execution_tool_result", "tool_use_id": "s"}],
        },
    ],
)
def test_a_file_on_another_server_is_refused_by_name(message: Json) -> None:
    with pytest.raises(Unsupported, match="messages"):
        VENDOR.ask(body(VENDOR, foreign(message)), ScriptedModel(["Done."]))


def test_a_history_with_programs_is_answered_in_their_shape() -> None:
    asked = {**body(PLAIN, foreign()), "tools": []}
    del asked["code_mode"]
    tool = {"name": "web_search", "input_schema": SEARCH.parameters}
    asked["tools"] = [{**tool, "allowed_callers": ["code_execution_20250825"]}]
    response = VENDOR.ask(asked, ScriptedModel(lambda _: "Done."))
    assert response["content"][0]["type"] == "code_execution_tool_result"
    assert CODE_EXECUTION not in asked["tools"]


def test_the_container_keeps_its_name() -> None:
    model = ScriptedModel([ScriptedAnswer(code="1"), "Done."])
    asked = {**body(VENDOR, VENDOR.user("Go.")), "container": "container_mine"}
    assert VENDOR.ask(asked, model)["container"]["id"] == "container_mine"
    silent = VENDOR.ask(body(VENDOR, VENDOR.user("Go.")), ScriptedModel(["Hello."]))
    assert "container" not in silent


@given(outcomes)
def test_the_model_gets_the_same_text_for_an_outcome_that_came_back(
    outcome: Completed | Failed,
) -> None:
    block = result_block(ProgramState(Program("python", "1", "p1")), outcome)
    assert outcome_for_model(read_result(Fields(block))) == outcome_for_model(
        after_text_round_trip(outcome)
    )
