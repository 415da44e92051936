"""A tool that a client adds later changes nothing for programs that began without it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.gateway.driving import SEARCH, USER, Raises, ask, code, converse, request, script

Messages = list[dict[str, Any]]
MAIL = {"type": "function", "function": {"name": "send_mail", "description": "Send a mail."}}
TOOLS: dict[str, Callable[..., Any]] = {
    "web_search": lambda query: query,
    "send_mail": lambda **arguments: "sent",
}
AFTER_A_CALL = {
    "typescript": "await webSearch({ query: 'a' });\nreturn await sendMail({});",
    "python": "await web_search(query='a')\nawait send_mail()",
}
WITHOUT_A_CALL = {"typescript": "return await sendMail({});", "python": "await send_mail()"}
CAUGHT = {
    "typescript": """
        let mail = 'no mail';
        try { mail = await sendMail({}); } catch {}
        return [mail, await webSearch({ query: 'a' }), await webSearch({ query: 'b' })];
    """,
    "python": """
try:
    mail = await send_mail()
except NameError:
    mail = "no mail"
[mail, await web_search(query="a"), await web_search(query="b")]
""",
}
ERRORS = {"typescript": "sendMail is not defined", "python": "name 'send_mail' is not defined"}
languages = pytest.mark.parametrize("language", ["typescript", "python"])


def code_results(messages: Messages) -> list[str]:
    """What the model is shown of its programs."""
    calls = [call for message in messages for call in message.get("tool_calls") or []]
    assert all(call["function"]["name"].startswith("run_") for call in calls), "plain calls"
    return [message["content"] for message in messages if message["role"] == "tool"]


def body(language: str, **fields: Any) -> dict[str, Any]:
    return request(code_mode={"language": language}, **fields)


@languages
def test_a_program_that_failed_without_a_tool_still_fails_when_it_is_added(language: str) -> None:
    model = script(code(AFTER_A_CALL[language]), "It failed.", "Well.")
    messages = converse(body(language), model, TOOLS)
    [before] = code_results(model.seen[-1]["messages"])
    assert ERRORS[language] in before
    ask(body(language, messages=[*messages, USER], tools=[SEARCH, MAIL]), model)
    assert code_results(model.seen[-1]["messages"]) == [before]


@languages
def test_a_program_without_calls_still_fails_when_the_tool_is_added(language: str) -> None:
    first, second = WITHOUT_A_CALL[language], AFTER_A_CALL[language]
    model = script(code(first), code(second), "It failed.", "Well.")
    messages = converse(body(language), model, TOOLS)
    before = code_results(model.seen[-1]["messages"])
    assert len(before) == 2 and ERRORS[language] in before[0]
    ask(body(language, messages=[*messages, USER], tools=[SEARCH, MAIL]), model)
    assert code_results(model.seen[-1]["messages"]) == before


@languages
def test_a_program_that_did_without_the_tool_goes_on_without_it(language: str) -> None:
    model = script(code(CAUGHT[language]), "Done.")
    response = ask(body(language), model)
    [call] = response["choices"][0]["message"]["tool_calls"]
    answer = {"role": "tool", "tool_call_id": call["id"], "content": "A"}
    messages = [USER, response["choices"][0]["message"], answer]
    converse(body(language, messages=messages, tools=[SEARCH, MAIL]), model, TOOLS)
    [told] = code_results(model.seen[-1]["messages"])
    assert json.loads(told.removeprefix("Result:\n")) == ["no mail", "A", "b"]


@languages
def test_the_next_program_has_the_tool(language: str) -> None:
    model = script(code(AFTER_A_CALL[language]), "It failed.", code(AFTER_A_CALL[language]), "Yes.")
    messages = converse(body(language), model, TOOLS)
    converse(body(language, messages=[*messages, USER], tools=[SEARCH, MAIL]), model, TOOLS)
    first, second = code_results(model.seen[-1]["messages"])
    assert ERRORS[language] in first
    assert second == "Result:\nsent"


@languages
def test_a_tool_that_failed_does_not_count_as_missing(language: str) -> None:
    def fails(**arguments: Any) -> None:
        raise Raises("no such address")

    model = script(code(AFTER_A_CALL[language]), "It failed.", "Well.")
    tools = [SEARCH, MAIL]
    messages = converse(body(language, tools=tools), model, {**TOOLS, "send_mail": fails})
    [before] = code_results(model.seen[-1]["messages"])
    assert "no such address" in before
    ask(body(language, messages=[*messages, USER], tools=tools), model)
    assert code_results(model.seen[-1]["messages"]) == [before]
