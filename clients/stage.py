"""What a client meets: a server that is killed in mid-conversation, its model, and the tools' desk.

The client talks to a front, as behind a load balancer. It passes everything on as it is, and notes
how many calls had been carried out by the time of each request.
"""

import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import httpx
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from clients.script import Json, Shop, model
from tests.server.serving import Process, Upstream, served

KEY = "my-key"
_HOP = {"connection", "content-length", "host", "keep-alive", "transfer-encoding"}
_OWN = {"content-encoding", "date", "server"}


@dataclass
class Seen:
    """A request of the client, and what it was answered."""

    path: str
    calls_before: int
    status: int = 0
    answer: bytearray = field(default_factory=bytearray)


class Stage:
    """One conversation's surroundings."""

    def __init__(self, language: str, *, vendor: bool) -> None:
        self.shop = Shop()
        self.calls: list[tuple[str, Json]] = []
        self.requests: list[Seen] = []
        self.upstream = Upstream(lambda body: model(body, vendor=vendor))
        self.kills = 0
        self.logs: list[str] = []
        self._language = language
        self._lock = threading.Lock()
        self._server: Process | None = None
        self._http = httpx.AsyncClient(trust_env=False, timeout=60)

    def app(self) -> Starlette:
        """Front, desk and model, on one address."""
        return Starlette(
            routes=[
                Route("/tools/{name}", self.call, methods=["POST"]),
                Mount("/model", self.upstream.app()),
                Route("/{path:path}", self.front, methods=["GET", "POST"]),
            ],
            lifespan=self._lifespan,
        )

    async def call(self, request: Request) -> Response:
        """A tool, carried out. The server dies as the second round begins."""
        name, arguments = request.path_params["name"], await request.json()
        if name == "get_price":
            await run_in_threadpool(self._kill_once)
        self.calls.append((name, arguments))
        return JSONResponse(self.shop.answer(name, arguments))

    async def front(self, request: Request) -> Response:
        """Pass a request on, and the answer back."""
        seen = Seen(request.url.path, len(self.calls))
        if self._server is None:
            return Response(status_code=503)
        self.requests.append(seen)
        url = self._server.url.removesuffix("/v1") + seen.path
        headers = [(name, value) for name, value in request.headers.items() if name not in _HOP]
        passed = self._http.build_request(
            request.method,
            url,
            params=request.query_params,
            headers=headers,
            content=await request.body(),
        )
        answer = await self._http.send(passed, stream=True)
        seen.status = answer.status_code

        async def pieces() -> AsyncIterator[bytes]:
            async for piece in answer.aiter_bytes():
                seen.answer += piece
                yield piece
            await answer.aclose()

        response_headers = {
            name: value for name, value in answer.headers.items() if name not in _HOP | _OWN
        }
        return StreamingResponse(pieces(), answer.status_code, response_headers)

    def start(self, address: str) -> None:
        """Start the server, with the model behind it."""
        self._address = address
        self._server = Process(
            *("--upstream", f"{address}/model/v1", "--upstream-key", "upstream-key"),
            *("--language", self._language, "--client-key", KEY),
        )
        self._server.ready()

    def stop(self) -> None:
        """Kill the server: it has no chance to save anything."""
        if self._server is not None:
            self._server.stop(signal.SIGKILL)
            self.logs += self._server.lines
            assert self._server.process.stderr is not None
            self._server.process.stderr.close()
            self._server = None

    def _kill_once(self) -> None:
        with self._lock:
            if not self.kills:
                self.stop()
                self.start(self._address)
                self.kills += 1

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with self._http:
            yield


@contextmanager
def staged(language: str, *, vendor: bool) -> Iterator[tuple[Stage, str]]:
    """A stage, and the address to talk to."""
    stage = Stage(language, vendor=vendor)
    with served(stage.app()) as url:
        address = url.removesuffix("/v1")
        try:
            stage.start(address)
            yield stage, address
        finally:
            stage.stop()
