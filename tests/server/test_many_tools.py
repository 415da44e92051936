"""The server's budget decides whether the model gets declarations or an index of tools."""

from typing import Any

import httpx

from tests.server.serving import ADD, gateway


def tools(count: int) -> list[Any]:
    made = [
        {"type": "function", "function": {"name": f"tool_{each}", "description": "A tool."}}
        for each in range(count)
    ]
    return [*made, ADD]


def test_both_code_endpoints_know_the_search_for_tools(http: httpx.Client) -> None:
    with gateway("scripted", declaration_tokens=400) as url:
        for count, indexed in ((3, False), (50, True)):
            told = http.post(f"{url}/code/declarations", json={"tools": tools(count)}).json()
            assert ("The index of" in told["declarations"]) is indexed
            assert ("searchTools" in told["instructions"]) is indexed
        program = {"source": "const [it] = await searchTools('sum'); return it.name;"}
        asked = {"program": program, "tools": tools(50), "journal": []}
        outcome = http.post(f"{url}/code/evaluate", json=asked).json()
        assert (outcome["status"], outcome["value"]) == ("completed", "addNumbers")
