"""Numbers that JSON does not have are refused where they come in, and never crash the server."""

import json
from typing import Any

import httpx
import pytest

from tests.server.serving import ADD, CODE, COMPLETIONS

Json = Any

REACH = """\
import builtins
names = builtins.print.__code__.co_freevars
host = builtins.print.__closure__[names.index("log")].cell_contents.__self__._host
"""
"""How a program comes to what the harness tells the host with."""
UNKNOWN = {
    "too large": "1e999",
    "too small": "-1e999",
    "NaN": "NaN",
    "infinity": "[Infinity]",
    "minus infinity": '{"a": -Infinity}',
    "digits": "9" * 5_000,
    "hexadecimal": "0x10",
    "a comment": "1 // one",
    "nothing": "",
    "two": "1 2",
    "deep": "[" * 300 + "]" * 300,
}


def evaluate(http: httpx.Client, url: str, source: str, journal: Json = ()) -> Json:
    program = {"source": source, "language": "python"}
    body = {"program": program, "tools": [ADD], "journal": list(journal)}
    response = http.post(f"{url}/code/evaluate", json=body)
    assert response.status_code == 200, response.text
    return json.loads(response.content, parse_constant=pytest.fail)


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_a_forged_value_fails_the_program(http: httpx.Client, scripted: str, text: str) -> None:
    ended = evaluate(http, scripted, f"{REACH}host.complete({text!r})\n5")
    assert ended["status"] == "failed"
    assert "cannot be read as JSON" in ended["error"]["message"]


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_forged_arguments_fit_no_tool(http: httpx.Client, scripted: str, text: str) -> None:
    arguments = f'{{"a": {text}, "b": 1}}'
    source = f"{REACH}host.call('add_numbers', {arguments!r})\nawait add_numbers(a=1, b=2)"
    stopped = evaluate(http, scripted, source)
    assert stopped["status"] == "suspended"
    assert [call["arguments"] for call in stopped["calls"]] == [{"a": 1, "b": 2}]


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_a_forged_failure_is_a_failure(http: httpx.Client, scripted: str, text: str) -> None:
    told = f'{{"kind": "exception", "line": {text}, "message": {text}}}'
    ended = evaluate(http, scripted, f"{REACH}host.log(0, {text!r})\nhost.fail({told!r})\n5")
    assert ended["status"] == "failed"


def test_valid_json_is_unchanged(http: httpx.Client, scripted: str) -> None:
    text = '{"a": -0.0, "lone": "\\ud800", "b": 1, "b": 2, "large": ' + "7" * 4_300 + "}"
    value = evaluate(http, scripted, f"{REACH}host.complete({text!r})\n5")["value"]
    assert value == {"a": 0, "lone": "\ud800", "b": 2, "large": int("7" * 4_300)}
    assert str(value["a"]) == "-0.0"


NUMBERS = ("1e999", "-1e999", "NaN", "Infinity", "-Infinity")


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("path", ["/chat/completions", "/responses", "/messages", "/code/evaluate"])
def test_a_body_with_an_invalid_number_is_refused(
    http: httpx.Client, scripted: str, path: str, number: str
) -> None:
    content = json.dumps({**CODE, "temperature": "HERE"}).replace('"HERE"', number)
    response = http.post(scripted + path, content=content)
    assert response.status_code == 400
    assert number in response.json()["error"]["message"]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_journal_with_an_invalid_number_is_refused(
    http: httpx.Client, scripted: str, number: str
) -> None:
    program = {"source": "await add_numbers(a=1, b=2)", "language": "python"}
    entry = {"name": "add_numbers", "arguments": {"a": 1, "b": 2}, "value": "HERE"}
    content = json.dumps({"program": program, "tools": [ADD], "journal": [entry]})
    response = http.post(f"{scripted}/code/evaluate", content=content.replace('"HERE"', number))
    assert response.status_code == 400
    assert number in response.json()["error"]["message"]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_result_or_arguments_with_an_invalid_number_stay_text(
    http: httpx.Client, scripted: str, number: str
) -> None:
    asked = "```\nreturn await addNumbers({a: 1, b: 2}) + '!';\n```"
    body = {**CODE, "messages": [{"role": "user", "content": asked}]}
    message = http.post(scripted + COMPLETIONS, json=body).json()["choices"][0]["message"]
    (call,) = message["tool_calls"]
    call["function"]["arguments"] = f'{{"a": {number}, "b": 2}}'
    answer = {"role": "tool", "tool_call_id": call["id"], "content": f"[{number}]"}
    body = {**body, "messages": [*body["messages"], message, answer]}
    response = http.post(scripted + COMPLETIONS, json=body)
    assert response.status_code == 200, response.text
    assert f"[{number}]!" in response.json()["choices"][0]["message"]["content"]
