"""A server on 127.0.0.1 that sends what a test says, and a transport that speaks to it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx

from coderelay.models.http_transport import AsyncioTransport

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
    transport: httpx.AsyncBaseTransport, url: str, *, read_timeout: float | None = None
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
