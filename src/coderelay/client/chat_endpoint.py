"""The endpoint that an agent talks to: our server, or any other for Chat Completions.

It keeps no state, so a request that failed before anything came is sent again.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

import httpx

from coderelay.conversation import UpstreamError
from coderelay.core import CoderelayError, Json
from coderelay.core.json_values import NotJson
from coderelay.models.answer_limits import DEFAULT_TIMEOUT, read_start
from coderelay.models.chat_client import ChatClient, Retries
from coderelay.models.failures import UpstreamRefusal
from coderelay.models.model import Delta
from coderelay.wire import parse

SERVICE = "coderelay"
"""What our server calls itself in `GET /healthz`."""
_LONGEST_HEALTH = 100_000
"""Bytes of an answer to `GET /healthz` that are read."""
_HEALTH_TIMEOUT = 10.0
_RETRIES = Retries(attempts=5, statuses=frozenset({429, 503}), first_pause=0.25)


class EndpointError(CoderelayError):
    """The endpoint refused, broke off or could not be reached.

    `status` is that of its HTTP response, or None where none came. `type` is the type of the error
    that it reported, such as `divergence`.
    """

    def __init__(self, message: str, *, status: int | None = None, type: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.type = type


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    """An address, a key, and how long to wait. `transport` replaces the network, for tests."""

    base_url: str
    api_key: str | None = None
    timeout: float = DEFAULT_TIMEOUT
    retries: Retries = _RETRIES
    transport: httpx.AsyncBaseTransport | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["ChatConnection"]:
        """Connections for one turn: they belong to an event loop, and the next turn may run in
        another."""
        base = self.base_url.rstrip("/")
        try:
            chat = ChatClient(
                base,
                timeout=self.timeout,
                connect_timeout=10.0,
                retries=self.retries,
                transport=self.transport,
                # a tool's result reaches the program as it is, lone surrogates included
                surrogates="backslashreplace",
                sleep=self.sleep,
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise EndpointError(f"{base}: {error}") from error
        try:
            yield ChatConnection(chat, base, self.api_key)
        finally:
            await chat.close()


class ChatConnection:
    """Sends requests to an endpoint."""

    def __init__(self, chat: ChatClient, base_url: str, api_key: str | None) -> None:
        self._chat = chat
        self._base = base_url
        self._key = api_key

    async def is_coderelay(self) -> bool | None:
        """Whether the endpoint is our server, or None where no answer came."""
        url = httpx.URL(self._base.removesuffix("/v1") + "/healthz")
        try:
            async with (
                asyncio.timeout(_HEALTH_TIMEOUT),
                self._chat.request("GET", url, key=self._key) as response,
            ):
                health = parse(await read_start(response, _LONGEST_HEALTH))
        except (httpx.TransportError, TimeoutError):
            return None
        except (httpx.HTTPError, UpstreamError, NotJson):
            return False
        return isinstance(health, Mapping) and health.get("service") == SERVICE

    async def pieces(self, body: Mapping[str, Json]) -> AsyncIterator[Delta]:
        """The pieces of the answer to a request. Raises `EndpointError`."""
        try:
            async with aclosing(self._chat.stream(body, key=self._key)) as pieces:
                async for piece in pieces:
                    yield piece
        except UpstreamRefusal as error:
            message = error.reason if error.status is None else f"{error.status}: {error.reason}"
            raise EndpointError(message, status=error.status, type=error.type) from None
        except UpstreamError as error:
            raise EndpointError(f"{self._base}: {error}") from error
