"""The ordinary tool loop of a Chat Completions client, which knows nothing of programs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from coderelay.client import Answered, Called, EndpointError
from coderelay.client.answer_calls import answer_batch
from coderelay.client.chat_endpoint import ChatConnection, ChatEndpoint
from coderelay.client.local_tool import AnyLocalTool
from coderelay.client.messages import MessageCall, as_call
from coderelay.client.reply_reader import assistant_message
from coderelay.core import EngineError, Json, Raised, Result
from coderelay.core.json_values import dump
from coderelay.models.http_transport import AsyncioTransport
from coderelay.models.model_answer import ModelAnswer
from coderelay.wire import function_tool

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
    """A conversation over HTTP. `watch` is called with every message, and `between` with the number
    of batches so far, when the calls of a batch are answered and the answers are not sent yet."""

    address: str
    model: str
    tools: Sequence[AnyLocalTool]
    watch: Watch
    between: Callable[[int], None]
    messages: list[Json] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    batches: int = 0

    async def ask(self, question: str) -> str:
        """Ask a question, and answer calls until the model answers with text."""
        self._add({"role": "user", "content": question})
        # a transport of its own: a proxy from the environment cannot reach this machine
        endpoint = ChatEndpoint(f"{self.address}/v1", transport=AsyncioTransport())
        async with endpoint.connect() as connection:
            while True:
                answer = await self._complete(connection)
                message = assistant_message(answer)
                self._add(message)
                if not answer.calls:
                    return answer.text
                for result in await self._results(message["tool_calls"]):
                    self._add(result)
                self.batches += 1
                self.between(self.batches)

    async def _complete(self, connection: ChatConnection) -> ModelAnswer:
        functions = [function_tool(tool.declaration) for tool in self.tools]
        body = {"model": self.model, "messages": self.messages, "tools": functions}
        answer = ModelAnswer()
        try:
            async for piece in connection.pieces(body):
                answer.add(piece)
        except EndpointError as error:
            raise EngineError(f"the server failed: {error}") from error
        return answer

    async def _results(self, calls: Sequence[MessageCall]) -> list[Json]:
        known = {tool.declaration.name: tool for tool in self.tools}
        read = [as_call(place, call) for place, call in enumerate(calls)]
        results = await answer_batch(read, known, watch=self._time)
        return [
            {"role": "tool", "tool_call_id": call["id"], **_content(result)}
            for call, result in zip(calls, results, strict=True)
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


def _content(result: Result) -> dict[str, Json]:
    if isinstance(result, Raised):
        return {"content": result.error.message, "is_error": True}
    text = result.value if isinstance(result.value, str) else dump(result.value)
    return {"content": text}
