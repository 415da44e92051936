"""A history in the `messages` protocol is accepted unchanged."""

import json
from typing import Any

import httpx
import pytest

from coderelay.models.scripted_model import ScriptedModel
from tests.server.serving import COMPLETIONS, gateway

Json = Any

SEARCH: Json = {
    "type": "function",
    "function": {
        "name": "web_search",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
    },
}
CODE = """async function main() {
    const [sportNews, internationalAffairesNews] = await Promise.all([
        webSearch({ query: "sport news" }),
        webSearch({ query: "international affaires news" }),
    ]);

    return {
        sportNews,
        internationalAffairesNews,
    };
}"""


def call(id: str, query: str) -> Json:
    arguments = json.dumps({"query": query})
    return {
        "type": "function",
        "function": {"name": "web_search", "arguments": arguments},
        "id": id,
    }


HISTORY: list[Json] = [
    {"role": "user", "content": "What is new?"},
    {"role": "code", "code": CODE, "id": "JZsSpZjh0"},
    {
        "role": "assistant",
        "content": "",
        "toolCalls": [
            call("cff9ca16", "sport news"),
            call("75614ff9", "international affaires news"),
        ],
    },
    {"role": "tool", "content": '["a match"]', "toolCallId": "75614ff9"},
    {"role": "tool", "content": '["a summit"]', "toolCallId": "cff9ca16"},
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_program_continues_with_its_result_and_so_does_the_conversation(
    http: httpx.Client, stream: bool
) -> None:
    model = ScriptedModel(lambda body: f"Seen {len(body['messages'])} messages.")
    with gateway("scripted", model=model) as url:
        body = {"model": "m", "messages": HISTORY, "tools": [SEARCH], "stream": stream}
        new = messages(http.post(url + COMPLETIONS, json=body), stream)
        assert [message["role"] for message in new] == ["code_result", "assistant"]
        data = {"sportNews": ["a summit"], "internationalAffairesNews": ["a match"]}
        assert new[0]["result"] == {"status": "success", "data": data}
        again = [*HISTORY, *new, {"role": "user", "content": "And now?"}]
        new = messages(http.post(url + COMPLETIONS, json={**body, "messages": again}), stream)
        assert [message["role"] for message in new] == ["assistant"]
    shown = [message["role"] for message in model.seen[-1]["messages"]]
    assert shown == ["system", "user", "assistant", "tool", "assistant", "user"]


def messages(response: httpx.Response, stream: bool) -> list[Json]:
    """Everything new, for the client to append."""
    assert response.status_code == 200, response.text
    if not stream:
        return list(response.json()["choices"][0]["messages"])
    lines = [line.removeprefix("data: ") for line in response.text.split("\n\n") if line]
    assert lines.pop() == "[DONE]"
    return [
        message
        for line in lines
        for choice in json.loads(line)["choices"]
        for message in choice.get("messages", [])
    ]
