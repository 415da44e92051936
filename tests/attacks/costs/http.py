"""What it costs to read what a model's endpoint sends over HTTP, and the headers of a client."""

import asyncio
import zlib
from collections import deque
from collections.abc import Callable
from contextlib import suppress

import httpx
import uvicorn
from uvicorn.server import ServerState

from coderelay.conversation import UpstreamError
from coderelay.models.answer_limits import AnswerLimits
from coderelay.models.chat_client import ChatClient
from coderelay.models.content_encoding import unpacker
from coderelay.models.http_connection import HttpConnection
from coderelay.models.redaction import LONGEST, scrub
from coderelay.models.server_sent_events import EventReader, WholeEvents
from coderelay.server.access import Hosts
from coderelay.server.client_connection import ClientConnection
from tests.attacks.costs import Case

EVENT = 256 * 1024
HEAD = 60 * 1024
ANSWER = 600_000


def in_pieces(text: bytes, size: int) -> list[bytes]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def read_events(pieces: list[bytes]) -> None:
    deque(map(EventReader(10**9).feed, pieces), maxlen=0)


def pass_events(pieces: list[bytes]) -> None:
    deque(map(WholeEvents(10**9).feed, pieces), maxlen=0)


def read_head(pieces: list[bytes]) -> None:
    deque(map(HttpConnection().data_received, pieces), maxlen=0)


class Silence(asyncio.Transport):
    """A client's end of a connection: it sends, and reads nothing."""

    def is_closing(self) -> bool:
        return False

    def write(self, data: object) -> None:
        """Nobody reads it."""

    def close(self) -> None:
        """Whoever sends goes on all the same."""

    def abort(self) -> None:
        """Whoever sends goes on all the same."""


async def _app(scope: object, receive: object, send: object) -> None:
    """It is never called: no request comes to its end."""


CLIENT = "server.client_connection.ClientConnection.data_received"
SHORT_HEADER = b"x:" + b"y" * 252 + b"\r\n"


def request_of(repeated: bytes) -> Callable[[int], list[bytes]]:
    """A request that does not end, in small pieces."""
    return lambda size: in_pieces(b"POST / HTTP/1.1\r\n" + (repeated * size)[: size - 30], 16)


def receive(pieces: list[bytes]) -> None:
    """What a server does with the pieces of a request."""
    config = uvicorn.Config(_app, log_config=None, ws="none", lifespan="off")
    config.load()
    loop = asyncio.new_event_loop()
    try:
        connection = ClientConnection(config, ServerState(), {}, loop)
        connection.connection_made(Silence())
        deque(map(connection.data_received, pieces), maxlen=0)
    finally:
        loop.close()


def check_host(host: bytes) -> None:
    Hosts((host.decode(),), keys=False).check([(b"host", host)], "1.1")


def ask(answer: bytes) -> None:
    """Ask a model that sends this event. What is done on other threads does not count."""
    head = {"content-type": "text/event-stream"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=answer, headers=head))
    model = ChatClient("http://model.test/v1", transport=transport, limits=AnswerLimits())

    async def run() -> None:
        with suppress(UpstreamError):
            async for _ in model.stream({"messages": []}, key="sk-2"):
                pass

    asyncio.run(run())


def event(before: bytes, piece: bytes, after: bytes) -> Callable[[int], bytes]:
    return lambda size: b"data: " + before + piece * (size // len(piece)) + after + b"\n\n"


ANSWERS = {
    "an error of escapes": event(b'{"error": "', b"%41", b'"}'),
    "an error that is no text": event(b'{"error": [', b"[],", b"1]}"),
    "a further field": event(b'{"choices": [{"delta": {"x": [', b"[],", b"1]}}]}"),
    "calls without end": event(b'{"choices": [{"delta": {"tool_calls": [', b"{},", b"{}]}}]}"),
    "no UTF-8": event(b"", b"\xff", b""),
}
STREAMS = {
    "a line without end, in small pieces": lambda size: in_pieces(b"data: " + b"x" * size, 16),
    "lines of one event, in small pieces": lambda size: in_pieces(b"data: x\n" * (size // 8), 16),
    "a comment without end, in small pieces": lambda size: in_pieces(b":" + b"x" * size, 16),
    "line ends only": lambda size: in_pieces(b"\r\n\r" * (size // 3), 4096),
    "comments only": lambda size: in_pieces(b":\n" * (size // 2), 4096),
}

CASES = (
    *(
        Case(f"models.server_sent_events.{place}.feed", text, EVENT, make, read)
        for place, read in (("EventReader", read_events), ("WholeEvents", pass_events))
        for text, make in STREAMS.items()
    ),
    Case(
        "models.content_encoding.unpacker",
        "zeros, packed a thousandfold",
        8_000_000,
        lambda size: zlib.compress(b"0" * size),
        lambda packed: deque(unpacker("deflate")(packed), maxlen=0),
    ),
    Case(
        "models.http_connection.HttpConnection.data_received",
        "a header in small pieces",
        HEAD,
        lambda size: in_pieces(b"HTTP/1.1 200 OK\r\nX: " + b"y" * (size - 30), 16),
        read_head,
    ),
    Case(
        "models.http_connection.HttpConnection.data_received",
        "headers of one letter",
        HEAD,
        lambda size: in_pieces(b"HTTP/1.1 200 OK\r\n" + b"x:\r\n" * ((size - 30) // 4), 4096),
        read_head,
    ),
    Case(CLIENT, "a header in small pieces", HEAD, request_of(b"y"), receive),
    Case(CLIENT, "short headers in small pieces", HEAD, request_of(SHORT_HEADER), receive),
    *(
        Case("models.chat_client.ChatClient.stream", text, ANSWER, make, ask)
        for text, make in ANSWERS.items()
    ),
    Case(
        "models.redaction.scrub",
        "escapes that nearly spell the key",
        LONGEST,
        lambda size: "%41" * (size // 3),
        lambda text: scrub(text, "A" * 1_000 + "B"),
    ),
    Case(
        "models.redaction.scrub",
        "a text that nearly is the key",
        LONGEST,
        lambda size: ("a" * size, "a" * (size // 2) + "b"),
        lambda made: scrub(*made),
    ),
    Case(
        "server.access.Hosts.check",
        "a name of dots",
        HEAD,
        lambda size: b"." * size,
        check_host,
    ),
)
