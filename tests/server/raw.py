"""Requests as bytes, for what no client library would send."""

import json
import socket
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

Json = Any
MOST = 150_000_000
"""What is sent at most: a server that takes all of it has no limit."""


def connect(url: str) -> socket.socket:
    """A connection to the server of a base URL."""
    address = urlsplit(url)
    assert address.hostname is not None
    return socket.create_connection((address.hostname, address.port or 80))


def exchange(url: str, pieces: Iterable[bytes]) -> tuple[bytes, int]:
    """Send until everything is sent or the server hangs up. All that it answers until it closes
    the connection, and how many bytes could be sent."""
    sent, answer = 0, b""
    with connect(url) as connection:
        with suppress(ConnectionError):
            for piece in pieces:
                connection.sendall(piece)
                sent += len(piece)
                if sent > MOST:
                    break
        with suppress(ConnectionError):
            while piece := connection.recv(65536):
                answer += piece
    return answer, sent


def status_and_error(answer: bytes) -> tuple[int, Json]:
    """The status of an answer, and the error in its body."""
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]
