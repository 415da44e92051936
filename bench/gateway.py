"""The gateway beside LiteLLM's proxy, in front of the same upstream; and a step of a program."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.load import KEY, Load, latencies_ms, load, request
from bench.report import Goal
from bench.upstream import TEXT
from coderelay.cli.hosting import free_port

PEER = "litellm[proxy]"
QUESTION = {"role": "user", "content": "How are things?"}
PLAIN = {"model": "m", "messages": [QUESTION]}
QUERY = {"query": {"type": "string"}, "limit": {"type": "integer"}}
SYMBOL = {"symbol": {"type": "string"}}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "For the measurement.",
            "parameters": {"type": "object", "properties": properties},
        },
    }
    for name, properties in (("web_search", QUERY), ("get_stock_price", SYMBOL))
]
HITS = json.dumps([{"title": f"t{n}", "summary": "x" * 200} for n in range(2)])
SEQUENTIAL, CONCURRENT, SECONDS = 300, 2_000, 20.0


def measure() -> Iterator[Goal]:
    """All that is measured of the gateway."""
    with ExitStack() as stack:
        upstream = free_port()
        stack.enter_context(running([sys.executable, "-m", "bench.upstream", str(upstream)]))
        until_answered(upstream)
        port = free_port()
        ours = stack.enter_context(running(our_command(port, upstream)))
        until_answered(port)
        yield code_mode(port)
        ours_measured = measured(port, ours, upstream)
        try:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            peer_port = free_port()
            peer = stack.enter_context(running(install_peer(folder, peer_port, upstream)))
            until_answered(peer_port, peer)
            peer_measured = measured(peer_port, peer, upstream)
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"missing LiteLLM's proxy: {error}")
            return
        yield from beside_peer(ours_measured, peer_measured)


def measured(port: int, process: "subprocess.Popen[bytes]", upstream: int) -> tuple[float, Load]:
    """The latency that a proxy adds, and what it does under load."""
    direct, proxied = quick((upstream, PLAIN), (port, PLAIN))
    data = request(port, PLAIN)
    loaded = asyncio.run(load(port, process.pid, data, requests=CONCURRENT, seconds=SECONDS))
    return proxied - direct, loaded


def quick(*targets: tuple[int, object]) -> tuple[float, ...]:
    """The median latency of each target's request."""
    requests = [(port, request(port, body)) for port, body in targets]
    return asyncio.run(latencies_ms(*requests, requests=SEQUENTIAL, seconds=SECONDS))


def beside_peer(ours: tuple[float, Load], peer: tuple[float, Load]) -> Iterator[Goal]:
    """The goals against LiteLLM's proxy."""
    detail = "Coderelay {:,.0f}, LiteLLM {:,.0f} a second of processor time, {:,} and {:,} requests"
    yield Goal(
        "Gateway: plain completions per second and core, times LiteLLM's proxy",
        ours[1].per_core / peer[1].per_core,
        3,
        detail=detail.format(
            ours[1].per_core, peer[1].per_core, ours[1].requests, peer[1].requests
        ),
    )
    yield Goal(
        "Gateway: added latency of a plain completion, in LiteLLM's",
        ours[0] / peer[0],
        1 / 3,
        at_least=False,
        detail=f"Coderelay {ours[0]:.2f} ms, LiteLLM {peer[0]:.2f} ms",
    )


def code_mode(port: int) -> Goal:
    """A step of a suspended conversation: HTTP in, replay, HTTP out, without the model."""
    plain, step = quick((port, PLAIN), (port, suspended(port)))
    return Goal(
        "Gateway: a step of a suspended conversation, in plain proxied completions",
        step / plain,
        3,
        at_least=False,
        detail=f"a step {step:.2f} ms, a plain completion {plain:.2f} ms",
    )


def suspended(port: int) -> dict[str, object]:
    """A conversation whose program has had its first batch answered, and will ask for more."""
    messages: list[dict[str, object]] = [{**QUESTION}]
    body: dict[str, object] = {"model": "m", "messages": messages, "tools": TOOLS}
    message = post(port, body)["choices"][0]["message"]
    messages.append(message)
    messages += [
        {"role": "tool", "tool_call_id": call["id"], "content": HITS}
        for call in message["tool_calls"]
    ]
    following = post(port, body)["choices"][0]["message"]["tool_calls"]
    assert [call["function"]["name"] for call in following] == ["get_stock_price"]
    return body


def post(port: int, body: object) -> Any:
    """One request, the simple way."""
    http_request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"},
    )
    with urllib.request.urlopen(http_request, timeout=30) as response:
        return json.load(response)


def our_command(port: int, upstream: int) -> list[str]:
    """Our server, with one worker."""
    place = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    model = ["--upstream", f"http://127.0.0.1:{upstream}/v1"]
    return [sys.executable, "-m", "coderelay", "serve", *place, *model, "--client-key", KEY]


def install_peer(folder: Path, port: int, upstream: int) -> list[str]:
    """LiteLLM's proxy in an environment of its own; gives the command that starts it."""
    venv.create(folder / "venv", with_pip=True)
    binaries = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    options = ["--quiet", "--disable-pip-version-check", PEER]
    done = subprocess.run(
        [binaries / "python", "-m", "pip", "install", *options],
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode:
        raise OSError(done.stderr.strip()[-500:])
    print_version = "from importlib.metadata import version; print('LiteLLM', version('litellm'))"
    subprocess.run([binaries / "python", "-c", print_version], check=True)
    model = {"model": "openai/m", "api_base": f"http://127.0.0.1:{upstream}/v1", "api_key": "none"}
    config = {
        "model_list": [{"model_name": "m", "litellm_params": model}],
        "general_settings": {"master_key": KEY},  # without one it does not start
    }
    (folder / "config.yaml").write_text(json.dumps(config))  # JSON is YAML
    place = ["--host", "127.0.0.1", "--port", str(port), "--num_workers", "1"]
    return [str(binaries / "litellm"), "--config", str(folder / "config.yaml"), *place]


PRODUCTION = {"LITELLM_MODE": "PRODUCTION", "LITELLM_LOG": "ERROR"}
"""No .env file is read, and errors only are logged."""


@contextmanager
def running(command: list[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """A process, for as long as the block runs."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **PRODUCTION},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until_answered(port: int, process: "subprocess.Popen[bytes] | None" = None) -> None:
    """Wait until a completion is answered."""
    deadline = time.monotonic() + 120
    while True:
        try:
            content = post(port, PLAIN)["choices"][0]["message"]["content"]
            assert content == TEXT, content
            return
        except OSError as error:
            if time.monotonic() > deadline or (process and process.poll() is not None):
                raise OSError(f"it does not answer: {error}") from error
            time.sleep(0.2)
