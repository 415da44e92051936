"""A client without a key can occupy little memory, and others are served meanwhile."""

import json
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path

import httpx
import pytest

from tests.server.raw import connect, exchange, status_and_error
from tests.server.serving import COMPLETIONS, PLAIN, gateway, process, refusal
from tests.server.test_hostile_upstream import peak

IN_SOCKETS = 16_000_000
"""What the system may hold of a connection between the two sides."""
LINE = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
BODY = json.dumps(PLAIN).encode()
PIECE = b"x" * 50_000


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    """The base URL of a server that asks for a key."""
    with gateway("scripted", client_keys=("sesame",), max_body=100_000) as url:
        yield url


ENDLESS = {
    "a request line": (b"GET /", PIECE),
    "a query": (b"GET /v1/models?", PIECE),
    "a header line": (LINE + b"X-Long: ", PIECE),
    "a header's name": (LINE, PIECE),
    "headers": (LINE, b"".join(b"X-%04d: y\r\n" % number for number in range(5_000))),
    "empty lines": (b"", b"\r\n" * 20_000),
}


def endless(what: str) -> Iterator[bytes]:
    start, rest = ENDLESS[what]
    return chain([start], repeat(rest))


@pytest.mark.parametrize("what", ENDLESS)
def test_headers_without_end_are_a_431_and_the_end_of_the_connection(
    http: httpx.Client, guarded: str, what: str
) -> None:
    answer, sent = exchange(guarded, endless(what))
    status, error = status_and_error(answer)
    assert status == 431
    assert "--max-headers" in error["message"]
    assert sent < IN_SOCKETS
    refusal(http.post(guarded + COMPLETIONS, json=PLAIN), 401)


@pytest.mark.parametrize("count", [257, 10_000])
def test_too_many_headers_are_a_431(guarded: str, count: int) -> None:
    headers = b"".join(b"X%d:y\r\n" % number for number in range(count - 1))
    status, error = status_and_error(exchange(guarded, [LINE + headers + b"\r\n"])[0])
    assert status == 431
    assert "256" in error["message"]


def test_many_and_long_headers_are_served_up_to_their_limits(http: httpx.Client) -> None:
    with gateway("scripted", max_headers=100_000) as url:
        many = {f"x-{number}": "y" for number in range(240)}
        assert http.get(f"{url}/models", headers=many).status_code == 200
        assert http.get(f"{url}/models", headers={"x-long": "y" * 99_000}).status_code == 200
        assert http.get(f"{url}/models", headers={"x-long": "y" * 101_000}).status_code == 431


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_a_request_in_small_pieces_is_served(guarded: str, size: int) -> None:
    head = LINE + b"Authorization: Bearer sesame\r\nConnection: close\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"1;x=y\r\n%c\r\n" % letter for letter in BODY)
    request = chunked + chunks + b"0\r\nX-Trailer: z\r\n\r\n"
    pieces = (request[start : start + size] for start in range(0, len(request), size))
    assert exchange(guarded, pieces)[0].startswith(b"HTTP/1.1 200")


CHUNKED = LINE + b"Authorization: Bearer sesame\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("start", "rest"),
    [
        (b"1;x=", PIECE),
        (b"", b"1;x=" + PIECE + b"\r\ny\r\n"),
        (b"1\r\n \r\n0\r\nX-Trailer: ", PIECE),
        (b"1\r\n \r\n0\r\n", b"X-Trailer: y\r\n" * 3_000),
    ],
    ids=["an extension", "many extensions", "a trailer", "trailers"],
)
def test_bytes_between_chunks_of_a_body_are_limited(
    guarded: str, start: bytes, rest: bytes
) -> None:
    answer, sent = exchange(guarded, chain([CHUNKED + start], repeat(rest)))
    assert status_and_error(answer)[0] == 431
    assert sent < IN_SOCKETS


@pytest.mark.parametrize("key", [b"", b"Authorization: Bearer wrong\r\n"], ids=["none", "wrong"])
def test_the_body_of_a_request_without_a_key_is_not_kept(guarded: str, key: bytes) -> None:
    head = LINE + key + b"Transfer-Encoding: chunked\r\n\r\n"
    chunk = b"%x\r\n" % len(PIECE) + PIECE + b"\r\n"
    with connect(guarded) as connection:
        connection.sendall(head)
        assert connection.recv(12) == b"HTTP/1.1 401", "before a byte of the body was sent"
    answer, sent = exchange(guarded, chain([head], repeat(chunk)))
    assert answer.startswith(b"HTTP/1.1 401")
    assert sent < IN_SOCKETS


def test_a_body_over_its_limit_gets_a_413_and_closes_the_connection(guarded: str) -> None:
    chunk = b"%x\r\n" % len(PIECE) + PIECE + b"\r\n"
    answer, sent = exchange(guarded, chain([CHUNKED], repeat(chunk)))
    assert status_and_error(answer)[0] == 413
    assert sent < IN_SOCKETS


@pytest.mark.parametrize(
    "request_",
    [
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"Content-Length: +2\r\n\r\n{}",
        b"Content-Length: 99999999999999999999999\r\n\r\n{}",
        b"X-Nul: a\0b\r\n\r\n",
        b"X-Folded: a\r\n b\r\n\r\n",
        b"X-Space : a\r\n\r\n",
        b"no colon\r\n\r\n",
    ],
    ids=repr,
)
def test_a_request_that_two_servers_could_read_differently_is_a_400(
    guarded: str, request_: bytes
) -> None:
    head = LINE + b"Authorization: Bearer sesame\r\n"
    status, error = status_and_error(exchange(guarded, [head + request_])[0])
    assert status == 400
    assert error["type"] == "invalid_request_error"


def test_a_trailer_is_no_header_of_the_request(http: httpx.Client, guarded: str) -> None:
    """The request is served while its body comes, so a late header could still be taken for one."""
    trailed = LINE + b"Transfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: Bearer sesame\r\n\r\n"
    with connect(guarded) as connection:
        connection.sendall(trailed)
        assert connection.recv(12) == b"HTTP/1.1 401"


def test_requests_that_wait_on_one_connection_are_few(http: httpx.Client) -> None:
    with gateway("scripted") as url:
        one = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
        few = one * 8 + one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        assert exchange(url, [few])[0].count(b"HTTP/1.1 200") == 9
        assert exchange(url, [one * 10_000])[0].count(b"HTTP/1.1 200") < 1_000


def test_a_bad_request_behind_one_that_is_served_gets_no_answer(guarded: str) -> None:
    good = LINE + b"Authorization: Bearer sesame\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
    answer = exchange(guarded, [good + b"nonsense\r\n\r\n"])[0]
    assert answer.count(b"HTTP/1.1") <= 1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_no_client_fills_the_memory_of_a_server(http: httpx.Client) -> None:
    with process("--upstream", "scripted", "--client-key", "sesame") as server:
        url = server.ready()
        before = peak(server.process.pid)
        for what in ENDLESS:
            exchange(url, endless(what))
        one = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
        exchange(url, [one * 10_000])
        assert peak(server.process.pid) - before < 60_000_000
