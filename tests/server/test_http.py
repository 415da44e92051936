"""HTTP besides answers: refusals, limits, idle streams, and clients that disconnect."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx
import pytest

from coderelay.models.model import Delta, FinishPiece, TextPiece
from coderelay.models.scripted_model import ScriptedModel
from coderelay.server.demonstration_model import WORDS, demonstration
from tests.clocks import Gate
from tests.server.serving import CODE, COMPLETIONS, PLAIN, gateway, logged, refusal

Json = Any


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_another_path_or_method_says_what_is_served(
    http: httpx.Client, scripted: str, method: str
) -> None:
    assert (
        "POST /v1/chat/completions"
        in refusal(http.request(method, f"{scripted}/x"), 404)["message"]
    )
    refusal(http.request(method, scripted + COMPLETIONS), 405)


def test_a_request_keeps_its_own_id_if_it_is_harmless(http: httpx.Client, scripted: str) -> None:
    ids = [
        http.get(f"{scripted}/models", headers={"x-request-id": id}).headers["x-request-id"]
        for id in ("mine-1", 'not"mine')
    ]
    assert ids[0] == "mine-1"
    assert ids[1].startswith("req_")


def test_the_scripted_upstream_says_what_it_is(http: httpx.Client, scripted: str) -> None:
    reply = http.post(scripted + COMPLETIONS, json=PLAIN).json()
    assert reply["choices"][0]["message"]["content"] == WORDS
    assert http.get(f"{scripted}/models").json()["data"][0]["id"] == "scripted"


@pytest.mark.parametrize("body", [PLAIN, CODE], ids=["plain", "code"])
def test_the_scripted_upstream_answers_a_request_without_messages(
    http: httpx.Client, scripted: str, body: Json
) -> None:
    reply = http.post(scripted + COMPLETIONS, json={**body, "messages": []}).json()
    assert reply["choices"][0]["message"]["content"] == WORDS


def test_the_scripted_upstream_writes_the_program_that_it_is_given(
    http: httpx.Client, scripted: str
) -> None:
    message = {"role": "user", "content": "```\nreturn await addNumbers({a: 1, b: 1});\n```"}
    reply = http.post(scripted + COMPLETIONS, json={**CODE, "messages": [message]}).json()
    (made,) = reply["choices"][0]["message"]["tool_calls"]
    assert json.loads(made["function"]["arguments"]) == {"a": 1, "b": 1}


def test_the_pages_describe_every_path(http: httpx.Client, scripted: str) -> None:
    root = scripted.removesuffix("/v1")
    described = http.get(f"{root}/openapi.json").json()
    assert "/v1/chat/completions" in described["paths"]
    page = http.get(f"{root}/docs")
    assert page.status_code == 200
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert all(path in page.text for path in described["paths"])
    assert "http://" not in page.text and "https://" not in page.text
    assert all(
        operation["description"]
        for path in described["paths"].values()
        for operation in path.values()
    )


def test_probes_need_no_key_and_everything_else_does(http: httpx.Client) -> None:
    with gateway("scripted", client_keys=("k-1", "k-2")) as url:
        root = url.removesuffix("/v1")
        assert http.get(f"{root}/healthz").json()["service"] == "coderelay"
        assert http.get(f"{root}/metrics").status_code == 200
        for page in ("openapi.json", "docs"):
            refusal(http.get(f"{root}/{page}"), 401)
            good = http.get(f"{root}/{page}", headers={"x-api-key": "k-1"})
            assert good.status_code == 200
        for headers in ({}, {"authorization": "Bearer k-3"}, {"authorization": "Basic k-1"}):
            error = refusal(http.post(url + COMPLETIONS, json=PLAIN, headers=headers), 401)
            assert "k-" not in error["message"].replace("key", "")
        second = {"authorization": "Bearer k-2"}
        assert http.post(url + COMPLETIONS, json=PLAIN, headers=second).status_code == 200


def test_a_server_is_ready_once_its_engines_are_loaded(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading = threading.Event()
    monkeypatch.setattr("coderelay.server.readiness._load", lambda language: loading.wait())
    with gateway("scripted") as url:
        ready = url.removesuffix("/v1") + "/readyz"
        assert http.get(ready).status_code == 503
        loading.set()
        while http.get(ready).status_code == 503:
            pass
        assert http.get(ready).json() == {"status": "ready"}


def test_a_server_whose_engine_cannot_be_loaded_says_so(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading = threading.Event()

    def load(language: str) -> None:
        loading.wait()
        raise RuntimeError("the guest is gone")

    monkeypatch.setattr("coderelay.server.readiness._load", load)
    with logged("not ready") as events, gateway("scripted") as url:
        ready = url.removesuffix("/v1") + "/readyz"
        assert http.get(ready).json()["status"] == "not ready"
        loading.set()
        events.get()
        response = http.get(ready)
    assert response.status_code == 503
    assert response.json() == {
        "status": "failed",
        "reason": "an engine could not be loaded: the guest is gone",
    }


def test_two_keys_are_refused_whichever_is_right(http: httpx.Client) -> None:
    with gateway("scripted", client_keys=("k-1",)) as url:
        for keys in (("k-1", "k-2"), ("k-2", "k-1"), ("k-1", "k-1")):
            headers = [("authorization", f"Bearer {key}") for key in keys]
            error = refusal(http.post(url + COMPLETIONS, json=PLAIN, headers=headers), 400)
            assert error["code"] == "repeated_header"


class Held:
    """A model that speaks, waits until it is let go, and tells when it was left."""

    def __init__(self, first: str = "") -> None:
        self._first = first
        self.was_called = threading.Semaphore(0)
        self.left = threading.Event()
        self.go_on = Gate()

    async def stream(
        self, body: Mapping[str, Json], *, key: str | None
    ) -> AsyncGenerator[Delta, None]:
        self.was_called.release()
        try:
            if self._first:
                yield TextPiece(self._first)
            await self.go_on.opened()
            yield TextPiece("at last")
            yield FinishPiece("stop")
        finally:
            self.left.set()


def test_a_silent_stream_sends_keep_alive_comments(http: httpx.Client) -> None:
    model = Held()
    with (
        gateway("scripted", model=model, keep_alive=0.02) as url,
        http.stream("POST", url + COMPLETIONS, json={**CODE, "stream": True}) as response,
    ):
        heard = b""
        for piece in response.iter_raw():
            heard += piece
            if heard.count(b": alive\n\n") >= 3:
                model.go_on.open()
    assert heard.endswith(b"data: [DONE]\n\n")
    assert b"at last" in heard


def test_a_request_is_refused_at_once_when_all_places_are_taken(http: httpx.Client) -> None:
    model = Held()
    with gateway("scripted", model=model, turns=1) as url:
        first = threading.Thread(target=http.post, args=(url + COMPLETIONS,), kwargs={"json": CODE})
        first.start()
        model.was_called.acquire()
        response = http.post(url + COMPLETIONS, json=CODE)
        refusal(response, 503)
        assert response.headers["retry-after"] == "1"
        model.go_on.open()
        first.join()
        assert http.post(url + COMPLETIONS, json=CODE).status_code == 200


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_client_that_leaves_frees_its_place_and_ends_the_models_work(
    http: httpx.Client, stream: bool
) -> None:
    model = Held("Well")
    with gateway("scripted", model=model, turns=1) as url:
        body = json.dumps({**CODE, "stream": stream}).encode()
        host, port = url.removeprefix("http://").removesuffix("/v1").split(":")
        with socket.create_connection((host, int(port))) as leaving:
            head = (
                f"POST /v1{COMPLETIONS} HTTP/1.1\r\nhost: localhost\r\n"
                f"content-length: {len(body)}\r\n\r\n"
            )
            leaving.sendall(head.encode() + body)
            with logged("request") as requests:
                model.was_called.acquire()
                leaving.close()
                assert requests.get()["status"] == 499
        assert model.left.is_set()
        model.go_on.open()
        assert http.post(url + COMPLETIONS, json=CODE).status_code == 200
        metrics = http.get(url.removesuffix("/v1") + "/metrics").text
        assert 'status="499"' in metrics


def test_what_fails_in_mid_stream_is_an_error_event(http: httpx.Client) -> None:
    class Failing:
        async def stream(
            self, body: Mapping[str, Json], *, key: str | None
        ) -> AsyncGenerator[Delta, None]:
            yield TextPiece("Well, ")
            yield TextPiece("I think that this is a rather long text, so some of it goes out.")
            raise RuntimeError("a secret of ours")

    with gateway("scripted", model=Failing()) as url:
        text = http.post(url + COMPLETIONS, json={**CODE, "stream": True}).text
    last = json.loads(text.strip().split("\n\n")[-1].removeprefix("data: "))
    assert last["error"]["type"] == "server_error"
    assert "secret" not in text
    assert "[DONE]" not in text


def test_a_bug_gets_a_500_without_details(http: httpx.Client) -> None:
    def broken(body: Mapping[str, Json]) -> str:
        raise RuntimeError("a secret of ours")

    with gateway("scripted", model=ScriptedModel(broken)) as url:
        error = refusal(http.post(url + COMPLETIONS, json=CODE), 500)
    assert "secret" not in error["message"]


def test_the_demonstration_reads_text_parts() -> None:
    async def run() -> list[Delta]:
        parts = [{"type": "text", "text": "Hello"}]
        body = {"messages": [{"role": "user", "content": parts}]}
        return [delta async for delta in demonstration().stream(body, key=None)]

    said = "".join(delta.text for delta in asyncio.run(run()) if isinstance(delta, TextPiece))
    assert said == WORDS
