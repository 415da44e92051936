"""Bad input of every kind gets its status, and a message that names what is wrong."""

from typing import Any

import pytest

from coderelay.conversation import (
    ProgramsSpent,
    TooLarge,
    Unsupported,
    UpstreamError,
    UpstreamTimeout,
)
from coderelay.core import Diverged, EngineError, InvalidTool, RequestError, TimedOut
from coderelay.dialects import chat

USER = {"role": "user", "content": "Hi."}
TOOL = {"type": "function", "function": {"name": "f"}}
DIRECT = {**TOOL, "allowed_callers": ["direct"]}
CODE = {"role": "code", "id": "p", "code": "1"}


def body(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [USER], "tools": [TOOL], **fields}


def messages(*more: Any) -> dict[str, Any]:
    return body(messages=[USER, *more])


def calling(**call: Any) -> Any:
    whole = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}, **call}
    return {"role": "assistant", "tool_calls": [whole]}


def result(**fields: Any) -> dict[str, Any]:
    return messages(CODE, {"role": "code_result", "id": "p", **fields})


def allowing(**fields: Any) -> Any:
    tools = [{"type": "function", "function": {"name": "f"}}]
    return {"type": "allowed_tools", "allowed_tools": {"tools": tools, **fields}}


def schema(given: Any) -> Any:
    return {"type": "json_schema", "json_schema": given}


BAD: list[tuple[Any, int, str]] = [
    ([], 422, "body"),
    ({"messages": []}, 422, "model"),
    (body(model=7), 422, "model"),
    (body(messages="x"), 422, "messages"),
    (body(messages=None), 422, "messages"),
    (messages("x"), 422, "messages[1]"),
    (messages({"content": "x"}), 422, "messages[1].role"),
    (messages({"role": 3}), 422, "messages[1].role"),
    (messages({"role": "assistant", "tool_calls": "x"}), 422, "messages[1].tool_calls"),
    (messages({"role": "assistant", "toolCalls": [1]}), 422, "messages[1].toolCalls[0]"),
    (messages(calling(id=5)), 422, "messages[1].tool_calls[0].id"),
    (messages(calling(function=5)), 422, "messages[1].tool_calls[0].function"),
    (messages(calling(function={})), 422, "messages[1].tool_calls[0].function.name"),
    (
        messages(calling(function={"name": "f", "arguments": 5})),
        422,
        "messages[1].tool_calls[0].function.arguments",
    ),
    (messages({"role": "tool", "content": "x"}), 422, "messages[1].tool_call_id"),
    (messages({"role": "tool", "tool_call_id": "a"}), 422, "messages[1].content"),
    (messages({"role": "tool", "tool_call_id": "a", "content": 5}), 422, "messages[1].content"),
    (
        messages({"role": "tool", "tool_call_id": "a", "content": "x", "is_error": "yes"}),
        422,
        "messages[1].is_error",
    ),
    (
        messages(
            CODE, calling(), {"role": "tool", "tool_call_id": "a", "content": [{"type": "x"}]}
        ),
        422,
        "messages[3].content[0].type",
    ),
    (messages({"role": "code", "id": "p"}), 422, "messages[1].code"),
    (messages({"role": "code", "code": "1"}), 422, "messages[1].id"),
    (messages({**CODE, "language": 1}), 422, "messages[1].language"),
    (messages({**CODE, "created": "now"}), 422, "messages[1].created"),
    (messages({**CODE, "created": True}), 422, "messages[1].created"),
    (messages({**CODE, "created": -1}), 400, "messages[1].created"),
    (messages({**CODE, "created": 1e300}), 400, "messages[1].created"),
    (messages({**CODE, "id": ""}), 400, "messages[1].id"),
    (messages({**CODE, "language": "ruby"}), 400, "messages[1].language"),
    (result(), 422, "messages[2].result"),
    (result(result={"status": 1}), 422, "messages[2].result.status"),
    (result(result={"status": "odd"}), 422, "messages[2].result.status"),
    (result(result={"status": "error"}), 422, "messages[2].result.error"),
    (result(result={"status": "success"}, logs=[1]), 422, "messages[2].logs[0]"),
    (result(id="other", result={"status": "success"}), 400, "messages[2]"),
    (body(tools={}), 422, "tools"),
    (body(tools=[1]), 422, "tools[0]"),
    (body(tools=[{"type": "function", "function": 1}]), 422, "tools[0].function"),
    (body(tools=[{**TOOL, "allowed_callers": "direct"}]), 422, "tools[0].allowed_callers"),
    (body(tools=[{**TOOL, "allowed_callers": ["me"]}]), 422, "tools[0].allowed_callers"),
    (body(tools=[{"type": "function", "function": {}}]), 422, "tools[0].function.name"),
    (body(tools=[{"type": "function"}]), 422, "tools[0].function.name"),
    (body(tools=[TOOL, {"type": "function", "name": 5}]), 422, "tools[1].name"),
    (body(tools=[{"type": "function", "function": {"name": ""}}]), 422, "tools[0].function.name"),
    (
        body(tools=[{"type": "function", "allowed_callers": ["direct"], "function": {}}]),
        422,
        "tools[0].function.name",
    ),
    (body(tools=[DIRECT, TOOL, {"name": "g", "parameters": 5}]), 400, "tools[2]"),
    (body(tool_choice=5), 422, "tool_choice"),
    (body(tool_choice="some"), 400, "tool_choice"),
    (body(tool_choice={"type": "function", "function": {"name": "g"}}), 400, "tool_choice"),
    (body(tool_choice={"type": "function"}), 422, "tool_choice.function"),
    (body(tool_choice={"type": "odd"}), 400, "tool_choice.type"),
    (body(tool_choice=allowing(mode="odd")), 400, "tool_choice.allowed_tools.mode"),
    (body(n=2), 400, "n"),
    (body(n="2"), 422, "n"),
    (body(stream="yes"), 422, "stream"),
    (body(stream_options=1), 422, "stream_options"),
    (body(stream_options={"include_usage": 1}), 422, "stream_options.include_usage"),
    (body(parallel_tool_calls=0), 422, "parallel_tool_calls"),
    (body(response_format="json"), 422, "response_format"),
    (body(response_format=schema(5)), 422, "response_format.json_schema"),
    (body(response_format=schema(None)), 422, "response_format.json_schema"),
    (
        body(response_format={"type": "json_object", "json_schema": 5}),
        422,
        "response_format.json_schema",
    ),
    (body(code_mode=True), 422, "code_mode"),
    (body(code_mode={"language": 1}), 422, "code_mode.language"),
    (body(code_mode={"language": "ruby"}), 400, "code_mode.language"),
    (body(code_mode={"protocol": 1}), 422, "code_mode.protocol"),
    (body(code_mode={"protocol": "x"}), 400, "code_mode.protocol"),
    (body(code_mode={"max_programs": "8"}), 422, "code_mode.max_programs"),
    (body(code_mode={"max_programs": 0}), 400, "code_mode.max_programs"),
    (body(code_mode={"max_programs": 101}), 400, "code_mode.max_programs"),
    (body(code_mode={"receipt": 1}), 422, "code_mode.receipt"),
]


@pytest.mark.parametrize(("given", "status", "param"), BAD, ids=lambda each: str(each)[:60])
def test_bad_input_is_refused_by_its_name(given: Any, status: int, param: str) -> None:
    with pytest.raises(Exception, match=r".") as caught:
        chat.decode(given, chat.Defaults())
    got, answer, headers = chat.error_body(caught.value)
    assert (got, answer["error"]["param"] or "") == (status, param)
    assert param in answer["error"]["message"]
    assert not headers


@pytest.mark.parametrize("given", [{"language": "ruby"}, {"language": "ruby", "created": 5}])
def test_a_finished_program_may_be_of_a_language_that_is_gone(given: Any) -> None:
    end = {"role": "code_result", "id": "p", "result": {"status": "success", "data": 1}}
    request = chat.decode(messages({**CODE, **given}, end), chat.Defaults())
    assert len(request.entries) == 2


def test_tools_that_are_nested_too_deeply_are_refused() -> None:
    deep: Any = []
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(Unsupported, match="nested too deeply") as caught:
        chat.decode(body(tools=deep), chat.Defaults())
    assert caught.value.param == "tools"


def test_an_unknown_language_gets_the_list_of_languages() -> None:
    with pytest.raises(RequestError, match=r"'ruby': choose one of typescript, python"):
        chat.decode(body(code_mode={"language": "ruby"}), chat.Defaults())


@pytest.mark.parametrize("spelling", ["parameters", "input_schema", "inputSchema"])
@pytest.mark.parametrize("callers", [["direct", "programmatic"], ["direct"]])
def test_a_flat_declaration_goes_upstream_with_its_name_inside(
    spelling: str, callers: list[str]
) -> None:
    shape = {"type": "object"}
    flat = {"type": "function", "name": "flat", "description": "d", spelling: shape, "x": 1}
    request = chat.decode(body(tools=[{**flat, "allowed_callers": callers}]), chat.Defaults())
    function = {"name": "flat", "description": "d", "parameters": shape}
    assert request.direct == ({"type": "function", "function": function, "x": 1},)
    assert [tool.name for tool in request.tools] == ["flat"] * ("programmatic" in callers)


def test_a_choice_of_a_declared_tool_that_is_not_a_function_goes_upstream() -> None:
    custom = {"type": "custom", "custom": {"name": "c"}}
    request = chat.decode(body(tools=[TOOL, custom], tool_choice=custom), chat.Defaults())
    assert request.tool_choice == custom


@pytest.mark.parametrize(
    ("error", "status", "type"),
    [
        (Diverged("d", index=0, recorded=None, came=None), 400, "divergence"),
        (InvalidTool("t"), 400, "invalid_request_error"),
        (TooLarge("l"), 413, "invalid_request_error"),
        (ProgramsSpent("p"), 400, "max_programs"),
        (UpstreamError("u", 401), 502, "upstream_error"),
        (UpstreamTimeout("u"), 504, "upstream_timeout"),
        (TimedOut("t"), 503, "server_error"),
        (EngineError("e"), 500, "server_error"),
    ],
)
def test_every_error_has_its_status(error: Exception, status: int, type: str) -> None:
    got, answer, headers = chat.error_body(error)
    assert (got, answer["error"]["type"]) == (status, type)
    assert answer["error"]["message"] == str(error)
    assert ("Retry-After" in headers) is (status == 503)


def test_an_unknown_error_is_reported_without_details() -> None:
    status, answer, _ = chat.error_body(KeyError("secret"))
    assert status == 500
    assert "secret" not in str(answer)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (body(tools=[]), True),
        ({"model": "m", "messages": [USER], "anything": 1}, True),
        (body(tools=[{"type": "custom", "custom": {"name": "c"}}]), True),
        (body(), False),
        (body(tools=[], code_mode={}), False),
        (body(tools=[], messages=[CODE]), False),
        (body(tools=[], messages=[calling()]), True),
        (body(tools=[], messages=[calling(id="cr1_x")]), False),
        (body(tools=[], messages=[{"role": "tool", "tool_call_id": "cr1_x"}]), False),
    ],
)
def test_a_request_without_programs_is_relayed_unchanged(given: Any, expected: bool) -> None:
    assert chat.needs_no_translation(given) is expected


def test_an_invalid_tool_is_named_by_its_field() -> None:
    status, told, _ = chat.error_body(InvalidTool("the tool 'f' has no schema"))
    assert (status, told["error"]["param"]) == (400, "tools")
