"""The transport behaves as httpx expects over a real socket, whatever the other side does."""

import asyncio
import socket
import struct

import httpx
import pytest

from coderelay.models.http_transport import AsyncioTransport
from tests.models.serving import WHOLE, ask, send, served
from tests.ports import closed_port


async def closing(writer: asyncio.StreamWriter) -> None:
    writer.close()


@pytest.mark.parametrize(
    "answer",
    [
        WHOLE,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + WHOLE,
        b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ],
    ids=["length", "chunked", "interim", "http 1.0"],
)
def test_an_answer_is_read_in_every_form(answer: bytes) -> None:
    async def run() -> None:
        async with served(answer) as (server, transport):
            assert await ask(transport, server.url) == (200, b"hello")
            assert server.requests[0].startswith(b"POST /v1/x?q=1 HTTP/1.1\r\n")
            assert server.requests[0].endswith(b"\r\n\r\nbody")
            assert b"x-b: c\r\n" in server.requests[0]

    asyncio.run(run())


def test_an_answer_of_no_stated_length_ends_with_its_connection() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhel")
        await writer.drain()
        writer.write(b"lo")
        writer.close()

    async def run() -> None:
        async with served(answer) as (server, transport):
            assert await ask(transport, server.url) == (200, b"hello")

    asyncio.run(run())


def test_a_connection_serves_again() -> None:
    async def run() -> None:
        async with served(WHOLE) as (server, transport):
            for _ in range(3):
                assert await send(transport, server.url) == b"hello"
            assert server.connections == 1

    asyncio.run(run())


def test_a_connection_that_says_close_does_not_serve_again() -> None:
    async def run() -> None:
        async with served(WHOLE.replace(b"X-A: b", b"Connection: close")) as (server, transport):
            for _ in range(2):
                assert await send(transport, server.url) == b"hello"
            assert server.connections == 2

    asyncio.run(run())


def test_a_request_on_a_connection_that_died_unread_is_sent_again() -> None:
    async def run() -> None:
        async with served(WHOLE, closing, WHOLE) as (server, transport):
            assert await send(transport, server.url) == b"hello"
            assert await send(transport, server.url) == b"hello"
            assert server.connections == 2

    asyncio.run(run())


def test_a_request_on_a_new_connection_is_sent_once_only() -> None:
    async def run() -> None:
        async with served(closing) as (server, transport):
            with pytest.raises(httpx.RemoteProtocolError, match="without an answer"):
                await ask(transport, server.url)
            assert len(server.requests) == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"SSH-2.0-x\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 70_000 + b"\r\n\r\n", "too long"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "not HTTP"),
    ],
    ids=["another protocol", "bad length", "long headers", "bad chunk"],
)
def test_an_invalid_answer_is_reported(answer: bytes, error: str) -> None:
    async def run() -> None:
        async with served(answer) as (server, transport):
            with pytest.raises(httpx.RemoteProtocolError, match=error):
                await ask(transport, server.url)

    asyncio.run(run())


def test_an_answer_that_breaks_off_is_not_complete() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(WHOLE[:-2])
        writer.close()

    async def run() -> None:
        async with served(answer) as (server, transport):
            with pytest.raises(httpx.RemoteProtocolError, match="in the middle"):
                await ask(transport, server.url)

    asyncio.run(run())


def test_a_silent_server_times_out() -> None:
    async def silence(writer: asyncio.StreamWriter) -> None:
        return None

    async def run() -> None:
        async with served(silence) as (server, transport):
            with pytest.raises(httpx.ReadTimeout):
                await ask(transport, server.url, read_timeout=0.01)
            await server.left.wait()

    asyncio.run(run())


def test_leaving_an_answer_early_closes_the_connection() -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
        await writer.drain()

    async def run() -> None:
        async with served(endless) as (server, transport):
            response = await transport.handle_async_request(httpx.Request("POST", server.url))
            assert isinstance(response.stream, httpx.AsyncByteStream)
            assert await anext(aiter(response.stream)) == b"a"
            await response.stream.aclose()
            await server.left.wait()

    asyncio.run(run())


def test_a_long_answer_waits_for_its_reader_and_comes_whole() -> None:
    size = 8_000_000

    async def run() -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size
        async with served(answer) as (server, transport):
            status, content = await ask(transport, server.url)
            assert (status, len(content)) == (200, size)

    asyncio.run(run())


def test_nobody_there_is_a_failure_to_connect() -> None:
    async def run() -> None:
        with closed_port() as port, pytest.raises(httpx.ConnectError):
            await ask(AsyncioTransport(), f"http://127.0.0.1:{port}/v1")

    asyncio.run(run())


def test_a_header_cannot_smuggle_another() -> None:
    async def run() -> None:
        async with served(WHOLE) as (server, transport):
            request = httpx.Request("POST", server.url, headers={"x": "y\r\nauthorization: z"})
            with pytest.raises(httpx.LocalProtocolError):
                await transport.handle_async_request(request)

    asyncio.run(run())


SECOND = WHOLE.replace(b"hello", b"other")


@pytest.mark.parametrize(
    "after",
    [SECOND, SECOND[:20], b"garbage", b"x" * 300_000],
    ids=["whole", "part", "garbage", "long"],
)
def test_what_follows_an_answer_is_passed_over_and_ends_the_connection(after: bytes) -> None:
    async def run() -> None:
        async with served(WHOLE + after) as (server, transport):
            for _ in range(2):
                assert await send(transport, server.url) == b"hello"
            assert server.connections == 2

    asyncio.run(run())


def test_headers_are_those_of_the_first_answer_and_no_trailers() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
    trailed = chunked + b"5\r\nhello\r\n0\r\nX-Trailer: t\r\n\r\n"

    async def run() -> None:
        async with served(WHOLE + SECOND, trailed) as (server, transport):
            for _ in range(2):
                request = httpx.Request("POST", server.url, content=b"")
                response = await transport.handle_async_request(request)
                assert isinstance(response.stream, httpx.AsyncByteStream)
                names = [name.lower() for name, _ in response.headers.raw]
                assert names in ([b"content-length", b"x-a"], [b"x-a", b"transfer-encoding"])
                assert b"".join([piece async for piece in response.stream]) == b"hello"
                await response.stream.aclose()

    asyncio.run(run())


def test_an_answer_without_length_that_is_reset_is_not_complete() -> None:
    go_on = asyncio.Event()

    async def reset(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhel")
        await writer.drain()
        await go_on.wait()
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async def run() -> None:
        async with served(reset) as (server, transport):
            request = httpx.Request("POST", server.url, content=b"")
            response = await transport.handle_async_request(request)
            assert isinstance(response.stream, httpx.AsyncByteStream)
            pieces = aiter(response.stream)
            assert await anext(pieces) == b"hel"
            go_on.set()
            with pytest.raises(httpx.RemoteProtocolError, match="in the middle"):
                await anext(pieces)

    asyncio.run(run())


def test_an_answer_that_came_whole_and_was_left_unread_gives_no_connection_back() -> None:
    long = b"HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" + b"x" * 400_000

    async def run() -> None:
        async with served(long) as (server, transport):
            for _ in range(2):
                request = httpx.Request("POST", server.url, content=b"")
                response = await transport.handle_async_request(request)
                assert isinstance(response.stream, httpx.AsyncByteStream)
                await response.stream.aclose()
            assert server.connections == 2

    asyncio.run(run())


LARGE = bytes(range(256)) * 32 * 1024
"""A body that is sent in many pieces: 8 MB, more than any socket buffers."""


@pytest.mark.parametrize("answers_first", [False, True])
def test_a_large_body_arrives_whole_also_at_a_server_that_answers_first(
    answers_first: bool,
) -> None:
    received: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if answers_first:
            writer.write(WHOLE)
            await writer.drain()
        received.append(await reader.readexactly(len(LARGE)))
        if not answers_first:
            writer.write(WHOLE)
        await writer.drain()
        writer.close()
        done.set()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, AsyncioTransport() as transport:
            request = httpx.Request("POST", f"http://127.0.0.1:{port}/", content=LARGE)
            answer = await transport.handle_async_request(request)
            assert await answer.aread() == b"hello"
            await done.wait()

    done = asyncio.Event()
    asyncio.run(run())
    assert received == [LARGE]


def test_a_server_that_closes_before_a_large_body_is_sent_is_an_error() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, AsyncioTransport() as transport:
            request = httpx.Request("POST", f"http://127.0.0.1:{port}/", content=LARGE)
            with pytest.raises(httpx.TransportError):
                await transport.handle_async_request(request)

    asyncio.run(run())
