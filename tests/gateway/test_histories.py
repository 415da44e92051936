"""Histories of every kind are continued, or refused by the id that is wrong."""

import json
from dataclasses import replace
from typing import Any

import pytest

from coderelay.conversation import DamagedState, FieldError, HistoryError, TooLarge, call_ids
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Diverged, Limits, RequestError
from coderelay.models import ScriptedModel
from tests.gateway.driving import SEARCH, USER, ask, code, converse, request, script

SOURCE = """async function main() {
    const [sportNews, internationalAffairesNews] = await Promise.all([
        webSearch({ query: "sport news" }),
        webSearch({ query: "international affaires news" }),
    ]);

    return {
        sportNews,
        internationalAffairesNews,
    };
}"""


def foreign_call(id: str, query: str, **function: Any) -> dict[str, Any]:
    arguments = json.dumps({"query": query}, separators=(",", ":"))
    named = {"name": "web_search", "arguments": arguments, **function}
    return {"type": "function", "function": named, "id": id}


LITERAL: list[dict[str, Any]] = [
    {"role": "user", "content": "…"},
    {"role": "code", "code": SOURCE, "id": "JZsSpZjh0"},
    {
        "role": "assistant",
        "content": "",
        "toolCalls": [
            foreign_call("cff9ca16", "sport news"),
            foreign_call("75614ff9", "international affaires news"),
        ],
    },
    {"role": "tool", "content": "[…]", "toolCallId": "cff9ca16"},
    {"role": "tool", "content": "[…]", "toolCallId": "75614ff9"},
]
TWICE = "const a = await webSearch({ query: 'a' });\nconst b = await webSearch({ query: 'b' });\n"
BOTH = TWICE + "return [a, b];"
AT_ONCE = "return await Promise.all(['a', 'b'].map((query) => webSearch({ query })));"
TOOLS = {"web_search": lambda query: query}


def opened(source: str = AT_ONCE, **fields: Any) -> list[Any]:
    """A history with the first calls of a program in the `ids` protocol."""
    body = request(**fields)
    return [*body["messages"], ask(body, script(code(source)))["choices"][0]["message"]]


def answer(call: Any, content: Any = '"x"', **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call["id"], "content": content, **more}


def answered(messages: list[Any]) -> list[Any]:
    return [*messages, *(answer(call) for call in messages[-1]["tool_calls"])]


def messages_for_model(model: ScriptedModel) -> Any:
    return model.seen[-1]["messages"]


def test_the_history_of_the_proof_of_concept_is_continued() -> None:
    model = script("unused", "Here is the news.")
    response = ask(request(messages=LITERAL), model)
    new = response["choices"][0]["messages"]
    assert [message["role"] for message in new] == ["code_result", "assistant"]
    data = {"sportNews": "[…]", "internationalAffairesNews": "[…]"}
    assert new[0]["id"] == "JZsSpZjh0"
    assert new[0]["result"] == {"status": "success", "data": data}
    follow = [*LITERAL, *new, {"role": "user", "content": "And the weather?"}]
    model = script("unused", "unused", "Sunny.")
    response = ask(request(messages=follow), model)
    assert response["choices"][0]["message"]["content"] == "Sunny."
    roles = [message["role"] for message in messages_for_model(model)]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]


def test_foreign_results_may_come_in_any_order_and_arguments_as_objects() -> None:
    calls = [
        foreign_call("b1", "sport news", arguments={"query": "sport news"}),
        foreign_call("a1", "international affaires news"),
    ]
    parts = [{"type": "text", "text": '["s'}, {"type": "text", "text": '"]'}]
    answers = [
        {"role": "tool", "content": '["i"]', "tool_call_id": "a1"},
        {"role": "tool", "content": parts, "tool_call_id": "b1"},
    ]
    history = [*LITERAL[:2], {"role": "assistant", "content": None, "tool_calls": calls}, *answers]
    new = ask(request(messages=history), script("", "News."))["choices"][0]["messages"]
    assert new[0]["result"]["data"] == {"sportNews": ["s"], "internationalAffairesNews": ["i"]}


def test_a_direct_call_that_reuses_the_id_of_a_programs_call_keeps_its_answer() -> None:
    again = {"role": "assistant", "content": None, "tool_calls": [foreign_call("cff9ca16", "x")]}
    direct = {"role": "tool", "tool_call_id": "cff9ca16", "content": "DIRECT"}
    end = {"role": "code_result", "id": "JZsSpZjh0", "result": {"status": "success", "data": 7}}
    tools = [{**SEARCH, "allowed_callers": ["direct", "programmatic"]}]
    messages = [*LITERAL, end, again, direct]
    ask(request(messages=messages, tools=tools), model := script("", "", "Done."))
    assert messages_for_model(model)[-2]["tool_calls"] == again["tool_calls"]
    assert messages_for_model(model)[-1] == direct


def test_a_programs_call_that_reuses_the_id_of_a_direct_call_gets_its_answer() -> None:
    early = {"role": "assistant", "content": None, "tool_calls": [foreign_call("cff9ca16", "x")]}
    direct = {"role": "tool", "tool_call_id": "cff9ca16", "content": "DIRECT"}
    tools = [{**SEARCH, "allowed_callers": ["direct", "programmatic"]}]
    messages = [LITERAL[0], early, direct, *LITERAL[1:]]
    parts = [{"type": "image_url", "image_url": {"url": "x"}}]
    response = ask(request(messages=messages, tools=tools), script("", "", "Done."))
    assert response["choices"][0]["messages"][0]["result"]["data"]["sportNews"] == "[…]"
    messages[-2] = {**messages[-2], "content": parts}
    with pytest.raises(FieldError, match="can only be text"):
        ask(request(messages=messages, tools=tools), script())


def test_the_first_answer_to_no_call_is_named() -> None:
    strays = [f"cr1_x_{place}_0123456789abcdef" for place in range(2)]
    messages = [USER, *(answer({"id": id}) for id in strays)]
    with pytest.raises(HistoryError, match=strays[0]):
        ask(request(messages=messages), script())


def test_a_program_without_calls_yet_is_begun() -> None:
    response = ask(request(messages=LITERAL[:2]), script())
    message = response["choices"][0]["message"]
    assert len(message["tool_calls"]) == 2
    assert all(call["id"].startswith("cr1_JZsSpZjh0_") for call in message["tool_calls"])


def test_the_first_id_carries_the_program_and_the_earlier_ones_without_calls() -> None:
    model = script(code("return 1;"), code(BOTH), "Done.")
    messages = [USER, ask(request(), model)["choices"][0]["message"]]
    said = call_ids.decode(messages[1]["tool_calls"][0]["id"])
    assert isinstance(said, ProgramState)
    assert said.program.source == BOTH
    assert [program.source for program in said.earlier] == ["return 1;"]
    converse({**request(), "messages": answered(messages)}, model, TOOLS)
    roles = [message["role"] for message in messages_for_model(model)]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert messages_for_model(model)[3]["content"] == "Result:\n1"


def test_changed_arguments_do_not_matter_if_the_id_has_a_digest() -> None:
    messages = opened()
    for call in messages[-1]["tool_calls"]:
        call["function"]["arguments"] = "{}"
    ask(request(messages=answered(messages)), model := script("", "Done."))
    assert messages_for_model(model)[-1]["content"] == 'Result:\n["x","x"]'


def test_an_unanswered_call_is_named() -> None:
    messages = opened()
    first, second = messages[-1]["tool_calls"]
    with pytest.raises(HistoryError, match=second["id"]):
        ask(request(messages=[*messages, answer(first)]), script())


def test_a_call_answered_twice_is_named() -> None:
    messages = answered(opened())
    second = messages[1]["tool_calls"][1]
    with pytest.raises(HistoryError, match=f"{second['id']}.*twice"):
        ask(request(messages=[*messages, answer(second)]), script())


@pytest.mark.parametrize("id", ["call_zzz", "cr1_id9_7_0123456789abcdef"])
def test_an_unknown_id_is_named(id: str) -> None:
    with pytest.raises(HistoryError, match=id):
        ask(request(messages=[*answered(opened()), answer({"id": id})]), script())


def test_a_damaged_id_is_named_in_the_error() -> None:
    messages = answered(opened())
    id = messages[1]["tool_calls"][0]["id"]
    broken = id[:60] + ("A" if id[60] != "A" else "B") + id[61:]
    text = json.dumps(messages).replace(id, broken)
    with pytest.raises(DamagedState, match="checksum"):
        ask(request(messages=json.loads(text)), script())


def test_a_missing_call_is_an_error_only_in_an_open_block() -> None:
    messages = answered(opened(BOTH))
    messages += [ask(request(messages=messages), script())["choices"][0]["message"]]
    messages = answered(messages)
    trimmed = [USER, *messages[3:]]
    with pytest.raises(HistoryError, match="missing from the history"):
        ask(request(messages=trimmed), script())
    trimmed += [{"role": "assistant", "content": "Done."}, USER]
    ask(request(messages=trimmed), model := script("", "", "Again."))
    call = messages_for_model(model)[2]["tool_calls"][0]
    assert call["function"] == {"name": "web_search", "arguments": '{"query":"b"}'}
    assert len(call["id"]) == 9
    assert messages_for_model(model)[3] == {
        "role": "tool",
        "tool_call_id": call["id"],
        "content": "x",
    }


def test_another_program_under_the_same_calls_diverges() -> None:
    messages = [*LITERAL[:1], {**LITERAL[1], "code": SOURCE.replace("sport", "other")}]
    with pytest.raises(Diverged, match="call 0"):
        ask(request(messages=[*messages, *LITERAL[2:]]), script())


def test_a_tool_that_is_gone_breaks_only_an_open_block() -> None:
    other = {"type": "function", "function": {"name": "other"}}
    messages = answered(opened())
    with pytest.raises(Diverged):
        ask(request(messages=messages, tools=[other]), script())
    messages += [{"role": "assistant", "content": "Done."}, USER]
    ask(request(messages=messages, tools=[other]), model := script("", "", "Again."))
    names = [call["function"]["name"] for call in messages_for_model(model)[2]["tool_calls"]]
    assert names == ["web_search", "web_search"]


def test_another_fingerprint_does_not_refuse() -> None:
    messages = answered(opened())
    id = messages[1]["tool_calls"][0]["id"]
    said = call_ids.decode(id)
    assert isinstance(said, ProgramState)
    other = call_ids.first_id(replace(said, fingerprint="older"))
    text = json.dumps(messages).replace(id, other)
    ask(request(messages=json.loads(text)), model := script("", "Done."))
    assert messages_for_model(model)[-1]["content"] == 'Result:\n["x","x"]'


@pytest.mark.parametrize("some", [True, False])
def test_the_model_gets_the_results_so_far_of_an_interrupted_program(some: bool) -> None:
    messages = opened()
    first, _ = messages[-1]["tool_calls"]
    messages += [answer(first)] if some else []
    messages += [{"role": "user", "content": "Stop."}]
    ask(request(messages=messages), model := script("", "Stopped."))
    assert [message["role"] for message in messages_for_model(model)][2:] == [
        "assistant",
        "tool",
        "user",
    ]
    content = messages_for_model(model)[3]["content"]
    assert "interrupted" in content
    assert ('web_search({"query":"a"}): x' in content) is some
    assert 'web_search({"query":"b"}): no result' in content


def test_a_program_with_all_answers_can_still_be_interrupted() -> None:
    messages = [*answered(opened(BOTH)), {"role": "user", "content": "Stop."}]
    ask(request(messages=messages), model := script("", "Stopped."))
    assert "interrupted" in messages_for_model(model)[3]["content"]


def test_text_between_calls_and_results_comes_after_the_program() -> None:
    messages = opened()
    first, second = messages[-1]["tool_calls"]
    hint = {"role": "user", "content": "By the way."}
    messages += [answer(first), hint, answer(second)]
    ask(request(messages=messages), model := script("", "Done."))
    assert messages_for_model(model)[3]["content"] == 'Result:\n["x","x"]'
    assert messages_for_model(model)[4] == hint


def test_a_replay_budget_that_is_spent_shows_plain_calls() -> None:
    messages = [*answered(opened()), {"role": "assistant", "content": "Done."}, USER]
    ask(request(messages=messages), model := script("", "", "Again."), replay_fuel=1000)
    assert len(messages_for_model(model)[2]["tool_calls"]) == 2


def test_a_code_result_in_the_history_is_used_as_it_stands() -> None:
    result = {"role": "code_result", "id": "JZsSpZjh0", "result": {"status": "success", "data": 7}}
    ask(request(messages=[*LITERAL, result]), model := script("", "Seven."))
    assert messages_for_model(model)[3]["content"] == "Result:\n7"
    error = {"status": "error", "error": {"kind": "exception", "message": "no", "line": 3}}
    ask(request(messages=[*LITERAL, {**result, "result": error}]), model := script("", "No."))
    assert "no (line 3)" in messages_for_model(model)[3]["content"]


@pytest.mark.parametrize(
    ("content", "returns", "value"),
    [
        ('{"a": 1}', None, {"a": 1}),
        ("plain text", None, "plain text"),
        ("NaN", None, "NaN"),
        ("", None, ""),
        (None, None, None),
        ("12", None, 12),
        ("12", {"type": "string"}, "12"),
        ([{"type": "text", "text": "[1,"}, {"type": "text", "text": "2]"}], None, [1, 2]),
    ],
)
def test_a_tools_content_becomes_a_value(content: Any, returns: Any, value: Any) -> None:
    tools = [{**SEARCH, **({"output_schema": returns} if returns else {})}]
    messages = opened("return { got: await webSearch({ query: 'a' }) };", tools=tools)
    messages += [answer(messages[-1]["tool_calls"][0], content)]
    body = request(messages=messages, tools=tools, code_mode={"protocol": "messages"})
    result = ask(body, script("", "Ok."))["choices"][0]["messages"][0]["result"]
    assert result["data"] == {"got": value}


def test_an_error_raises_in_the_program() -> None:
    source = "try { await webSearch({ query: 'a' }); } catch (e) { return e.message; }"
    messages = opened(source)
    messages += [answer(messages[-1]["tool_calls"][0], "no luck", is_error=True)]
    ask(request(messages=messages), model := script("", "Ok."))
    assert messages_for_model(model)[-1]["content"] == "Result:\nno luck"


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(result=100), "200"),
        (Limits(calls=1), "the program of the call 'cr1_.*calls"),
        (Limits(source=20), "the program 'id"),
    ],
)
def test_what_is_over_its_limit_is_refused(limits: Limits, message: str) -> None:
    messages = opened()
    messages += [answer(call, "x" * 200) for call in messages[-1]["tool_calls"]]
    with pytest.raises(TooLarge, match=message):
        ask(request(messages=messages), script(), limits=limits)


def test_a_conversation_that_goes_on_without_tools_hides_the_code() -> None:
    messages = [*answered(opened()), {"role": "assistant", "content": "Done."}, USER]
    body = {"model": "m", "messages": messages}
    ask(body, model := script("", "", "Again."))
    assert "cr1_" not in json.dumps(model.seen)


def test_no_id_of_ours_ever_goes_upstream() -> None:
    model = script(code(BOTH), "One.", code(AT_ONCE), "Two.")
    messages = converse(request(), model, TOOLS)
    converse(request(messages=[*messages, USER]), model, TOOLS)
    assert "cr1_" not in json.dumps(model.seen)


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(RequestError, match="cobol"):
        ask(request(code_mode={"language": "cobol"}), script("Hi."))
