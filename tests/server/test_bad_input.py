"""Bad input gets its status and a message that names the field, and nothing else happens."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.server.serving import ADD, CODE, COMPLETIONS, gateway, refusal

Json = Any

BAD: dict[str, tuple[Any, int, str]] = {
    "no JSON": (b'{"model": ', 400, "not valid JSON: line 1"),
    "not UTF-8": (b'{"model": "\xff"}', 400, "not valid JSON: not UTF-8"),
    "NaN": (b'{"model": NaN}', 400, "NaN is not a JSON value"),
    "no object": (b"[]", 422, ""),
    "nothing": (b"", 400, "not valid JSON"),
    "too deep": (b"[" * 5000 + b"]" * 5000, 400, "nested"),
    "no model": ({"messages": []}, 422, "model"),
    "model is a number": ({**CODE, "model": 1}, 422, "model"),
    "no messages": ({"model": "tiny", "tools": [ADD]}, 422, "messages"),
    "messages is a string": ({**CODE, "messages": "Hello"}, 422, "messages"),
    "a message is a string": ({**CODE, "messages": ["Hello"]}, 422, "messages[0]"),
    "a role is a number": ({**CODE, "messages": [{"role": 1}]}, 422, "messages[0].role"),
    "tools is an object": ({**CODE, "tools": {}}, 422, "tools"),
    "stream is a string": ({**CODE, "stream": "yes"}, 422, "stream"),
    "code_mode is a string": ({**CODE, "code_mode": "python"}, 422, "code_mode"),
    "language is a number": ({**CODE, "code_mode": {"language": 1}}, 422, "code_mode.language"),
    "an unknown language": ({**CODE, "code_mode": {"language": "perl"}}, 400, "perl"),
    "n is two": ({**CODE, "n": 2}, 400, "n"),
    "a schema that is none": (
        {**CODE, "tools": [{"type": "function", "function": {"name": "x", "parameters": 5}}]},
        400,
        "parameters",
    ),
    "an unknown call id": (
        {
            **CODE,
            "messages": [{"role": "tool", "tool_call_id": "cr1_x_0_" + "0" * 16, "content": ""}],
        },
        400,
        "cr1_x_0_",
    ),
    "a damaged token": (
        {
            **CODE,
            "messages": [
                {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "id": "cr1__damaged",
                            "type": "function",
                            "function": {"name": "add_numbers", "arguments": "{}"},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "cr1__damaged", "content": "1"},
            ],
        },
        400,
        "cr1__damaged",
    ),
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("what", BAD)
def test_bad_input_gets_its_status_and_names_the_field(
    http: httpx.Client, scripted: str, what: str, stream: bool
) -> None:
    body, status, named = BAD[what]
    if isinstance(body, dict):
        body = json.dumps({"stream": True, **body} if stream else body).encode()
    error = refusal(http.post(scripted + COMPLETIONS, content=body), status)
    assert named in error["message"]


EVALUATE: Json = {"program": {"source": "return await addNumbers({a: 1, b: 2});"}, "tools": [ADD]}
ENTRY: Json = {"name": "add_numbers", "arguments": {"a": 1, "b": 2}, "value": 3}


def test_a_client_with_its_own_loop_evaluates_step_by_step(
    http: httpx.Client, scripted: str
) -> None:
    first = http.post(f"{scripted}/code/evaluate", json=EVALUATE).json()
    assert first["status"] == "suspended"
    assert first["calls"] == [{"index": 0, "name": "add_numbers", "arguments": {"a": 1, "b": 2}}]
    last = http.post(f"{scripted}/code/evaluate", json={**EVALUATE, "journal": [ENTRY]}).json()
    assert last == {"status": "completed", "value": 3, "logs": []}


def test_a_journal_of_another_program_has_diverged(http: httpx.Client, scripted: str) -> None:
    journal = [{**ENTRY, "arguments": {"a": 5, "b": 5}}]
    response = http.post(f"{scripted}/code/evaluate", json={**EVALUATE, "journal": journal})
    assert refusal(response, 400)["type"] == "divergence"


@pytest.mark.parametrize(
    ("body", "status", "named"),
    [
        ({}, 422, "program"),
        ({"program": {"source": 1}}, 422, "program.source"),
        ({"program": {"source": "x" * 60_000}}, 413, "program.source"),
        ({**EVALUATE, "journal": [1]}, 400, "entry 0"),
        ({"program": {"source": "1", "language": "perl"}}, 400, "perl"),
    ],
)
def test_a_bad_evaluation_names_the_field(
    http: httpx.Client, scripted: str, body: Json, status: int, named: str
) -> None:
    response = http.post(f"{scripted}/code/evaluate", json=body)
    assert named in refusal(response, status)["message"]


def test_declarations_are_encoded_for_a_prompt(http: httpx.Client, scripted: str) -> None:
    asked = {"tools": [ADD], "language": "python"}
    told = http.post(f"{scripted}/code/declarations", json=asked).json()
    assert "add_numbers" in told["declarations"]
    assert told["instructions"]
    assert told["tool"]["function"]["name"] == "run_python"


def test_a_body_over_the_limit_is_refused_while_it_is_read(
    http: httpx.Client, scripted: str
) -> None:
    def pieces() -> Iterator[bytes]:  # of no stated length
        for _ in range(30):
            yield b" " * 10_000

    for content in (b" " * 300_000, pieces()):
        response = http.post(scripted + COMPLETIONS, content=content)
        assert "200,000 bytes" in refusal(response, 413)["message"]


MANY = {
    "lists": b"[" + b"[]," * 500_000 + b"1]",
    "items": b"[" + b"1," * 2_000_000 + b"1]",
    "no JSON": b"[[[" + b"," * 3_000_000,
}


@pytest.mark.parametrize("what", MANY)
@pytest.mark.parametrize("path", ["/chat/completions", "/responses", "/messages", "/code/evaluate"])
def test_a_body_with_too_many_values_is_refused(http: httpx.Client, path: str, what: str) -> None:
    with gateway("scripted") as url:
        response = http.post(url + path, content=MANY[what])
    assert response.status_code == 413
    assert "the body: it has more than" in response.json()["error"]["message"]


def test_a_result_with_too_many_values_is_refused_by_its_call(http: httpx.Client) -> None:
    asked = "```\nreturn (await addNumbers({a: 1, b: 2})).length;\n```"
    body = {**CODE, "messages": [{"role": "user", "content": asked}]}
    with gateway("scripted") as url:
        message = http.post(url + COMPLETIONS, json=body).json()["choices"][0]["message"]
        (call,) = message["tool_calls"]
        answer = {"role": "tool", "tool_call_id": call["id"], "content": MANY["lists"].decode()}
        body = {**body, "messages": [*body["messages"], message, answer]}
        error = refusal(http.post(url + COMPLETIONS, json=body), 413)
    assert "more than 500,000 lists and objects; send less" in error["message"]
