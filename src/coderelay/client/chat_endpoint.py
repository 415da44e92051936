"""A Chat Completions endpoint over HTTP. It keeps no state, so what failed before it said anything
is simply asked again."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

import httpx

from coderelay.conversation import UpstreamError
from coderelay.core import CoderelayError, Json
from coderelay.core.json_values import NotJson
from coderelay.models.answer_limits import AnswerLimits, read_events, read_start, read_whole
from coderelay.models.http_connection import BadAnswer
from coderelay.models.http_transport import transport_for
from coderelay.wire import parse

SERVICE = "coderelay"
"""What our server calls itself in `GET /healthz`."""
_BUSY = (429, 503)
_EVENTS = "text/event-stream"
_LONGEST_WAIT = 30.0
_SHOWN = 500
_LONGEST_REFUSAL = 100_000
"""Bytes of a refusal, or of an answer to a probe, that are read."""
_LIMITS = AnswerLimits()


class EndpointError(CoderelayError):
    """The endpoint refused, broke off or could not be reached. `status` is None where no HTTP
    response came; `type` is the error's own, such as `divergence`."""

    def __init__(self, message: str, *, status: int | None = None, type: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.type = type


class _Busy(Exception):
    """Not now: ask again after so many seconds, or as we think best."""

    def __init__(self, error: EndpointError, seconds: float | None) -> None:
        self.error = error
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    """Where it is, and how patient to be. `transport` replaces the network, for tests."""

    base_url: str
    api_key: str | None = None
    timeout: float = 600.0
    attempts: int = 5
    transport: httpx.AsyncBaseTransport | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["ChatConnection"]:
        """Connections belong to an event loop, so each turn has its own."""
        headers = {"Accept-Encoding": "identity"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        timeout = httpx.Timeout(self.timeout, connect=min(self.timeout, 10.0))
        transport = self.transport or transport_for(self.base_url)
        async with httpx.AsyncClient(transport=transport, headers=headers, timeout=timeout) as http:
            yield ChatConnection(self, http)


class ChatConnection:
    """An endpoint, connected to."""

    def __init__(self, endpoint: ChatEndpoint, http: httpx.AsyncClient) -> None:
        self._endpoint = endpoint
        self._http = http
        self._base = endpoint.base_url.rstrip("/")

    async def is_coderelay(self) -> bool | None:
        """Whether this is our server; None where nobody answered. All others are plain."""
        url = self._base.removesuffix("/v1") + "/healthz"
        try:
            async with self._http.stream("GET", url, timeout=10.0) as response:
                health = parse(await read_start(response, _LONGEST_REFUSAL))
        except httpx.TransportError:
            return None
        except (httpx.HTTPError, UpstreamError, NotJson):
            return False
        return isinstance(health, Mapping) and health.get("service") == SERVICE

    async def chunks(self, body: Json) -> AsyncIterator[Mapping[str, Json]]:
        """The chunks of a streamed completion; one that came whole is the only chunk."""
        for attempt in range(self._endpoint.attempts):
            began = False
            try:
                async for chunk in self._ask(body):
                    began = True
                    yield chunk
                return
            except _Busy as busy:
                if began or attempt == self._endpoint.attempts - 1:
                    raise busy.error from None
                wait = 0.25 * 2**attempt if busy.seconds is None else busy.seconds
                await self._endpoint.sleep(min(wait, _LONGEST_WAIT))

    async def _ask(self, body: Json) -> AsyncIterator[Mapping[str, Json]]:
        # as ASCII: a lone surrogate from a tool has no UTF-8 form
        content = json.dumps(body, allow_nan=False).encode("ascii")
        headers = {"Content-Type": "application/json", "Accept": f"{_EVENTS}, application/json"}
        url = f"{self._base}/chat/completions"
        try:
            async with self._http.stream("POST", url, content=content, headers=headers) as response:
                if response.status_code != 200:
                    raise _refusal(response, await read_start(response, _LONGEST_REFUSAL))
                if response.headers.get("content-type", "").startswith(_EVENTS):
                    async for chunk in _events(response):
                        yield chunk
                else:
                    yield _object(await read_whole(response, _LIMITS.whole))
        except (UpstreamError, BadAnswer) as error:
            raise EndpointError(f"{self._base}: {error}") from error
        except (httpx.ReadTimeout, httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise EndpointError(f"{self._base}: {_reason(error)}") from error
        except httpx.TransportError as error:
            failure = EndpointError(f"{self._base} cannot be reached: {_reason(error)}")
            raise _Busy(failure, None) from error


async def _events(response: httpx.Response) -> AsyncIterator[Mapping[str, Json]]:
    async with aclosing(read_events(response, _LIMITS)) as events:
        async for data in events:
            if data == "[DONE]":
                return
            yield _object(data)


def _object(data: str | bytes) -> Mapping[str, Json]:
    try:
        value = parse(data)
    except NotJson as error:
        raise EndpointError(f"the endpoint's answer is not JSON: {error}") from error
    if not isinstance(value, Mapping):
        raise EndpointError("the endpoint's answer is no JSON object")
    if value.get("error"):
        message, kind = _told(value, "the endpoint broke off")
        raise EndpointError(message, type=kind)
    return value


def _refusal(response: httpx.Response, body: bytes) -> EndpointError | _Busy:
    plain = body[:_SHOWN].decode("utf-8", "replace").strip() or response.reason_phrase
    try:
        message, kind = _told(parse(body), plain)
    except NotJson:
        message, kind = plain, None
    status = response.status_code
    error = EndpointError(f"{status}: {message}", status=status, type=kind)
    if status not in _BUSY:
        return error
    after = response.headers.get("retry-after", "")
    return _Busy(error, float(after) if after.isdecimal() else None)


def _told(body: Json, otherwise: str) -> tuple[str, str | None]:
    """The message and the type of an error in the API's own shape, or nearly so."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if isinstance(error, Mapping):
        message, kind = error.get("message"), error.get("type")
        return str(message or otherwise), kind if isinstance(kind, str) else None
    return (error if isinstance(error, str) and error else otherwise), None


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
