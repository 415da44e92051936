"""The transport keeps httpx's promises over a real socket, whatever the other side does."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from coderelay.models.transport import AsyncioTransport, transport_for
from tests.ports import closed_port

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello"


class Server:
    """Answers each request by the next of its answers; the last one is for all that follow."""

    def __init__(self, *answers: bytes | Answer) -> None:
        self._answers = list(answers)
        self.connections = 0
        self.requests: list[bytes] = []
        self.left = asyncio.Event()
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
                self.requests.append(head + await reader.readexactly(length))
                answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
                if isinstance(answer, bytes):
                    writer.write(answer)
                    await writer.drain()
                else:
                    await answer(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.left.set()
        finally:
            writer.close()


@asynccontextmanager
async def served(*answers: bytes | Answer) -> AsyncIterator[tuple[Server, AsyncioTransport]]:
    script = Server(*answers)
    transport = AsyncioTransport()
    listening = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    script.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1/x?q=1"
    async with listening:
        try:
            yield script, transport
        finally:
            await transport.aclose()


async def ask(
    transport: AsyncioTransport, url: str, *, read_timeout: float | None = None
) -> tuple[int, bytes]:
    timeout = httpx.Timeout(None, read=read_timeout)
    async with httpx.AsyncClient(transport=transport, timeout=timeout) as client:
        # httpx's client closes its transport: the connections are for one question then
        response = await client.post(url, content=b"body", headers={"x-b": "c"})
        return response.status_code, response.content


async def send(transport: AsyncioTransport, url: str) -> bytes:
    response = await transport.handle_async_request(httpx.Request("POST", url, content=b"body"))
    assert isinstance(response.stream, httpx.AsyncByteStream)
    content = b"".join([piece async for piece in response.stream])
    await response.stream.aclose()
    return content


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
        (b"SSH-2.0-x\r\n\r\n", "no HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "no HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 70_000 + b"\r\n\r\n", "too long"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "no HTTP"),
    ],
    ids=["another protocol", "bad length", "long headers", "bad chunk"],
)
def test_an_answer_that_is_none_is_told_as_such(answer: bytes, error: str) -> None:
    async def run() -> None:
        async with served(answer) as (server, transport):
            with pytest.raises(httpx.RemoteProtocolError, match=error):
                await ask(transport, server.url)

    asyncio.run(run())


def test_an_answer_that_breaks_off_is_no_whole_answer() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(WHOLE[:-2])
        writer.close()

    async def run() -> None:
        async with served(answer) as (server, transport):
            with pytest.raises(httpx.RemoteProtocolError, match="in the midst"):
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


def test_who_leaves_in_mid_answer_closes_the_connection() -> None:
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


def test_a_proxy_of_the_environment_is_used_except_where_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:3128")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert not isinstance(transport_for("https://model.example/v1"), AsyncioTransport)
    assert isinstance(transport_for("https://127.0.0.1/v1"), AsyncioTransport)
    assert isinstance(transport_for("http://model.example/v1"), AsyncioTransport)
