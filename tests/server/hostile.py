"""An endpoint that sends whatever a test says, byte by byte, until the other side hangs up."""

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import repeat

Attack = Callable[[], Iterator[bytes]]

GOOD = b'{"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]}'
MOST = 64_000_000
"""What is sent at most: whoever takes all of it has no limit."""


class Hostile:
    """Answers every request with the bytes of its attack. `sent` counts them."""

    def __init__(self) -> None:
        self.attack: Attack = well_behaved
        self.sent = 0
        self.cut = threading.Event()
        """Whether the other side closed the connection during the attack."""
        self.requests: list[bytes] = []
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def begin(self, attack: Attack) -> None:
        """Answer with this from the next request on."""
        self.attack, self.sent = attack, 0
        self.cut.clear()

    def close(self) -> None:
        """Take no more connections."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._accepting.join()

    def _accept(self) -> None:
        serving: list[threading.Thread] = []
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                serving.append(threading.Thread(target=self._serve, args=(connection,)))
                serving[-1].start()
        for thread in serving:
            thread.join()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                self.requests.append(read_request(connection))
                sent = 0
                for piece in self.attack():
                    connection.sendall(piece)
                    sent += len(piece)
                    self.sent += len(piece)
                    if sent > MOST:
                        return
            except OSError:
                self.cut.set()


@contextmanager
def hostile() -> Iterator[Hostile]:
    """A hostile endpoint, gone afterwards."""
    endpoint = Hostile()
    try:
        yield endpoint
    finally:
        endpoint.close()


def read_request(connection: socket.socket) -> bytes:
    """A request with its body."""
    raw = b""
    while b"\r\n\r\n" not in raw:
        raw += _received(connection)
    length = int(raw.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
    while len(raw.partition(b"\r\n\r\n")[2]) < length:
        raw += _received(connection)
    return raw


def _received(connection: socket.socket) -> bytes:
    piece = connection.recv(65536)
    if not piece:
        raise ConnectionError("the other side hung up")
    return piece


def well_behaved() -> Iterator[bytes]:
    """What every client hopes for."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
    yield head + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD


_PIECE = b"x" * 50_000
_OK = b"HTTP/1.1 200 OK\r\n"
_JSON = _OK + b"Content-Type: application/json\r\n"
_EVENTS = _OK + b"Content-Type: text/event-stream\r\n"
_CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def _then(head: bytes, piece: bytes) -> Attack:
    def attack() -> Iterator[bytes]:
        yield head
        yield from repeat(piece)

    return attack


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n" % len(data) + data + b"\r\n"


def _bomb(head: bytes, coding: bytes, packed: bytes) -> Attack:
    def attack() -> Iterator[bytes]:
        yield head + b"Content-Encoding: " + coding + b"\r\n"
        yield b"Content-Length: %d\r\n\r\n" % len(packed) + packed

    return attack


NO_ANSWER: dict[str, Attack] = {
    "a header line without end": _then(_OK + b"X-Long: ", _PIECE),
    "headers without end": _then(_OK, b"".join(b"X-%04d: y\r\n" % n for n in range(5000))),
    "a status line without end": _then(b"HTTP/1.1 200 ", _PIECE),
    "interim answers without end": _then(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2000),
    "interim answers with headers without end": _then(
        b"", b"HTTP/1.1 103 X\r\nA: b\r\n\r\n" * 2000
    ),
    "empty lines without end": _then(b"", b"\r\n" * 20_000),
    "a stated length over the limit": _then(
        _JSON + b"Content-Length: 999999999999\r\n\r\n", _PIECE
    ),
    "an error's body without end": _then(
        b"HTTP/1.1 400 Bad Request\r\n" + _CHUNKED, _chunk(_PIECE)
    ),
    "another protocol": _then(b"HTTP/1.1 101 Switching Protocols\r\n\r\n", _PIECE),
    "a status beyond all": lambda: iter([b"HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nhi"]),
    "a status of zero": lambda: iter([b"HTTP/1.1 000 Odd\r\nContent-Length: 2\r\n\r\nhi"]),
    "two lengths": lambda: iter([_JSON + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}"]),
    "a length and chunks": lambda: iter(
        [_JSON + b"Content-Length: 2\r\n" + _CHUNKED + b"2\r\n{}\r\n0\r\n\r\n"]
    ),
    "a transfer coding of gzip": lambda: iter([_JSON + b"Transfer-Encoding: gzip\r\n\r\nhi"]),
    "a redirect": lambda: iter(
        [b"HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"]
    ),
}
"""Attacks that never come to an answer: a 502 in every mode."""

WITH_A_BODY: dict[str, Attack] = {
    "a body in chunks without end": _then(_JSON + _CHUNKED, _chunk(_PIECE)),
    "a body of no stated length without end": _then(_JSON + b"\r\n", _PIECE),
    "a line of a stream without end": _then(_EVENTS + _CHUNKED, _chunk(b"data: " + _PIECE)),
    "a comment of a stream without end": _then(_EVENTS + _CHUNKED + b"1\r\n:\r\n", _chunk(_PIECE)),
    "an event of a stream without end": _then(_EVENTS + _CHUNKED, _chunk(b"data: x\n" * 5_000)),
    "events of a stream without end": _then(
        _EVENTS + _CHUNKED, _chunk(b'data: {"choices": []}\n\n' * 2_000)
    ),
    "comments of a stream without end": _then(_EVENTS + _CHUNKED, _chunk(b": alive\n\n" * 5_000)),
    "an extension of a chunk without end": _then(_JSON + _CHUNKED + b"1;x=", _PIECE),
    "long extensions of small chunks": _then(
        _JSON + _CHUNKED, b"1;x=" + b"y" * 50_000 + b"\r\nz\r\n"
    ),
    "a trailer without end": _then(_JSON + _CHUNKED + b"2\r\n{}\r\n0\r\nX-Long: ", _PIECE),
    "trailers without end": _then(
        _JSON + _CHUNKED + b"2\r\n{}\r\n0\r\n", b"X-Trailer: y\r\n" * 3_000
    ),
}
"""Attacks whose answer begins well: a 502 where it is read, and a broken answer where it is
passed on."""

_ZEROS = gzip.compress(b"0" * 30_000_000)

PACKED: dict[str, Attack] = {
    "a gzip bomb": _bomb(_JSON, b"gzip", _ZEROS),
    "a gzip bomb in a stream": _bomb(_EVENTS, b"gzip", _ZEROS),
    "a gzip bomb in an error": _bomb(b"HTTP/1.1 400 Bad\r\n", b"gzip", _ZEROS),
    "an unknown coding": _bomb(_JSON, b"br", b"xyz"),
    "two codings": _bomb(_JSON, b"gzip, gzip", gzip.compress(_ZEROS)),
    "a damaged gzip": _bomb(_JSON, b"gzip", b"xyz"),
}
"""Compressed answers, although none was asked for: a 502 where they are read."""
