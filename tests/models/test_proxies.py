"""A proxy that the environment names is used, whatever it does."""

import asyncio
from base64 import b64encode
from urllib.parse import urlsplit

import httpx
import pytest

from coderelay.models.http_transport import (
    AsyncioTransport,
    ForeignProxyTransport,
    Proxy,
    transport_for,
)
from tests.models.serving import WHOLE, ask, served


def test_a_proxy_of_the_environment_is_used_except_where_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:3128")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert proxy_of("https://model.example/v1") == Proxy("127.0.0.1", 3128)
    assert proxy_of("https://127.0.0.1/v1") is None
    assert proxy_of("http://model.example/v1") is None
    monkeypatch.setenv("HTTPS_PROXY", "127.0.0.1:3128")
    assert proxy_of("https://model.example/v1") == Proxy("127.0.0.1", 3128)
    monkeypatch.setenv("HTTPS_PROXY", "https://127.0.0.1:3128")
    assert isinstance(transport_for("https://model.example/v1"), ForeignProxyTransport)


def proxy_of(url: str) -> Proxy | None:
    transport = transport_for(url)
    assert isinstance(transport, AsyncioTransport)
    return transport.proxy


def test_a_proxy_is_given_the_whole_address_and_its_own_key() -> None:
    async def run() -> None:
        async with served(WHOLE) as (server, direct):
            port = urlsplit(server.url).port
            proxy = Proxy.at(f"http://me:p%40ss@127.0.0.1:{port}")
            transport = AsyncioTransport(proxy=proxy)
            assert await ask(transport, "http://model.example/v1/x?q=1") == (200, b"hello")
            await direct.aclose()
            head = server.requests[0].partition(b"\r\n\r\n")[0].split(b"\r\n")
            assert head[0] == b"POST http://model.example/v1/x?q=1 HTTP/1.1"
            assert b"Host: model.example" in head
            assert head[-1] == b"Proxy-Authorization: Basic " + b64encode(b"me:p@ss")

    asyncio.run(run())


def test_a_proxy_opens_a_tunnel_to_an_address_with_tls() -> None:
    heard: list[bytes] = []

    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        heard.append(await reader.read(3))
        writer.close()

    async def run() -> None:
        async with await asyncio.start_server(tunnel, "127.0.0.1", 0) as listening:
            port = listening.sockets[0].getsockname()[1]
            transport = AsyncioTransport(proxy=Proxy("127.0.0.1", port))
            with pytest.raises(httpx.ConnectError):
                await ask(transport, "https://model.example/v1")

    asyncio.run(run())
    assert heard[0] == b"CONNECT model.example:443 HTTP/1.1\r\nHost: model.example:443\r\n\r\n"
    assert heard[1] == b"\x16\x03\x01", "that is how TLS begins"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 407 Who are you?\r\nContent-Length: 0\r\n\r\n", "answered 407"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000, "too long"),
    ],
    ids=["refused", "endless"],
)
def test_a_proxy_that_opens_no_tunnel_is_reported(answer: bytes, error: str) -> None:
    async def run() -> None:
        async with served(answer) as (server, _):
            transport = AsyncioTransport(proxy=Proxy("127.0.0.1", urlsplit(server.url).port or 0))
            with pytest.raises(httpx.TransportError, match=error):
                await ask(transport, "https://model.example/v1")

    asyncio.run(run())


def test_interim_answers_without_end_have_a_deadline_behind_other_kinds_of_proxies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            await writer.drain()

    async def run() -> None:
        async with served(endless) as (server, _):
            transport = ForeignProxyTransport(proxy=server.url.partition("/v1")[0])
            with pytest.raises(httpx.ReadTimeout):
                await ask(transport, "http://model.example/v1", read_timeout=0.01)
            await server.left.wait()

    asyncio.run(run())
