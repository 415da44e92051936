"""The ordinary tool loop of a Chat Completions client: it knows nothing of programs."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import httpx

from coderelay.client import Answered, Called
from coderelay.client.answer_calls import answer_batch
from coderelay.client.local_tool import AnyLocalTool
from coderelay.core import Call, EngineError, Json, Raised, Result
from coderelay.core.json_values import dump
from coderelay.wire import parse

Watch = Callable[[Json], None]


@dataclass(frozen=True, slots=True)
class Span:
    """Something that took time: a call, or an outage of the server."""

    label: str
    began: float
    ended: float
    failed: bool = False


@dataclass(slots=True)
class Client:
    """A conversation over HTTP. `watch` is told of every message; `between` is run when a batch
    of calls is answered and the answers are not sent yet."""

    address: str
    model: str
    tools: Sequence[AnyLocalTool]
    watch: Watch
    between: Callable[[int], None]
    messages: list[Json] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    batches: int = 0

    async def ask(self, question: str) -> str:
        """Say something; answer calls until the model has spoken."""
        self._add({"role": "user", "content": question})
        async with httpx.AsyncClient(trust_env=False, timeout=600.0) as http:
            while True:
                message = await self._complete(http)
                self._add(message)
                if not message.get("tool_calls"):
                    return str(message["content"])
                for answer in await self._answers(message["tool_calls"]):
                    self._add(answer)
                self.batches += 1
                self.between(self.batches)

    async def _complete(self, http: httpx.AsyncClient) -> dict[str, Json]:
        functions = [declared(tool) for tool in self.tools]
        body = {"model": self.model, "messages": self.messages, "tools": functions}
        response = await http.post(f"{self.address}/v1/chat/completions", json=body)
        if response.status_code != 200:
            raise EngineError(f"the server answered {response.status_code}: {response.text}")
        message: dict[str, Json] = response.json()["choices"][0]["message"]
        return message

    async def _answers(self, wanted: Sequence[Mapping[str, Json]]) -> list[Json]:
        known = {tool.declaration.name: tool for tool in self.tools}
        calls = [
            Call(place, call["function"]["name"], parse(call["function"]["arguments"]))
            for place, call in enumerate(wanted)
        ]
        results = await answer_batch(calls, known, watch=self._time)
        return [
            {"role": "tool", "tool_call_id": call["id"], **_content(result)}
            for call, result in zip(wanted, results, strict=True)
        ]

    def _add(self, message: Json) -> None:
        self.messages.append(message)
        self.watch(message)

    def _time(self, event: Called | Answered) -> None:
        if isinstance(event, Answered):
            ended = time.perf_counter()
            label = f"{event.call.name} {dump(event.call.arguments)}"
            failed = isinstance(event.result, Raised)
            self.spans.append(Span(label, ended - event.seconds, ended, failed))


def declared(tool: AnyLocalTool) -> Json:
    """A tool as Chat Completions declares it."""
    about = tool.declaration
    function = {
        "name": about.name,
        "description": about.description,
        "parameters": about.parameters,
    }
    return {"type": "function", "function": function}


def _content(result: Result) -> dict[str, Json]:
    if isinstance(result, Raised):
        return {"content": result.error.message, "is_error": True}
    text = result.value if isinstance(result.value, str) else dump(result.value)
    return {"content": text}
