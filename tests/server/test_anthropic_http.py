"""The Anthropic API over HTTP: keys, errors, streams, and what is counted."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx
import pytest

from coderelay.conversation import UpstreamError
from coderelay.models.scripted_model import ScriptedAnswer, ScriptedModel
from tests.dialects.contract.anthropic_client import AnthropicClient
from tests.server.serving import ADD, gateway
from tests.server.test_http import Held

Json = Any

PLAIN: Json = {
    "model": "tiny",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Hello"}],
}
TOOL: Json = {"name": "add_numbers", "input_schema": ADD["function"]["parameters"]}
PATH = "/messages"


def refusal(response: httpx.Response, status: int) -> Json:
    assert response.status_code == status, response.text
    body = response.json()
    AnthropicClient().check_error(body)
    assert body["request_id"] == response.headers["request-id"]
    return body["error"]


@pytest.fixture(scope="module")
def locked() -> Iterator[str]:
    model = ScriptedModel(lambda _: "Hello.")
    with gateway("scripted", model=model, client_keys=("open",), max_body=100_000) as url:
        yield url


@pytest.mark.parametrize(
    "headers", [{"x-api-key": "open"}, {"authorization": "Bearer open"}], ids=["own", "bearer"]
)
def test_a_key_comes_in_either_header(
    http: httpx.Client, locked: str, headers: dict[str, str]
) -> None:
    response = http.post(locked + PATH, json=PLAIN, headers=headers)
    assert response.json()["content"] == [{"type": "text", "text": "Hello."}]


def test_refusals_have_the_shape_of_the_api(http: httpx.Client, locked: str) -> None:
    key = {"x-api-key": "open"}
    error = refusal(http.post(locked + PATH, json=PLAIN, headers={"x-api-key": "x"}), 401)
    assert error["type"] == "authentication_error"
    error = refusal(http.post(locked + PATH, content=b"{", headers=key), 400)
    assert error["type"] == "invalid_request_error"
    error = refusal(http.post(locked + PATH, content=b" " * 200_000, headers=key), 413)
    assert error["type"] == "request_too_large"
    error = refusal(http.post(locked + PATH, json={**PLAIN, "n": 2}, headers=key), 400)
    assert error["message"].startswith("'n' ")
    error = refusal(http.post(locked + PATH, json={**PLAIN, "max_tokens": "x"}, headers=key), 422)
    assert "'max_tokens'" in error["message"]


def test_a_client_without_a_place_is_told_that_the_server_is_overloaded(http: httpx.Client) -> None:
    model = Held()
    with gateway("scripted", model=model, turns=1) as url:
        first = threading.Thread(target=http.post, args=(url + PATH,), kwargs={"json": PLAIN})
        first.start()
        model.was_called.acquire()
        response = http.post(url + PATH, json=PLAIN)
        model.go_on.open()
        first.join()
    assert refusal(response, 503)["type"] == "overloaded_error"
    assert response.headers["retry-after"] == "1"


def test_every_event_is_named_and_an_error_is_the_last(http: httpx.Client) -> None:
    def script(body: Json) -> ScriptedAnswer | str:
        if len(body["messages"]) > 2:
            raise UpstreamError("the model's endpoint broke off")
        return ScriptedAnswer(code="return 1;", text="Let me see.")

    with gateway("scripted", model=ScriptedModel(script)) as url:
        was_called = {**PLAIN, "tools": [TOOL], "stream": True}
        response = http.post(url + PATH, json=was_called)
        with (
            anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key="k") as client,
            pytest.raises(anthropic.APIStatusError, match="broke off"),
            client.messages.stream(**{**PLAIN, "tools": [TOOL]}) as stream,
        ):
            stream.until_done()
    events = [piece.split("\n") for piece in response.text.strip().split("\n\n")]
    names = [name.removeprefix("event: ") for name, _ in events]
    values = [json.loads(data.removeprefix("data: ")) for _, data in events]
    assert names == [value["type"] for value in values]
    assert names[0] == "message_start"
    assert names[-1] == "error"
    AnthropicClient().check_error(values[-1])
    assert values[-1]["error"]["type"] == "api_error"
    assert values[-1]["request_id"] == response.headers["request-id"]


def test_tokens_are_estimated_from_all_that_the_model_would_be_shown(http: httpx.Client) -> None:
    def counted(**more: Json) -> int:
        was_called = {"model": "tiny", "messages": PLAIN["messages"], **more}
        response = http.post(f"{url}{PATH}/count_tokens", json=was_called)
        assert set(response.json()) == {"input_tokens"}, response.text
        return int(response.json()["input_tokens"])

    picture = {"type": "base64", "media_type": "image/png", "data": "A" * 100_000}
    with gateway("scripted") as url:
        few = counted()
        assert 1 <= few < 20
        assert counted(system="x" * 400) - few in range(90, 120)
        assert counted(tools=[TOOL]) > few + 200
        blocks = [{"type": "image", "source": picture}]
        shown = counted(messages=[{"role": "user", "content": blocks}])
        assert 1_000 <= shown < 1_100
        with anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key="k") as client:
            count = client.messages.count_tokens(model="tiny", messages=PLAIN["messages"])
        assert count.input_tokens == few
        error = refusal(http.post(f"{url}{PATH}/count_tokens", json={"model": "m"}), 422)
        assert "messages" in error["message"]


def test_a_client_finds_the_request_id_and_retries_only_what_it_should(locked: str) -> None:
    with anthropic.Anthropic(base_url=locked.removesuffix("/v1"), api_key="open") as client:
        message = client.messages.create(**PLAIN)
        assert str(message._request_id).startswith("req_")
        with pytest.raises(anthropic.BadRequestError) as refused:
            client.messages.create(**PLAIN, extra_body={"mcp_servers": [{"url": "x"}]})
    assert "mcp_servers" in str(refused.value)
