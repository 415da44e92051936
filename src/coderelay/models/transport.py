"""A transport for httpx on plain asyncio: what httpx promises, at a fraction of its own's cost.

httpx's default transport looks through all its connections for every request, and passes several
layers for every read. A gateway that holds hundreds of streams open at once cannot afford it.
HTTP/1.1 only, TLS included; where the environment names a proxy, httpx's own transport is used.
See docs/design/transport.md.
"""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from coderelay.models.connection import Connection

IDLE = 15.0
"""Seconds that an unused connection is kept: less than servers keep it, mostly."""

_Origin = tuple[str, str, int]


class AsyncioTransport(httpx.AsyncBaseTransport):
    """Keeps connections alive. A request that finds its old connection dead is sent again, once:
    the server closed it before it read anything."""

    def __init__(self, *, verify: ssl.SSLContext | None = None) -> None:
        self._idle: dict[_Origin, list[Connection]] = {}
        self._verify = verify

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """httpx: send a request; the answer's body is still to be read."""
        timeouts = request.extensions.get("timeout", {})
        origin = _origin(request.url)
        data = _written(request, await request.aread())
        connection = self._take(origin)
        if connection is not None:
            try:
                await self._request(connection, data, timeouts)
            except httpx.RemoteProtocolError:
                if connection.began:
                    raise
                connection = None
        if connection is None:
            connection = await self._connect(origin, timeouts.get("connect"))
            await self._request(connection, data, timeouts)
        stream = _Body(self, origin, connection, timeouts.get("read"))
        return httpx.Response(connection.status, headers=connection.headers, stream=stream)

    async def aclose(self) -> None:
        """httpx: drop what is idle."""
        for connections in self._idle.values():
            for connection in connections:
                connection.close()
        self._idle.clear()

    def release(self, origin: _Origin, connection: Connection) -> None:
        """Take a connection back, if it can serve again."""
        if not connection.reusable:
            return connection.close()
        connection.idle_since = time.monotonic()
        return self._idle.setdefault(origin, []).append(connection)

    def _take(self, origin: _Origin) -> Connection | None:
        """The connection used last: the likeliest to be alive."""
        idle = self._idle.get(origin, [])
        while idle:
            connection = idle.pop()
            if not connection.closed and time.monotonic() - connection.idle_since < IDLE:
                return connection
            connection.close()
        return None

    async def _request(
        self, connection: Connection, data: bytes, timeouts: dict[str, float | None]
    ) -> None:
        try:
            await connection.request(data, timeouts.get("read"))
        except BaseException:
            connection.close()
            raise

    async def _connect(self, origin: _Origin, timeout: float | None) -> Connection:
        scheme, host, port = origin
        context = self._context() if scheme == "https" else None
        try:
            async with asyncio.timeout(timeout):
                _, connection = await asyncio.get_running_loop().create_connection(
                    Connection, host, port, ssl=context
                )
        except TimeoutError:
            raise httpx.ConnectTimeout(f"no connection to {host} in {timeout} seconds") from None
        except OSError as error:
            raise httpx.ConnectError(f"no connection to {host}, port {port}: {error}") from error
        return connection

    def _context(self) -> ssl.SSLContext:
        if self._verify is None:
            self._verify = httpx.create_ssl_context()
        return self._verify


class _Body(httpx.AsyncByteStream):
    """Gives its connection back when it was read to the end, and drops it otherwise."""

    def __init__(
        self,
        transport: AsyncioTransport,
        origin: _Origin,
        connection: Connection,
        timeout: float | None,
    ) -> None:
        self._transport = transport
        self._origin = origin
        self._connection: Connection | None = connection
        self._timeout = timeout

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._connection is None:
            raise httpx.StreamClosed
        async for piece in self._connection.body(self._timeout):
            yield piece

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._transport.release(self._origin, connection)


def transport_for(base_url: str) -> httpx.AsyncBaseTransport:
    """Ours, or httpx's own where the environment says that a proxy leads to this address."""
    address = urlsplit(base_url)
    proxies = getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all")
    if proxy and not proxy_bypass(address.hostname or ""):
        return httpx.AsyncHTTPTransport(
            proxy=proxy, limits=httpx.Limits(max_connections=None, max_keepalive_connections=100)
        )
    return AsyncioTransport()


def _origin(url: httpx.URL) -> _Origin:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def _written(request: httpx.Request, body: bytes) -> bytes:
    lines = [request.method.encode("ascii") + b" " + request.url.raw_path + b" HTTP/1.1"]
    lines += [name + b": " + value for name, value in request.headers.raw]
    head = b"\r\n".join(lines)
    if head.count(b"\r\n") != len(lines) - 1:
        raise httpx.LocalProtocolError("a header holds a line break")
    return head + b"\r\n\r\n" + body
