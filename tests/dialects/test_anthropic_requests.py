"""How a Messages request is translated to Chat Completions."""

from typing import Any

import pytest

from coderelay.conversation import FieldError, PlainMessage, TooLarge, TurnRequest, Unsupported
from coderelay.dialects import anthropic
from coderelay.dialects.anthropic.history import MOST_BLOCKS
from coderelay.dialects.anthropic.request_state import state_of
from coderelay.dialects.kit.code_mode import Defaults
from coderelay.dialects.kit.history_limits import MOST_MESSAGES

Json = Any

SCHEMA: Json = {"type": "object", "properties": {"q": {"type": "string"}}}
TOOL: Json = {"name": "look_up", "description": "Look.", "input_schema": SCHEMA}
FUNCTION: Json = {
    "type": "function",
    "function": {"name": "look_up", "description": "Look.", "parameters": SCHEMA},
}
CODE: Json = {"type": "code_execution_20250825", "name": "code_execution"}
PNG: Json = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
PICTURE: Json = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def decoded(**more: Json) -> TurnRequest:
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], **more}
    return anthropic.decode(body, Defaults())


def plain_messages(*messages: Json, **more: Json) -> list[Json]:
    """The plain messages that a history becomes."""
    entries = decoded(messages=list(messages), **more).entries
    return [entry.message for entry in entries if isinstance(entry, PlainMessage)]


def user(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def text(said: str, **more: Json) -> Json:
    return {"type": "text", "text": said, **more}


CACHE: Json = {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("system", "content"),
    [
        ("Be kind.", "Be kind."),
        ([text("Be kind.", **CACHE), text("Or not.")], "Be kind.\n\nOr not."),
    ],
)
def test_the_system_prompt_comes_first(system: Json, content: str) -> None:
    found = plain_messages({"role": "user", "content": "Hi"}, system=system)
    assert found == [{"role": "system", "content": content}, {"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (text("Hi", **CACHE), text("Hi")),
        ({"type": "image", "source": PNG, **CACHE}, PICTURE),
        (
            {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}},
            {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}},
        ),
        (
            {
                "type": "document",
                "title": "Notes",
                "context": "Old.",
                "citations": {"enabled": True},
                "source": {"type": "text", "media_type": "text/plain", "data": "Buy milk."},
            },
            text("Notes\nOld.\nBuy milk."),
        ),
        (
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"},
            },
            {
                "type": "file",
                "file": {
                    "filename": "document.pdf",
                    "file_data": "data:application/pdf;base64,AAAA",
                },
            },
        ),
        (
            {"type": "document", "source": {"type": "content", "content": "Milk."}},
            text("Milk."),
        ),
        (
            {"type": "search_result", "title": "T", "source": "https://a.example", "content": []},
            text("T\nhttps://a.example"),
        ),
    ],
)
def test_a_content_block_becomes_a_message_part(block: Json, part: Json) -> None:
    picture = {"type": "image", "source": PNG}
    assert plain_messages(user(block, picture)) == [{"role": "user", "content": [part, PICTURE]}]


@pytest.mark.parametrize(
    ("block", "name"),
    [
        ({"type": "image", "source": {"type": "file", "file_id": "f"}}, "source.type"),
        ({"type": "document", "source": {"type": "url", "url": "x"}}, "source.type"),
        ({"type": "document", "source": {"type": "file", "file_id": "f"}}, "source.type"),
        ({"type": "container_upload", "file_id": "f"}, "type"),
        ({"type": "web_search_tool_result", "tool_use_id": "x", "content": []}, "type"),
        ({"type": "tool_use", "id": "a", "name": "b", "input": {}}, "type"),
    ],
)
def test_what_cannot_be_translated_is_named(block: Json, name: str) -> None:
    with pytest.raises(Unsupported) as refused:
        plain_messages(user(block))
    assert refused.value.param == f"messages[0].content[0].{name}"


def test_text_parts_become_one_string_which_all_upstreams_accept() -> None:
    assert plain_messages(user(text("a"), text("b"))) == [{"role": "user", "content": "a\n\nb"}]


def test_direct_calls_and_their_results_keep_the_order_that_upstreams_want() -> None:
    found = plain_messages(
        {"role": "user", "content": "Go."},
        assistant(
            {"type": "thinking", "thinking": "Hm.", "signature": "x"},
            {"type": "redacted_thinking", "data": "x"},
            text("Let me see."),
            {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {"q": "é"}},
            {"type": "tool_use", "id": "toolu_2", "name": "look_up", "input": {}, **CACHE},
        ),
        user(
            text("Quickly!"),
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": [text("b"), text("c")]},
            {
                "type": "tool_result",
                "tool_use_id": "toolu_1",
                "content": [{"type": "image", "source": PNG}],
                "is_error": False,
            },
        ),
        assistant(text("Done.")),
        tools=[{**TOOL, "allowed_callers": ["direct"]}],
    )
    calls = [
        {"id": id, "type": "function", "function": {"name": "look_up", "arguments": given}}
        for id, given in (("toolu_1", '{"q":"é"}'), ("toolu_2", "{}"))
    ]
    later = "[not text: shown to the model after this]"
    assert found == [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "Let me see.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "toolu_2", "content": "bc"},
        {"role": "tool", "tool_call_id": "toolu_1", "content": later},
        {"role": "user", "content": [PICTURE]},
        {"role": "user", "content": "Quickly!"},
        {"role": "assistant", "content": "Done."},
    ]


def test_messages_of_one_role_are_one_turn() -> None:
    use = {"type": "tool_use", "name": "look_up", "input": {}}
    found = plain_messages(
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
        assistant({**use, "id": "toolu_1"}),
        assistant({**use, "id": "toolu_2"}),
        user({"type": "tool_result", "tool_use_id": "toolu_1", "content": "1"}, text("c")),
        user({"type": "tool_result", "tool_use_id": "toolu_2", "content": "2"}),
        tools=[{**TOOL, "allowed_callers": ["direct"]}],
    )
    roles = [each["role"] for each in found]
    assert roles == ["user", "user", "assistant", "tool", "tool", "user"]
    assert [call["id"] for call in found[2]["tool_calls"]] == ["toolu_1", "toolu_2"]


def test_instructions_among_the_messages_hold_as_long_as_they_say() -> None:
    found = plain_messages(
        {"role": "user", "content": "a"},
        {"role": "system", "content": "Now.", "clear_at": "next_user_message"},
        {"role": "system", "content": [text("Always.")]},
        {"role": "user", "content": "b"},
        {"role": "system", "content": "Again.", "clear_at": "next_user_message"},
    )
    assert [each["content"] for each in found] == ["a", "Always.", "b", "Again."]
    with pytest.raises(Unsupported, match="tool_addition"):
        plain_messages({"role": "system", "content": [{"type": "tool_addition", "tool": {}}]})
    with pytest.raises(Unsupported, match="output_config"):
        plain_messages({"role": "system", "content": "x", "output_config": {"effort": "low"}})


def test_fields_become_those_of_chat_completions() -> None:
    request = decoded(
        max_tokens=100,
        temperature=0.5,
        top_p=0.9,
        top_k=40,
        stop_sequences=["END"],
        metadata={"user_id": "u1"},
        output_config={"effort": "high"},
        seed=7,
        temperature_of_the_room=None,
        service_tier="auto",
        inference_geo="us",
        speed="fast",
        cache_control={"type": "ephemeral"},
        context_management={"edits": [{"type": "clear_tool_uses_20250919"}]},
        thinking={"type": "adaptive"},
        mcp_servers=[],
        container=None,
        thread=None,
        betas=["x"],
    )
    assert request.options == {
        "max_tokens": 100,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 40,
        "stop": ["END"],
        "user": "u1",
        "reasoning_effort": "high",
        "seed": 7,
    }


@pytest.mark.parametrize(
    ("field", "value", "param"),
    [
        ("mcp_servers", [{"type": "url", "url": "x", "name": "y"}], "mcp_servers"),
        ("compaction", {"type": "auto"}, "compaction"),
        ("n", 2, "n"),
        ("max_tokens", 0, "max_tokens"),
        ("response_format", {"type": "json_object"}, "response_format"),
        (
            "context_management",
            {"edits": [{"type": "compact_1"}]},
            "context_management.edits[0].type",
        ),
        ("container", {"id": "c", "skills": [{}]}, "container.skills"),
        ("output_config", {"format": {"type": "grammar"}}, "output_config.format.type"),
        ("tool_choice", {"type": "tool", "name": "other"}, "tool_choice"),
        ("tool_choice", {"type": "all"}, "tool_choice.type"),
        ("tools", [{"type": "web_search_20250305", "name": "web_search"}], "tools[0].type"),
        ("tools", [TOOL, {"type": "bash_20250124", "name": "bash"}], "tools[1].type"),
        ("tools", [{"type": "text_editor_20250728", "name": "x"}], "tools[0].type"),
        ("tools", [{"type": "computer_20251124", "name": "computer"}], "tools[0].type"),
        ("messages", [{"role": "tool", "content": "x"}], "messages[0].role"),
    ],
)
def test_what_cannot_be_served_is_named(field: str, value: Json, param: str) -> None:
    with pytest.raises(Unsupported) as refused:
        decoded(**{field: value})
    assert refused.value.param == param


@pytest.mark.parametrize(
    ("field", "value", "param"),
    [
        ("max_tokens", None, "max_tokens"),
        ("max_tokens", "9", "max_tokens"),
        ("messages", "Hi", "messages"),
        ("messages", [{"role": "user", "content": 1}], "messages[0].content"),
        ("messages", [{"role": "user"}], "messages[0].content"),
        ("system", 1, "system"),
        ("stop_sequences", [1], "stop_sequences"),
        ("tool_choice", "auto", "tool_choice"),
        ("tools", [{"name": ""}], "tools[0].name"),
        ("tools", [{**TOOL, "input_schema": []}], "tools[0].input_schema"),
        ("tools", [{**TOOL, "allowed_callers": ["code_execution_1"]}], "tools[0].allowed_callers"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(field: str, value: Json, param: str) -> None:
    with pytest.raises(FieldError) as refused:
        decoded(**{field: value})
    assert refused.value.param == param


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": "x"}] * (MOST_MESSAGES + 1)},
        {"messages": [user(*[text("x")] * (MOST_BLOCKS + 1))]},
    ],
    ids=["messages", "blocks"],
)
def test_a_history_that_is_too_long_is_refused(body: Json) -> None:
    with pytest.raises(TooLarge, match=r"limit is [13]0,000"):
        decoded(**body)


@pytest.mark.parametrize(
    ("choice", "wanted", "parallel"),
    [
        ({"type": "auto"}, "auto", True),
        ({"type": "any", "disable_parallel_tool_use": True}, "required", False),
        ({"type": "none"}, "none", True),
    ],
)
def test_a_choice_is_translated(choice: Json, wanted: str, parallel: bool) -> None:
    request = decoded(tools=[TOOL], tool_choice=choice)
    assert (request.tool_choice, request.parallel) == (wanted, parallel)


def test_a_tool_that_is_chosen_by_name_is_direct() -> None:
    request = decoded(tools=[TOOL], tool_choice={"type": "tool", "name": "look_up"})
    assert request.tool_choice == {"type": "function", "function": {"name": "look_up"}}
    assert request.direct == (FUNCTION,)


@pytest.mark.parametrize("key", ["output_config", "output_format"])
def test_a_format_is_translated(key: str) -> None:
    said = {"type": "json_schema", "schema": SCHEMA}
    request = decoded(**{key: {"format": said} if key == "output_config" else said})
    wanted = {"name": "output", "schema": SCHEMA}
    assert request.response_format == {"type": "json_schema", "json_schema": wanted}


@pytest.mark.parametrize(
    ("code", "callers", "programmatic", "direct"),
    [
        (False, None, True, False),
        (False, ["programmatic"], True, False),
        (False, ["direct"], False, True),
        (False, ["code_execution_20250825"], True, False),
        (True, None, False, True),
        (True, ["direct"], False, True),
        (True, ["code_execution_20260521"], True, False),
        (True, ["direct", "code_execution_20250825"], True, True),
    ],
)
def test_allowed_callers_decide_who_may_call_a_tool(
    code: bool, callers: Json, programmatic: bool, direct: bool
) -> None:
    tool = {**TOOL, "type": "custom", "output_schema": SCHEMA, "input_examples": [{"q": "x"}]}
    tool = {**tool, "defer_loading": True, "strict": False, **CACHE}
    if callers is not None:
        tool["allowed_callers"] = callers
    request = decoded(tools=[tool, CODE] if code else [tool])
    assert [each.name for each in request.tools] == ["look_up"] * programmatic
    assert list(request.direct) == [FUNCTION] * direct
    assert (request.protocol, request.offer_code_without_tools) == (
        ("messages", True) if code else ("ids", False)
    )
    assert request.language == ("python" if code else "typescript")
    if programmatic:
        assert request.tools[0].returns == SCHEMA


@pytest.mark.parametrize(
    ("version", "caller"),
    [
        ("code_execution_20250522", "code_execution_20250825"),
        ("code_execution_20250825", "code_execution_20250825"),
        ("code_execution_20260120", "code_execution_20260120"),
        ("code_execution_20260521", "code_execution_20260120"),
    ],
)
def test_the_caller_is_of_a_type_that_the_api_has(version: str, caller: str) -> None:
    request = decoded(tools=[{"type": version, "name": "code_execution"}])
    assert state_of(request).caller == caller


def test_code_execution_is_python_and_may_be_chosen() -> None:
    request = decoded(tools=[CODE], tool_choice={"type": "tool", "name": "code_execution"})
    assert request.tool_choice == "required"
    with pytest.raises(Unsupported, match="python"):
        decoded(tools=[CODE], code_mode={"language": "typescript"})


def test_a_strict_tool_stays_strict() -> None:
    tool = {**TOOL, "strict": True, "allowed_callers": ["direct"]}
    assert decoded(tools=[tool]).direct[0]["function"]["strict"] is True
