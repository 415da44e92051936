"""A model behind an HTTP endpoint, which records all requests."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from coderelay.core import Json
from coderelay.core.json_values import dump
from coderelay.models.model import (
    CallPiece,
    Delta,
    FinishPiece,
    Model,
    ReasoningPiece,
    TextPiece,
    UpstreamError,
    UsagePiece,
)


class Recorder:
    """An endpoint for Chat Completions in front of a model, which is called with `key`.
    `requests` has the bodies of all requests.

    `close` is called at the end, in the event loop that the model was used in.
    """

    def __init__(
        self,
        model: Model,
        *,
        key: str | None = None,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.requests: list[Mapping[str, Json]] = []
        self._model = model
        self._key = key
        self._close = close
        self.app = Starlette(
            routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])],
            lifespan=self._living,
        )

    @asynccontextmanager
    async def _living(self, app: Starlette) -> AsyncIterator[None]:
        yield
        if self._close is not None:
            await self._close()

    async def _complete(self, request: Request) -> Response:
        body = await request.json()
        self.requests.append(body)
        deltas = self._model.stream({**body, "stream": True}, key=self._key)
        try:
            first = await anext(deltas)
        except UpstreamError as error:
            return JSONResponse({"error": {"message": str(error)}}, status_code=502)
        return StreamingResponse(_events(first, deltas), media_type="text/event-stream")


async def _events(first: Delta, rest: AsyncIterator[Delta]) -> AsyncIterator[str]:
    yield _event(first)
    async for delta in rest:
        yield _event(delta)
    yield "data: [DONE]\n\n"


def _event(delta: Delta) -> str:
    choice: dict[str, Json] = {"index": 0, "delta": {}, "finish_reason": None}
    chunk: dict[str, Json] = {"object": "chat.completion.chunk", "choices": [choice]}
    match delta:
        case TextPiece(text):
            choice["delta"] = {"content": text}
        case ReasoningPiece(text):
            choice["delta"] = {"reasoning_content": text}
        case CallPiece(place, id, name, arguments):
            function = {"name": name, "arguments": arguments}
            call = {"index": place, "id": id, "type": "function", "function": function}
            choice["delta"] = {"tool_calls": [call]}
        case FinishPiece(reason):
            choice["finish_reason"] = reason
        case UsagePiece(usage):
            chunk["choices"] = []
            chunk["usage"] = {
                "prompt_tokens": usage.prompt,
                "completion_tokens": usage.completion,
                "total_tokens": usage.total,
            }
    return f"data: {dump(chunk)}\n\n"
