"""`coderelay serve` as a process: how it starts, what it writes, how it ends."""

import json
import os
import signal
import socket
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.responses import StreamingResponse
from typer.testing import CliRunner

from coderelay.cli.commands import app
from coderelay.models.scripted_model import ScriptedAnswer
from tests.clocks import Gate
from tests.server.serving import ADD, Upstream, gateway, log_lines, process, served

Json = Any
SECRET = "a very private matter"
ASK: Json = {"model": "tiny", "messages": [{"role": "user", "content": SECRET}]}


def refused(*arguments: str, **env: str) -> str:
    """What a server that does not start says."""
    unset = {name: None for name in os.environ if "OPENAI" in name}
    done = CliRunner().invoke(app, ["serve", *arguments], env={**unset, **env})
    assert done.exit_code == 2, done.output
    return done.stderr


def test_without_an_upstream_it_shows_how_to_start() -> None:
    assert "coderelay serve --upstream http://127.0.0.1:11434/v1" in refused()


def test_a_setting_from_the_environment_is_checked_like_a_flag() -> None:
    said = refused(OPENAI_BASE_URL="localhost:80", OPENAI_API_KEY="sk-secret")
    assert "OPENAI_BASE_URL must be an http or https address" in said
    assert "sk-secret" not in said
    said = refused(CODERELAY_DECLARATION_TOKENS="few")
    assert "CODERELAY_DECLARATION_TOKENS must be a whole number" in said


def test_a_port_in_use_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "choose another" in refused("--upstream", "scripted", "--port", port)


def test_a_request_is_one_line_without_content_or_keys_and_sigterm_ends_well() -> None:
    program = ScriptedAnswer(code="return await addNumbers({a: 1, b: 2});")
    upstream = Upstream(lambda body: program if "tools" in body else "Hello.")
    with served(upstream.app()) as behind:
        env = {
            "OPENAI_BASE_URL": behind,
            "OPENAI_API_KEY": "sk-up",
            "CODERELAY_CLIENT_KEYS": "k1 k2",
        }
        with process(env=env) as server:
            url = server.ready() + "/chat/completions"
            with httpx.Client(trust_env=False, timeout=None) as http:
                headers = {"authorization": "Bearer k2", "x-request-id": "mine"}
                for body in (ASK, {**ASK, "tools": [ADD]}):
                    assert http.post(url, json=body, headers=headers).status_code == 200
                assert http.post(url, json=ASK).status_code == 401
            assert server.stop() in (0, -signal.SIGTERM)
    assert [sent["authorization"] for sent in upstream.headers] == ["Bearer sk-up"] * 2
    whole = "".join(server.lines)
    assert SECRET not in whole
    assert "addNumbers" not in whole
    assert not any(key in whole for key in ("sk-up", "k1", "k2"))
    relayed, turn, unauthorized = log_lines(server.lines, "request")
    assert (relayed["mode"], relayed["status"], relayed["request_id"]) == ("relayed", 200, "mine")
    assert (turn["mode"], turn["language"]) == ("turn", "typescript")
    assert unauthorized["status"] == 401
    assert log_lines(server.lines, "ready")


def test_a_scripted_server_says_that_it_is_scripted() -> None:
    with process("--upstream", "scripted") as server:
        assert "NOT A REAL MODEL" in server.lines[0]


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_count_together_and_let_requests_in_progress_end_after_sigterm(
    workers: int,
) -> None:
    go_on = Gate()

    async def chunks() -> AsyncIterator[bytes]:
        yield b'data: {"first": 1}\n\n'
        await go_on.opened()
        yield b"data: [DONE]\n\n"

    def script(body: Json) -> StreamingResponse | str:
        if not body.get("stream"):
            return "Hello."
        return StreamingResponse(chunks(), media_type="text/event-stream")

    with (
        served(Upstream(script).app()) as behind,
        process("--upstream", behind, "--workers", str(workers), "--drain", "600") as server,
        httpx.Client(trust_env=False, timeout=None) as http,
    ):
        url = server.ready(workers=workers) + "/chat/completions"
        for _ in range(5):  # a new connection may meet another worker
            assert httpx.post(url, json=ASK, trust_env=False, timeout=None).status_code == 200
        metrics = http.get(url.removesuffix("/v1/chat/completions") + "/metrics").text
        counted = 'coderelay_requests_total{path="/v1/chat/completions",status="200"} 5.0'
        assert counted in metrics
        with http.stream("POST", url, json={**ASK, "stream": True}) as response:
            pieces = response.iter_raw()
            assert next(pieces).startswith(b'data: {"first": 1}')
            server.process.send_signal(signal.SIGTERM)
            refuses(url)
            go_on.open()
            assert b"".join(pieces).endswith(b"data: [DONE]\n\n")
        assert server.process.wait() in (0, -signal.SIGTERM)


def refuses(url: str) -> None:
    """Wait until the server takes no new connections."""
    host, port = url.removeprefix("http://").split("/")[0].split(":")
    while True:
        try:
            with socket.create_connection((host, int(port))) as probe:
                probe.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
                if not probe.recv(100):
                    return
        except OSError:
            return


def test_the_id_of_a_call_can_be_inspected(http: httpx.Client) -> None:
    upstream = Upstream(
        lambda body: ScriptedAnswer(
            code="return await Promise.all([1, 2].map(b => addNumbers({a: 1, b})));"
        )
    )
    with served(upstream.app()) as behind, gateway(behind) as url:
        reply = http.post(f"{url}/chat/completions", json={**ASK, "tools": [ADD]}).json()
    calls = reply["choices"][0]["message"]["tool_calls"]
    shown = [CliRunner().invoke(app, ["inspect", call["id"]]).stdout for call in calls]
    assert "Promise.all([1, 2]" in shown[0]
    assert "call 1 of the program" in shown[1]
    assert json.loads(calls[1]["function"]["arguments"]) == {"a": 1, "b": 2}
