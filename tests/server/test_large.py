"""Large requests and answers are worked on beside the event loop, so that others are served
meanwhile."""

import json
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import httpx
import pytest

from coderelay.conversation.history_reader import History
from coderelay.core import TimedOut
from coderelay.core.cancellation import is_still_needed
from coderelay.gateway import model_request
from coderelay.models import chat_client
from coderelay.models.scripted_model import ScriptedAnswer
from coderelay.server import exchange, handlers, streaming
from coderelay.wire import parse
from tests.server.serving import ADD, COMPLETIONS, PLAIN, Upstream, gateway, logged, served

Json = Any
LONG = "a text, " * 50_000
LARGE: Json = {**PLAIN, "messages": [{"role": "user", "content": LONG}]}
WITH_TOOLS: Json = {**LARGE, "tools": [ADD]}
MESSAGES: Json = {**PLAIN, "tools": [ADD], "code_mode": {"protocol": "messages"}}
RETURNS_MUCH = "return Array(100_000).fill('a text');"


class Held:
    """A function that waits until it is let go, once it was called with something large."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.called, self.let_go = threading.Event(), threading.Event()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.called.set()
        self.let_go.wait()
        return self._function(*arguments, **named)


class HeldIfLarge(Held):
    """The same for what writes a value: small ones are written at once."""

    def __call__(self, value: Any) -> Any:
        return self._function(value) if len(repr(value)) < 100_000 else super().__call__(value)


def script(body: Json) -> ScriptedAnswer | str:
    asked = body["messages"][-1]["role"] != "tool" and body.get("tools")
    return ScriptedAnswer(code=RETURNS_MUCH) if asked else "Done."


STEPS = {
    "reading a body": (exchange, "parse", Held, LARGE),
    "understanding a body": (History, "entries", Held, WITH_TOOLS),
    "asking the model": (model_request, "body", Held, WITH_TOOLS),
    "writing what the model is asked": (chat_client, "_written", Held, WITH_TOOLS),
    "writing an answer": (handlers, "as_json", HeldIfLarge, MESSAGES),
    "writing a stream": (streaming, "as_json", HeldIfLarge, {**MESSAGES, "stream": True}),
}


@pytest.mark.parametrize("step", STEPS)
def test_others_are_served_while_something_large_is_worked_on(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    where, name, hold, body = STEPS[step]
    original = getattr(where, name)
    held = hold(original)
    model = Upstream(script)
    with served(model.app()) as endpoint, gateway(endpoint) as url:
        replaced = held if where is not History else lambda self: held(self)
        monkeypatch.setattr(where, name, replaced)
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(http.post, url + COMPLETIONS, json=body)
            try:
                held.called.wait()
                # On the event loop, it would be held as well.
                health = httpx.get(url.replace("/v1", "/healthz"), trust_env=False, timeout=None)
                assert health.json()["status"] == "ok"
            finally:
                held.let_go.set()
            assert asked.result().status_code == 200


def test_what_the_model_is_asked_is_not_written_for_a_client_that_has_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = Held(lambda body: is_still_needed())
    wanted: SimpleQueue[bool] = SimpleQueue()

    def write(body: Json, surrogates: str) -> bytes:
        wanted.put(held(body))
        return b""

    monkeypatch.setattr(chat_client, "_written", write)
    body = json.dumps(WITH_TOOLS)
    head = f"POST /v1{COMPLETIONS} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}"
    with gateway("http://127.0.0.1:9/v1") as url, logged("request") as requests:
        address = httpx.URL(url)
        with socket.create_connection((address.host, address.port)) as client:
            client.sendall(f"{head}\r\n\r\n{body}".encode())
            held.called.wait()
        assert requests.get()["status"] == 499
        held.let_go.set()
        assert not wanted.get()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_large_conversation_is_answered_as_a_small_one(http: httpx.Client, stream: bool) -> None:
    source = "const all = await addNumbers({a: 1, b: 2}); return all.length;"
    told: list[Json] = []

    def count(body: Json) -> ScriptedAnswer | str:
        told.append(body["messages"][-1]["content"])
        return "Done." if body["messages"][-1]["role"] == "tool" else ScriptedAnswer(code=source)

    model = Upstream(count)
    with served(model.app()) as endpoint, gateway(endpoint) as url:
        message = http.post(url + COMPLETIONS, json=WITH_TOOLS).json()["choices"][0]["message"]
        (call,) = message["tool_calls"]
        result = json.dumps([{"row": each, "text": "é😀"} for each in range(50_000)])
        answer = {"role": "tool", "tool_call_id": call["id"], "content": result}
        messages = [*WITH_TOOLS["messages"], message, answer]
        body = {**WITH_TOOLS, "messages": messages, "stream": stream}
        response = http.post(url + COMPLETIONS, json=body)
    assert response.status_code == 200
    assert "Done" in response.text
    assert told[-1] == "Result:\n50000"


def test_the_body_of_a_client_that_has_left_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = Held(parse)
    raised: SimpleQueue[BaseException] = SimpleQueue()

    def read(raw: bytes) -> Json:
        try:
            return held(raw)
        except BaseException as error:
            raised.put(error)
            raise

    monkeypatch.setattr(exchange, "parse", read)
    body = json.dumps([[each] for each in range(100_000)])
    head = f"POST /v1{COMPLETIONS} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}"
    with gateway("scripted") as url, logged("request") as requests:
        address = httpx.URL(url)
        with socket.create_connection((address.host, address.port)) as client:
            client.sendall(f"{head}\r\n\r\n{body}".encode())
            held.called.wait()
        assert requests.get()["status"] == 499
        held.let_go.set()
        assert isinstance(raised.get(), TimedOut)
