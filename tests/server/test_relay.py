"""Requests without programs are relayed unchanged, and errors of the upstream are reported."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.clocks import Gate
from tests.ports import closed_port
from tests.server.serving import CODE, COMPLETIONS, PLAIN, Upstream, gateway, refusal, served

Json = Any


class Relayed:
    """A server in front of an upstream that a test scripts."""

    def __init__(self, upstream: Upstream, url: str) -> None:
        self.upstream = upstream
        self.url = url


@pytest.fixture(scope="module")
def relayed() -> Iterator[Relayed]:
    upstream = Upstream(lambda body: "Hi.")
    with served(upstream.app()) as behind, gateway(behind) as url:
        yield Relayed(upstream, url)


def test_a_request_without_tools_is_passed_on_byte_by_byte(
    http: httpx.Client, relayed: Relayed
) -> None:
    relayed.upstream.script = lambda body: "Hi."
    odd = b'{ "model":"tiny",\n"messages":[{"role":"user","content":"\\u00e9"}], "unknown": 1e3 }'
    headers = {"authorization": "Bearer sk-1", "x-vendor": "y", "cookie": "no"}
    response = http.post(relayed.url + COMPLETIONS, content=odd, headers=headers)
    assert response.json()["choices"][0]["message"]["content"] == "Hi."
    assert relayed.upstream.raw[-1] == odd
    seen = relayed.upstream.headers[-1]
    assert seen["authorization"] == "Bearer sk-1"
    assert seen["x-vendor"] == "y"
    assert "cookie" not in seen


def test_a_stream_without_tools_is_passed_on_as_it_comes(
    http: httpx.Client, relayed: Relayed
) -> None:
    go_on = Gate()

    async def chunks() -> AsyncIterator[bytes]:
        yield b'data: {"first": 1}\n\n'
        await go_on.opened()
        yield b"data: [DONE]\n\n"

    relayed.upstream.script = lambda body: StreamingResponse(
        chunks(), media_type="text/event-stream"
    )
    with http.stream("POST", relayed.url + COMPLETIONS, json={**PLAIN, "stream": True}) as response:
        pieces = response.iter_raw()
        assert next(pieces) == b'data: {"first": 1}\n\n'
        go_on.open()
        assert b"".join(pieces) == b"data: [DONE]\n\n"


def test_an_upstreams_own_refusal_is_passed_on_as_it_is(
    http: httpx.Client, relayed: Relayed
) -> None:
    refused = {"error": {"message": "slow down"}}
    relayed.upstream.script = lambda body: JSONResponse(refused, 429, {"retry-after": "7"})
    response = http.post(relayed.url + COMPLETIONS, json=PLAIN)
    assert (response.status_code, response.json()) == (429, refused)
    assert response.headers["retry-after"] == "7"


def test_the_list_of_models_is_passed_on(http: httpx.Client, relayed: Relayed) -> None:
    assert http.get(f"{relayed.url}/models").json()["data"][0]["id"] == "tiny"


def test_the_head_of_the_list_of_models_has_no_body(http: httpx.Client, relayed: Relayed) -> None:
    answer = http.head(f"{relayed.url}/models")
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) > 10


@pytest.mark.parametrize("body", [PLAIN, CODE, {**CODE, "stream": True}], ids=str)
def test_an_upstream_that_is_not_there_is_a_502(http: httpx.Client, body: Json) -> None:
    headers = {"authorization": "Bearer sk-secret"}
    with closed_port() as port, gateway(f"http://127.0.0.1:{port}/v1") as url:
        error = refusal(http.post(url + COMPLETIONS, json=body, headers=headers), 502)
    assert "sk-secret" not in error["message"]


@pytest.mark.parametrize("body", [PLAIN, CODE], ids=["plain", "code"])
def test_an_upstream_that_is_silent_is_a_504(http: httpx.Client, body: Json) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=8) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with gateway(address, upstream_timeout=0.1) as url:
            refusal(http.post(url + COMPLETIONS, json=body), 504)


@pytest.mark.parametrize("status", [401, 200])
def test_an_upstream_error_comes_without_the_key(
    http: httpx.Client, relayed: Relayed, status: int
) -> None:
    def script(body: Json) -> Response:
        return JSONResponse({"error": {"message": "bad key sk-secret"}}, status)

    relayed.upstream.script = script
    headers = {"authorization": "Bearer sk-secret"}
    error = refusal(http.post(relayed.url + COMPLETIONS, json=CODE, headers=headers), 502)
    assert "bad key" in error["message"]
    assert "sk-secret" not in error["message"]


def test_a_refusal_passed_on_comes_without_the_key(http: httpx.Client, relayed: Relayed) -> None:
    def script(body: Json) -> Response:
        told = {"error": {"message": "bad key sk-secret"}}
        return JSONResponse(told, 401, {"x-auth": "Bearer sk-secret"})

    relayed.upstream.script = script
    headers = {"authorization": "Bearer sk-secret"}
    response = http.post(relayed.url + COMPLETIONS, json=PLAIN, headers=headers)
    assert response.status_code == 401
    assert response.json() == {"error": {"message": "bad key ***"}}
    assert response.headers["x-auth"] == "Bearer ***"


@pytest.mark.parametrize("number", ["-5", "NaN", "1e999"])
def test_invalid_numbers_of_an_upstream_do_not_fail_the_request(
    http: httpx.Client, relayed: Relayed, number: str
) -> None:
    message = f'{{"role": "assistant", "content": "Hi.", "odd": {number}}}'
    usage = f'{{"prompt_tokens": {number}, "details": {{"odd": {number}}}}}'
    answer = f'{{"choices": [{{"message": {message}}}], "usage": {usage}}}'
    relayed.upstream.script = lambda body: Response(answer, media_type="application/json")
    response = http.post(relayed.url + COMPLETIONS, json=CODE)
    assert response.status_code == 200, response.text
    assert response.json()["usage"]["prompt_tokens"] == 0


def test_a_client_that_leaves_a_relayed_stream_ends_it_upstream(
    http: httpx.Client, relayed: Relayed
) -> None:
    left = threading.Event()

    async def endless() -> AsyncIterator[bytes]:
        try:
            yield b"data: {}\n\n"
            await asyncio.Event().wait()
        finally:
            left.set()

    relayed.upstream.script = lambda body: StreamingResponse(
        endless(), media_type="text/event-stream"
    )
    with http.stream("POST", relayed.url + COMPLETIONS, json=PLAIN) as response:
        next(response.iter_raw())
    left.wait()
