"""Real servers on 127.0.0.1: ours in a thread or in a process, and an upstream that is scripted."""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from coderelay.models.model import Model
from coderelay.models.scripted_model import ScriptedAnswer
from coderelay.server.app import create_app
from coderelay.server.client_connection import client_connection
from coderelay.server.logs import LOGGER
from coderelay.server.settings import Settings

Json = Any
Script = Callable[[Json], ScriptedAnswer | str | Response]
ADD: Json = {
    "type": "function",
    "function": {
        "name": "add_numbers",
        "description": "The sum.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        },
    },
}


@dataclass
class Upstream:
    """An OpenAI-compatible endpoint that answers by script and remembers what it was asked."""

    script: Script
    seen: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)

    def app(self) -> ASGIApp:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self.complete, methods=["POST"]),
                Route("/v1/models", self.models),
            ]
        )

    async def complete(self, request: Request) -> Response:
        raw = await request.body()
        body = json.loads(raw)
        self.raw.append(raw)
        self.seen.append(body)
        self.headers.append(dict(request.headers))
        answer = self.script(body)
        if isinstance(answer, Response):
            return answer
        message, finish = _message(
            ScriptedAnswer(answer) if isinstance(answer, str) else answer, body
        )
        if not body.get("stream"):
            return JSONResponse(_completion(message, finish))
        return StreamingResponse(_chunks(message, finish), media_type="text/event-stream")

    async def models(self, request: Request) -> Response:
        self.headers.append(dict(request.headers))
        return JSONResponse({"object": "list", "data": [{"id": "tiny", "object": "model"}]})


def _message(answer: ScriptedAnswer, body: Json) -> tuple[Json, str]:
    message: Json = {"role": "assistant", "content": answer.text or None}
    calls = list(answer.calls)
    if answer.code is not None:
        calls.insert(0, (body["tools"][0]["function"]["name"], {"code": answer.code}))
    if not calls:
        return message, "stop"
    message["tool_calls"] = [
        {
            "id": f"call{place:05}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for place, (name, arguments) in enumerate(calls)
    ]
    return message, "tool_calls"


def _completion(message: Json, finish: str) -> Json:
    return {
        "id": "up-1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def _chunks(message: Json, finish: str) -> Iterator[str]:
    deltas: list[Json] = [{"role": "assistant"}]
    text = message["content"] or ""
    deltas += [{"content": text[start : start + 4]} for start in range(0, len(text), 4)]
    for place, call in enumerate(message.get("tool_calls", [])):
        deltas.append({"tool_calls": [{"index": place, **call}]})
    for delta in deltas:
        yield _chunk([{"index": 0, "delta": delta, "finish_reason": None}])
    yield _chunk([{"index": 0, "delta": {}, "finish_reason": finish}])
    yield _chunk([], {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
    yield "data: [DONE]\n\n"


def _chunk(choices: Json, usage: Json = None) -> str:
    chunk: Json = {
        "id": "up-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "tiny",
        "choices": choices,
    }
    if usage:
        chunk["usage"] = usage
    return f"data: {json.dumps(chunk)}\n\n"


@contextmanager
def served(app: ASGIApp, http: Any = "auto") -> Iterator[str]:
    """An application behind a real socket; the base URL. `http` is uvicorn's setting."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    config = uvicorn.Config(
        app, http=http, log_config=None, access_log=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        httpx.get(f"{url}/healthz", trust_env=False, timeout=None)
        yield f"{url}/v1"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@contextmanager
def gateway(upstream: str, *, model: Model | None = None, **settings: Any) -> Iterator[str]:
    """Our server, in a thread of this process."""
    chosen = Settings(upstream, **{"threads": 2, "keep_alive": 60.0, **settings})
    with served(create_app(chosen, model), client_connection(chosen)) as url:
        yield url


class Process:
    """`coderelay serve` as somebody would start it."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "coderelay", "serve", "--port", "0", *arguments]
        clean = {name: value for name, value in os.environ.items() if "OPENAI" not in name}
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**clean, **(env or {})}
        )
        self.lines: list[str] = []
        """What it has written so far."""
        self._written = threading.Condition()
        self._silent = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        (line,) = self.wait_for(lambda line: line.startswith("serving "))
        self.url = line.split()[1]

    def wait_for(self, matches: Callable[[str], bool], count: int = 1) -> list[str]:
        """The lines that are wanted, once there are so many."""
        found: list[str] = []

        def enough() -> bool:
            found[:] = filter(matches, self.lines)
            return len(found) >= count or self._silent

        with self._written:
            self._written.wait_for(enough)
        assert len(found) >= count, self.lines
        return found

    def ready(self, *, workers: int = 1) -> str:
        """The base URL, once so many worker processes say that they are ready."""
        self.wait_for(lambda line: bool(log_lines([line], "ready")), workers)
        return self.url

    def stop(self, signal_number: int = signal.SIGTERM) -> int:
        """Stop it, and give its exit code."""
        self.process.send_signal(signal_number)
        code = self.process.wait()
        self._reader.join()
        return code

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._tell(line)
        self._tell()

    def _tell(self, *lines: str) -> None:
        with self._written:
            self.lines.extend(lines)
            self._silent = not lines
            self._written.notify_all()


@contextmanager
def process(*arguments: str, env: dict[str, str] | None = None) -> Iterator[Process]:
    """A server process that is gone afterwards."""
    started = Process(*arguments, env=env)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.process.kill()
        started.process.wait()
        started._reader.join()
        assert started.process.stderr is not None
        started.process.stderr.close()


class _Keep(logging.Handler):
    """Keeps the fields of what is logged of one event."""

    def __init__(self, event: str) -> None:
        super().__init__()
        self._event = event
        self.fields: SimpleQueue[Json] = SimpleQueue()

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == self._event:
            self.fields.put(record.fields)  # type: ignore[attr-defined]


@contextmanager
def logged(event: str) -> Iterator[SimpleQueue[Json]]:
    """What servers of this process log of an event. A `request` is logged when all that it held is
    free again."""
    keep = _Keep(event)
    before = LOGGER.level
    LOGGER.addHandler(keep)
    LOGGER.setLevel(logging.INFO)
    try:
        yield keep.fields
    finally:
        LOGGER.setLevel(before)
        LOGGER.removeHandler(keep)


def log_lines(lines: list[str], event: str) -> list[Json]:
    """The log's lines of one kind."""
    parsed = [json.loads(line) for line in lines if line.startswith("{")]
    return [line for line in parsed if line["event"] == event]


PLAIN: Json = {"model": "tiny", "messages": [{"role": "user", "content": "Hello"}]}
CODE: Json = {**PLAIN, "tools": [ADD]}
COMPLETIONS = "/chat/completions"


def refusal(response: httpx.Response, status: int) -> Json:
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return error
