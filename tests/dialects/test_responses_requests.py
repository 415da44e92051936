"""How a Responses request is translated to Chat Completions."""

from typing import Any

import pytest

from coderelay.conversation import CodeBlock, PlainMessage, TurnRequest
from coderelay.dialects import responses

Json = Any
TOOL: Json = {"type": "function", "name": "f", "parameters": {"type": "object"}}
PIXEL = "data:image/png;base64,AA=="


def decode(**fields: Any) -> TurnRequest:
    return responses.decode({"model": "m", "input": "Hi.", **fields}, responses.Defaults())


def messages(*items: Any, **fields: Any) -> list[Json]:
    read = decode(input=list(items), **fields).entries
    return [entry.message for entry in read if isinstance(entry, PlainMessage)]


def call(id: str, **fields: Any) -> Json:
    return {"type": "function_call", "call_id": id, "name": "f", "arguments": "{}", **fields}


def output(id: str, given: Any = "1") -> Json:
    return {"type": "function_call_output", "call_id": id, "output": given}


def test_a_text_is_a_users_message() -> None:
    assert [entry.message for entry in decode().entries if isinstance(entry, PlainMessage)] == [
        {"role": "user", "content": "Hi."}
    ]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"role": "user", "content": "a"}, {"role": "user", "content": "a"}),
        ({"role": "developer", "content": "a"}, {"role": "system", "content": "a"}),
        (
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
            {"role": "user", "content": "a"},
        ),
        (
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "a"},
                    {"type": "input_image", "image_url": PIXEL, "detail": "low"},
                    {"type": "input_file", "file_data": "AA==", "filename": "x.pdf"},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image_url", "image_url": {"url": PIXEL, "detail": "low"}},
                    {"type": "file", "file": {"file_data": "AA==", "filename": "x.pdf"}},
                ],
            },
        ),
        (
            {
                "type": "message",
                "id": "msg_1",
                "status": "completed",
                "role": "assistant",
                "content": [
                    {"type": "output_text", "text": "a", "annotations": []},
                    {"type": "refusal", "refusal": "no"},
                ],
            },
            {"role": "assistant", "content": "ano"},
        ),
        ({"role": "user", "content": []}, {"role": "user", "content": ""}),
    ],
)
def test_a_message_is_translated(item: Json, message: Json) -> None:
    assert messages(item) == [message]


def test_instructions_come_first() -> None:
    assert messages({"role": "user", "content": "a"}, instructions="Be brief.")[0] == {
        "role": "system",
        "content": "Be brief.",
    }


def test_text_and_calls_of_the_model_are_one_message() -> None:
    said = {"role": "assistant", "content": "I call."}
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    parts = [{"type": "input_text", "text": "1"}, {"type": "input_text", "text": "2"}]
    read = messages(said, thought, call("a"), call("b"), output("b"), output("a", parts))
    assert [each["role"] for each in read] == ["assistant", "tool", "tool"]
    assert read[0]["content"] == "I call."
    assert [each["id"] for each in read[0]["tool_calls"]] == ["a", "b"]
    assert read[1] == {"role": "tool", "tool_call_id": "b", "content": "1"}
    assert read[2] == {"role": "tool", "tool_call_id": "a", "content": "12"}


def test_two_messages_of_the_assistant_stay_two() -> None:
    said = {"role": "assistant", "content": "One."}
    assert len(messages(said, said)) == 2


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({"max_output_tokens": 100}, {"max_tokens": 100}),
        ({"reasoning": {"effort": "low", "summary": "auto"}}, {"reasoning_effort": "low"}),
        ({"text": {"verbosity": "low"}}, {"verbosity": "low"}),
        ({"temperature": 0.5, "top_p": 1, "user": "u"},) * 2,
        ({"service_tier": "flex", "prompt_cache_key": "k", "safety_identifier": "s"},) * 2,
        ({"top_k": 5, "max_completion_tokens": 9}, {"top_k": 5, "max_completion_tokens": 9}),
        ({"store": False, "include": ["reasoning.encrypted_content"], "metadata": {"a": "b"}}, {}),
        ({"truncation": "auto", "max_tool_calls": 3, "stream_options": {}, "stream": True}, {}),
        ({"background": False, "previous_response_id": None, "top_logprobs": 0}, {}),
        ({"temperature": None, "max_output_tokens": None, "reasoning": None, "text": None}, {}),
    ],
)  # fmt: skip
def test_options_go_upstream_in_its_own_words(given: Json, options: Json) -> None:
    assert decode(**given).options == options


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"type": "text"}, None),
        ({"type": "json_object"}, {"type": "json_object"}),
        (
            {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": True},
            {
                "type": "json_schema",
                "json_schema": {"name": "n", "schema": {"type": "object"}, "strict": True},
            },
        ),
    ],
)
def test_a_format_is_translated(given: Json, wanted: Json) -> None:
    assert decode(text={"format": given}).response_format == wanted


def test_a_tool_is_for_programs_unless_it_says_otherwise() -> None:
    request = decode(tools=[TOOL])
    assert ([tool.name for tool in request.tools], request.direct) == (["f"], ())
    request = decode(tools=[{**TOOL, "allowed_callers": ["direct"], "strict": True}])
    function = {"name": "f", "parameters": {"type": "object"}, "strict": True}
    assert (request.tools, request.direct) == ((), ({"type": "function", "function": function},))


def test_declaring_the_vendors_tool_makes_its_default_apply() -> None:
    request = decode(tools=[TOOL, {"type": "programmatic_tool_calling"}])
    assert request.protocol == "messages"
    assert (request.tools, len(request.direct)) == ((), 1)


def test_parameters_may_be_null_and_the_answers_schema_is_kept() -> None:
    tool = {
        "type": "function",
        "name": "f",
        "parameters": None,
        "output_schema": {"type": "string"},
    }
    (read,) = decode(tools=[tool]).tools
    assert read.returns == {"type": "string"}


@pytest.mark.parametrize(
    ("choice", "chosen", "programs", "direct"),
    [
        ("auto", "auto", ["f", "g"], []),
        ({"type": "function", "name": "f"}, {"type": "function", "function": {"name": "f"}},
         ["f", "g"], ["f"]),
        ({"type": "allowed_tools", "mode": "required", "tools": [{**TOOL, "name": "g"}]},
         "required", ["g"], []),
    ],
)  # fmt: skip
def test_a_choice_is_translated(
    choice: Json, chosen: Json, programs: list[str], direct: list[str]
) -> None:
    request = decode(tools=[TOOL, {**TOOL, "name": "g"}], tool_choice=choice)
    assert request.tool_choice == chosen
    assert [tool.name for tool in request.tools] == programs
    assert [tool["function"]["name"] for tool in request.direct] == direct


@pytest.mark.parametrize("ran", [True, False])
def test_until_a_chosen_program_has_run_no_other_tool_is_offered(ran: bool) -> None:
    tools = [{**TOOL, "allowed_callers": ["direct", "programmatic"]}]
    vendor = {"type": "programmatic_tool_calling"}
    item = {"type": "program", "id": "prg_a", "call_id": "prog_a", "code": "1", "fingerprint": "x"}
    end = {"type": "program_output", "id": "o", "call_id": "prog_a", "result": "1"}
    items = [{"role": "user", "content": "Go."}, *([item, end] if ran else [])]
    request = decode(input=items, tools=[*tools, vendor], tool_choice=vendor)
    assert request.tool_choice == "required"
    assert len(request.direct) == ran
    assert any(isinstance(entry, CodeBlock) for entry in request.entries) is ran


@pytest.mark.parametrize("named", [True, False])
def test_programs_may_be_among_the_only_tools_that_are_allowed(named: bool) -> None:
    vendor = {"type": "programmatic_tool_calling"}
    allowed = {"type": "allowed_tools", "mode": "auto", "tools": [vendor] if named else []}
    request = decode(tools=[TOOL, vendor], tool_choice=allowed)
    assert request.offer_code_without_tools is named
    assert not request.tools
    assert not request.direct
