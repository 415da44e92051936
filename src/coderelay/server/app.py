"""The ASGI application, and the table of the paths that it serves."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import httpx
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from coderelay.dialects import code_endpoints
from coderelay.dialects.dialect import Dialect
from coderelay.dialects.kit.operation import Operation
from coderelay.dialects.registry import DIALECTS
from coderelay.models.model import Model
from coderelay.server import handlers, openapi
from coderelay.server.handlers import Handler
from coderelay.server.logs import log
from coderelay.server.request_pipeline import Access, RequestPipeline
from coderelay.server.service import Service, build
from coderelay.server.settings import Settings

_MAX_QUOTED = 200


@dataclass(frozen=True, slots=True)
class Path:
    """One path: its handler, its description, the dialect in whose format errors are reported, and
    who may use it."""

    method: str
    path: str
    handler: Handler
    operation: Operation
    dialect: Dialect = DIALECTS[0]
    access: Access = "client"


def paths(dialects: Sequence[Dialect]) -> Iterator[Path]:
    """Yield all paths of a server that speaks these dialects."""
    for dialect in dialects:
        yield Path("POST", dialect.path, handlers.complete, dialect.operation, dialect)
        counting = dialect.counting
        if counting is not None:
            yield Path("POST", counting.path, handlers.count_tokens, counting.operation, dialect)
    yield Path("POST", "/v1/code/evaluate", handlers.evaluate, code_endpoints.EVALUATE)
    yield Path("POST", "/v1/code/declarations", handlers.declare, code_endpoints.DECLARATIONS)
    models = Operation("The upstream's models", "Passed on as it is.")
    yield Path("GET", "/v1/models", handlers.models, models)
    yield Path(
        "GET",
        "/healthz",
        handlers.health,
        Operation("The process lives", "Always 200."),
        access="probe",
    )
    yield Path(
        "GET",
        "/readyz",
        handlers.readiness,
        Operation(
            "The engines are warm",
            "200 when requests can be served without waiting for a compiler, else 503.",
        ),
        access="probe",
    )
    yield Path(
        "GET",
        "/metrics",
        handlers.metrics,
        Operation("Counts", "In the text format of Prometheus."),
        access="monitor",
    )


def create_app(
    settings: Settings,
    model: Model | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    *,
    dialects: Sequence[Dialect] = DIALECTS,
) -> Starlette:
    """Return the server as an ASGI application. A `model` replaces the upstream, and a `transport`
    replaces the network, for tests."""
    service = build(settings, model, transport)
    served = tuple(paths(dialects))
    described = [
        (each.method, each.path, each.operation, each.access != "client") for each in served
    ]
    about = (
        Path(
            "GET",
            "/openapi.json",
            handlers.constant(openapi.document(service.version, described)),
            Operation("This API as an OpenAPI document", "For machines."),
        ),
        Path(
            "GET",
            "/docs",
            handlers.page(openapi.page(service.version, described)),
            Operation("This API as a page", "For people."),
        ),
    )

    async def no_such_path(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        known = ", ".join(f"{path.method} {path.path}" for path in served)
        # Not `request.url`: it cannot be built for a request with an invalid Host header.
        path = request.scope["path"][:_MAX_QUOTED]
        message = f"there is no {request.method} {path}: use one of {known}"
        body = dialects[0].error_object(message, type="invalid_request_error", code="not_found")
        return JSONResponse(body, error.status_code, error.headers)

    return Starlette(
        lifespan=lambda _: _lifespan(service),
        routes=[_route(service, path) for path in (*served, *about)],
        exception_handlers={HTTPException: no_such_path},
    )


def _route(service: Service, path: Path) -> Route:
    endpoint = RequestPipeline(service, path.handler, path.dialect, path.access)
    return Route(path.path, endpoint, methods=[path.method])


@asynccontextmanager
async def _lifespan(service: Service) -> AsyncIterator[None]:
    warming = asyncio.create_task(service.readiness.reach())
    try:
        yield
    finally:
        warming.cancel()
        with suppress(asyncio.CancelledError):
            await warming
        await service.close()
        log("stopped")
