"""The paths there are: a table, and the FastAPI application that serves it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import httpx
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from coderelay.dialects import anthropic, chat, responses
from coderelay.models.protocol import Model
from coderelay.server import handlers
from coderelay.server.dialect import Dialect
from coderelay.server.endpoint import Endpoint, Handler
from coderelay.server.logs import log
from coderelay.server.openapi import DESCRIPTION, schema
from coderelay.server.service import Service, build
from coderelay.server.settings import Settings


@dataclass(frozen=True, slots=True)
class Path:
    """What is served where, and in whose words errors are told."""

    path: str
    method: str
    handler: Handler
    dialect: Dialect = chat
    public: bool = False


PATHS = (
    Path("/v1/chat/completions", "POST", handlers.complete),
    Path("/v1/responses", "POST", handlers.complete, responses),
    Path("/v1/messages", "POST", handlers.complete, anthropic),
    Path("/v1/messages/count_tokens", "POST", handlers.count_tokens, anthropic),
    Path("/v1/code/evaluate", "POST", handlers.evaluate),
    Path("/v1/code/declarations", "POST", handlers.declare),
    Path("/v1/models", "GET", handlers.models),
    Path("/healthz", "GET", handlers.health, public=True),
    Path("/readyz", "GET", handlers.readiness, public=True),
    Path("/metrics", "GET", handlers.metrics, public=True),
)


def create_app(
    settings: Settings,
    model: Model | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> FastAPI:
    """The server as an ASGI application. A `model` takes the upstream's place; a `transport`
    takes that of the network."""
    service = build(settings, model, transport)
    app = FastAPI(
        title="Coderelay",
        version=service.version,
        description=DESCRIPTION,
        lifespan=lambda _: _living(service),
        routes=[_route(service, path) for path in PATHS],
        exception_handlers={HTTPException: _no_such_path},
    )
    described = schema(app, {path.path: path.method for path in PATHS})
    app.openapi = lambda: described  # type: ignore[method-assign]
    return app


def _route(service: Service, path: Path) -> Route:
    endpoint = Endpoint(service, path.handler, path.dialect, public=path.public)
    return Route(path.path, endpoint, methods=[path.method])


@asynccontextmanager
async def _living(service: Service) -> AsyncIterator[None]:
    warming = asyncio.create_task(service.readiness.reach())
    try:
        yield
    finally:
        warming.cancel()
        with suppress(asyncio.CancelledError):
            await warming
        await service.close()
        log("stopped")


async def _no_such_path(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    served = ", ".join(f"{path.method} {path.path}" for path in PATHS)
    message = f"nothing answers {request.method} {request.url.path} here; served are {served}"
    body = chat.error_object(message, type="invalid_request_error", code="not_found")
    return JSONResponse(body, error.status_code, error.headers)
