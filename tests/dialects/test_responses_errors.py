"""Fields that cannot be read or served are refused by name."""

from typing import Any

import pytest

from coderelay.conversation import TooLarge
from coderelay.dialects import responses
from coderelay.dialects.kit.history_limits import MOST_MESSAGES

Json = Any
TOOL: Json = {"type": "function", "name": "f"}
PROGRAM: Json = {"type": "program", "id": "p", "call_id": "prog_p", "code": "1", "fingerprint": "x"}
OUTPUT: Json = {"type": "program_output", "id": "o", "call_id": "prog_p", "result": "1"}


def body(**fields: Any) -> Json:
    return {"model": "m", "input": "Hi.", "tools": [TOOL], **fields}


def items(*given: Any) -> Json:
    return body(input=[{"role": "user", "content": "Hi."}, *given])


def parts(*given: Any) -> Json:
    return items({"role": "user", "content": list(given)})


def call(**fields: Any) -> Json:
    return {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}", **fields}


def answer(**fields: Any) -> Json:
    return items(call(), {"type": "function_call_output", "call_id": "a", "output": "1", **fields})


def tools(*given: Any) -> Json:
    return body(tools=list(given))


def form(**fields: Any) -> Json:
    return body(text={"format": {"type": "json_schema", "name": "n", "schema": {}, **fields}})


def choice(**fields: Any) -> Json:
    return body(tool_choice=fields)


IMAGE: Json = {"type": "input_image", "image_url": "x"}
BAD: list[tuple[Any, int, str]] = [
    ([], 422, "body"),
    ({"input": "x"}, 422, "model"),
    ({"model": "m"}, 422, "input"),
    (body(input=5), 422, "input"),
    (body(messages=[{"role": "user", "content": "x"}]), 400, "messages"),
    (body(n=2), 400, "n"),
    (body(response_format={"type": "json_object"}), 400, "response_format"),
    (items("x"), 422, "input[1]"),
    (items({}), 422, "input[1].role"),
    (items({"role": "tool", "content": "x"}), 400, "input[1].role"),
    (items({"role": 5, "content": "x"}), 422, "input[1].role"),
    (items({"role": "user"}), 422, "input[1].content"),
    (items({"role": "user", "content": None}), 422, "input[1].content"),
    (items({"role": "user", "content": 5}), 422, "input[1].content"),
    (items({"type": 5}), 422, "input[1].type"),
    (items({"type": "web_search_call", "id": "x"}), 400, "input[1].type"),
    (items({"type": "custom_tool_call", "call_id": "x"}), 400, "input[1].type"),
    (items({"type": "compaction", "encrypted_content": "x"}), 400, "input[1].type"),
    (items({"type": "item_reference", "id": "x"}), 400, "input[1].id"),
    (items({"id": "x"}), 400, "input[1].id"),
    (parts("x"), 422, "input[1].content[0]"),
    (parts({"type": "input_text"}), 422, "input[1].content[0].text"),
    (parts({"type": "input_text", "text": 5}), 422, "input[1].content[0].text"),
    (parts({"type": "input_video"}), 400, "input[1].content[0].type"),
    (parts({"type": "input_image"}), 422, "input[1].content[0].image_url"),
    (parts({"type": "input_image", "file_id": "f"}), 400, "input[1].content[0].file_id"),
    (parts({**IMAGE, "detail": 5}), 422, "input[1].content[0].detail"),
    (parts({"type": "input_file", "file_id": "f"}), 400, "input[1].content[0].file_id"),
    (parts({"type": "input_file", "file_url": "u"}), 400, "input[1].content[0].file_url"),
    (parts({"type": "input_file"}), 422, "input[1].content[0].file_data"),
    (items({"role": "assistant", "content": [IMAGE]}), 400, "input[1].content[0].type"),
    (items(call(call_id=None)), 422, "input[1].call_id"),
    (items(call(name=5)), 422, "input[1].name"),
    (items(call(arguments=5)), 422, "input[1].arguments"),
    (answer(call_id=None), 422, "input[2].call_id"),
    (answer(output=None), 422, "input[2].output"),
    (answer(output=[IMAGE]), 400, "input[2].output[0].type"),
    (answer(is_error="yes"), 422, "input[2].is_error"),
    (answer(status=5), 422, "input[2].status"),
    (items({**PROGRAM, "code": 5}), 422, "input[1].code"),
    (items({**PROGRAM, "call_id": ""}), 422, "input[1].call_id"),
    (items({**PROGRAM, "fingerprint": None}), 422, "input[1].fingerprint"),
    (items(PROGRAM), 400, "input[1].fingerprint"),
    (items(PROGRAM, {**OUTPUT, "result": 5}), 422, "input[2].result"),
    (items(PROGRAM, {**OUTPUT, "status": "odd"}), 422, "input[2].status"),
    (items(PROGRAM, {**OUTPUT, "call_id": "prog_q"}), 400, "input[2]"),
    (body(instructions=5), 422, "instructions"),
    (body(previous_response_id="r"), 400, "previous_response_id"),
    (body(conversation={"id": "c"}), 400, "conversation"),
    (body(prompt={"id": "p"}), 400, "prompt"),
    (body(background=True), 400, "background"),
    (body(top_logprobs=3), 400, "top_logprobs"),
    (body(include=["message.output_text.logprobs"]), 400, "include"),
    (body(include="x"), 422, "include"),
    (body(context_management=[{"type": "compaction"}]), 400, "context_management"),
    (body(max_output_tokens="9"), 422, "max_output_tokens"),
    (body(temperature="hot"), 422, "temperature"),
    (body(metadata=5), 422, "metadata"),
    (body(reasoning="low"), 422, "reasoning"),
    (body(reasoning={"effort": 5}), 422, "reasoning.effort"),
    (body(text=5), 422, "text"),
    (body(text={"verbosity": 5}), 422, "text.verbosity"),
    (body(text={"format": {"type": "xml"}}), 400, "text.format.type"),
    (form(name=None), 422, "text.format.name"),
    (form(schema=5), 422, "text.format.schema"),
    (body(stream="yes"), 422, "stream"),
    (body(parallel_tool_calls=0), 422, "parallel_tool_calls"),
    (body(tools={}), 422, "tools"),
    (tools(1), 422, "tools[0]"),
    (tools({"name": "f"}), 422, "tools[0].type"),
    (tools({"type": "function"}), 422, "tools[0].name"),
    (tools({"type": "function", "name": ""}), 422, "tools[0].name"),
    (tools({**TOOL, "parameters": 5}), 422, "tools[0].parameters"),
    (tools({**TOOL, "strict": "yes"}), 422, "tools[0].strict"),
    (tools({**TOOL, "allowed_callers": ["me"]}), 422, "tools[0].allowed_callers"),
    (tools(TOOL, {"type": "web_search"}), 400, "tools[1].type"),
    (tools({"type": "mcp", "server_label": "x"}), 400, "tools[0].type"),
    (tools({"type": "custom", "name": "c"}), 400, "tools[0].type"),
    (body(tool_choice=5), 422, "tool_choice"),
    (body(tool_choice="some"), 400, "tool_choice"),
    (choice(type="function", name="g"), 400, "tool_choice"),
    (choice(type="function"), 422, "tool_choice.name"),
    (choice(type="web_search"), 400, "tool_choice.type"),
    (choice(type="allowed_tools", mode="odd", tools=[]), 400, "tool_choice.mode"),
    (choice(type="allowed_tools", tools=[{"type": "mcp"}]), 422, "tool_choice.tools[0].name"),
    (
        {**choice(type="programmatic_tool_calling"), "tools": []},
        400,
        "tool_choice",
    ),
    (body(code_mode={"language": "ruby"}), 400, "code_mode.language"),
]


@pytest.mark.parametrize(("given", "status", "param"), BAD, ids=lambda each: str(each)[:60])
def test_bad_input_is_refused_by_its_name(given: Any, status: int, param: str) -> None:
    with pytest.raises(Exception, match=r".") as caught:
        responses.decode(given, responses.Defaults())
    got, told, _ = responses.error_body(caught.value)
    assert (got, told["error"]["param"] or "") == (status, param)
    assert param in told["error"]["message"]


def test_a_history_of_too_many_items_is_refused() -> None:
    many = [{"role": "user", "content": "x"}] * (MOST_MESSAGES + 1)
    with pytest.raises(TooLarge, match="10,000"):
        responses.decode(body(input=many), responses.Defaults())
