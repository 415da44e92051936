"""A Chat Completions endpoint that says what it is told to, over a transport of its own."""

import asyncio
import json
from collections.abc import Callable

import httpx

from coderelay.client import Agent, tool
from coderelay.core import Json

Respond = Callable[[Json], httpx.Response]


class FakeEndpoint(httpx.MockTransport):
    """Answers each request with the next response, and keeps what it was asked."""

    def __init__(self, *responses: Json | Respond, health: Json = None) -> None:
        super().__init__(self._handle)
        self.requests: list[Json] = []
        self.headers: list[httpx.Headers] = []
        self.probes = 0
        self._responses = list(responses)
        self._health = health

    def _handle(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            self.probes += 1
            assert request.url.path == "/healthz"
            return httpx.Response(200, json=self._health) if self._health else httpx.Response(404)
        assert request.url.path == "/v1/chat/completions"
        body = json.loads(request.content)
        self.requests.append(body)
        self.headers.append(request.headers)
        response = self._responses.pop(0)
        return response(body) if callable(response) else response


def ours(*responses: Json | Respond) -> FakeEndpoint:
    """An endpoint that says it is Coderelay."""
    return FakeEndpoint(*responses, health={"service": "coderelay", "status": "ok"})


def events(*chunks: Json) -> httpx.Response:
    """A streamed response."""
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    text = ": keep-alive\n\n" + "".join(lines) + "data: [DONE]\n\n"
    return httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})


def chunk(*, messages: Json = None, finish: str | None = None, **delta: Json) -> Json:
    """One chunk of it."""
    choice: Json = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"choices": [choice | ({"messages": messages} if messages else {})]}


def call(id: str, name: str, arguments: Json) -> Json:
    """A tool call."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def text_reply(text: str) -> httpx.Response:
    """Text in pieces, from an endpoint that is not ours."""
    pieces = [chunk(content=piece) for piece in (text[:3], text[3:])]
    return events(chunk(role="assistant"), *pieces, chunk(finish="stop"))


def coded(*messages: Json, finish: str = "stop", text: str = "") -> httpx.Response:
    """New messages, from ours."""
    tokens = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    usage = {"choices": [], "usage": tokens}
    whole = [chunk(messages=[message]) for message in messages]
    return events(chunk(content=text), *whole, chunk(finish=finish), usage)


URL = "http://relay.test/v1"
CODE: Json = {
    "role": "code",
    "id": "p1",
    "language": "python",
    "created": 1763200000,
    "code": "await twice(number=1)",
}
RESULT: Json = {
    "role": "code_result",
    "id": "p1",
    "result": {"status": "success", "data": [2, 4]},
    "logs": ["done"],
}
FAILED: Json = {
    "role": "code_result",
    "id": "p1",
    "result": {"status": "error", "error": {"kind": "exception", "message": "no", "line": 3}},
}
TEXT: Json = {"role": "assistant", "content": "It is 6."}


def twice(number: int) -> int:
    """Twice a number."""
    return number * 2


async def shout(text: str) -> str:
    """In capitals."""
    await asyncio.sleep(0)
    return text.upper()


def refuse(why: str) -> None:
    """Fail."""
    raise ValueError(why)


def calls(*made: Json) -> Json:
    """An assistant message with these calls."""
    return {"role": "assistant", "content": "", "tool_calls": list(made)}


def agent(endpoint: FakeEndpoint, **options: Json) -> Agent:
    """An agent with three tools that talks to this endpoint."""
    tools = [twice, tool(shout), refuse]
    return Agent(URL, **{"model": "m", "tools": tools, "transport": endpoint, **options})


TWO = calls(call("a", "twice", {"number": 1}), call("b", "twice", {"number": 2}))
