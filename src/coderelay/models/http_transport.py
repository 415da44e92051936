"""A transport for httpx on plain asyncio: it does what httpx's own does, at a fraction of the cost.

httpx's default transport looks through all its connections for every request, and every read goes
through several layers. A gateway with hundreds of open streams cannot afford that. This one knows
HTTP/1.1, TLS and plain HTTP proxies; for other kinds of proxies httpx's own transport is used. See
docs/design/transport.md.
"""

import asyncio
import ssl
import time
from base64 import b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from coderelay.models.http_connection import HttpConnection

IDLE = 15.0
"""Seconds that an unused connection is kept, which is less than most servers keep it."""

_Origin = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that is reached in plain HTTP. `authorization` is a header line, or empty."""

    host: str
    port: int
    authorization: bytes = b""

    @classmethod
    def at(cls, url: str) -> "Proxy":
        """The proxy of a URL such as `http://user:password@host:3128`."""
        address = urlsplit(url)
        if address.username is None:
            return cls(address.hostname or "", address.port or 80)
        login = f"{unquote(address.username)}:{unquote(address.password or '')}"
        line = b"Proxy-Authorization: Basic " + b64encode(login.encode()) + b"\r\n"
        return cls(address.hostname or "", address.port or 80, line)


class AsyncioTransport(httpx.AsyncBaseTransport):
    """Keeps connections alive. A request that finds its connection closed is sent once more on a
    new one: the server closed it before it read anything."""

    def __init__(self, *, verify: ssl.SSLContext | None = None, proxy: Proxy | None = None) -> None:
        self._idle: dict[_Origin, list[HttpConnection]] = {}
        self._verify = verify
        self.proxy = proxy

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """httpx: send a request. The body of its answer is read later."""
        timeouts = request.extensions.get("timeout", {})
        if request.url.scheme not in ("http", "https"):
            raise httpx.UnsupportedProtocol(f"{request.url} is not an http or https address")
        origin = _origin(request.url)
        head, body = _head(request, self.proxy), await request.aread()
        connection = self._take(origin)
        if connection is not None:
            try:
                await self._request(connection, head, body, timeouts)
            except httpx.RemoteProtocolError:
                if connection.began:
                    raise
                connection = None
        if connection is None:
            connection = await self._connect(origin, timeouts.get("connect"))
            await self._request(connection, head, body, timeouts)
        stream = _Body(self, origin, connection, timeouts.get("read"))
        return httpx.Response(connection.status, headers=connection.headers, stream=stream)

    async def aclose(self) -> None:
        """httpx: close all unused connections."""
        for connections in self._idle.values():
            for connection in connections:
                connection.close()
        self._idle.clear()

    def release(self, origin: _Origin, connection: HttpConnection) -> None:
        """Keep a connection for the next request, if it can be used again."""
        if not connection.reusable:
            return connection.close()
        connection.idle_since = time.monotonic()
        return self._idle.setdefault(origin, []).append(connection)

    def _take(self, origin: _Origin) -> HttpConnection | None:
        """The connection that was used last, because it is the most likely to be open still."""
        idle = self._idle.get(origin, [])
        while idle:
            connection = idle.pop()
            if not connection.closed and time.monotonic() - connection.idle_since < IDLE:
                return connection
            connection.close()
        return None

    async def _request(
        self,
        connection: HttpConnection,
        head: bytes,
        body: bytes,
        timeouts: dict[str, float | None],
    ) -> None:
        try:
            await connection.request(head, timeouts.get("read"), body)
        except BaseException:
            connection.close()
            raise

    async def _connect(self, origin: _Origin, timeout: float | None) -> HttpConnection:
        _, host, port = origin
        try:
            async with asyncio.timeout(timeout):
                if self.proxy is None:
                    return await self._open(host, port, self._context_of(origin))
                connection = await self._open(self.proxy.host, self.proxy.port, None)
                await self._tunnel(connection, origin, self.proxy)
                return connection
        except TimeoutError:
            raise httpx.ConnectTimeout(f"no connection to {host} in {timeout} seconds") from None
        except OSError as error:
            raise httpx.ConnectError(f"no connection to {host}, port {port}: {error}") from error

    async def _open(self, host: str, port: int, context: ssl.SSLContext | None) -> HttpConnection:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(HttpConnection, host, port, ssl=context)
        return connection

    async def _tunnel(self, connection: HttpConnection, origin: _Origin, proxy: Proxy) -> None:
        """Have the proxy open a tunnel to a host with TLS. Without TLS it needs none."""
        context = self._context_of(origin)
        if context is None:
            return
        _, host, port = origin
        target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n".encode()
        try:
            await connection.request(head + proxy.authorization + b"\r\n", None)
            if not 200 <= connection.status < 300:
                raise httpx.ProxyError(f"the proxy answered {connection.status} to CONNECT")
            await connection.start_tls(context, host)
        except BaseException:
            connection.close()
            raise

    def _context_of(self, origin: _Origin) -> ssl.SSLContext | None:
        if origin[0] != "https":
            return None
        if self._verify is None:
            self._verify = httpx.create_ssl_context()
        return self._verify


class ForeignProxyTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport, for kinds of proxies that ours does not know. It would wait forever
    while interim answers (1xx) come, so the headers of an answer have a deadline here."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """httpx: send a request. The body of its answer is read later."""
        timeouts = request.extensions.get("timeout", {})
        read = timeouts.get("read")
        others = sum(timeouts.get(name) or 0.0 for name in ("connect", "write"))
        try:
            async with asyncio.timeout(None if read is None else read + others):
                return await super().handle_async_request(request)
        except TimeoutError:
            raise httpx.ReadTimeout("the headers of the answer did not come in time") from None


class _Body(httpx.AsyncByteStream):
    """A body, which gives its connection back if it was read to the end, and closes it if not."""

    def __init__(
        self,
        transport: AsyncioTransport,
        origin: _Origin,
        connection: HttpConnection,
        timeout: float | None,
    ) -> None:
        self._transport = transport
        self._origin = origin
        self._connection: HttpConnection | None = connection
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
    """The transport for an address, through a proxy if the environment names one for it."""
    address = urlsplit(base_url)
    proxies = getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(address.hostname or ""):
        return AsyncioTransport()
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    if urlsplit(proxy).scheme == "http":
        return AsyncioTransport(proxy=Proxy.at(proxy))
    return ForeignProxyTransport(
        proxy=proxy, limits=httpx.Limits(max_connections=None, max_keepalive_connections=100)
    )


def timeouts(read: float, connect: float) -> dict[str, float | None]:
    """Seconds that a transport waits for a connection, and for the next bytes, as httpx has them
    in a request's extensions."""
    return {"connect": min(read, connect), "read": read, "write": read}


def _origin(url: httpx.URL) -> _Origin:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def _head(request: httpx.Request, proxy: Proxy | None) -> bytes:
    target, more = request.url.raw_path, b""
    if proxy is not None and request.url.scheme == "http":
        target = b"http://" + request.url.netloc + target
        more = proxy.authorization
    lines = [request.method.encode("ascii") + b" " + target + b" HTTP/1.1"]
    lines += [name + b": " + value for name, value in request.headers.raw]
    head = b"\r\n".join(lines)
    breaks = len(lines) - 1
    if head.count(b"\r") != breaks or head.count(b"\n") != breaks or b"\0" in head:
        raise httpx.LocalProtocolError("a header holds a line break or a NUL")
    return head + b"\r\n" + more + b"\r\n"
