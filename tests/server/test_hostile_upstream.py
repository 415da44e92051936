"""Whatever an endpoint sends, memory stays bounded, the client gets an error, and others are
served."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from coderelay.models.passthrough import CREDENTIALS
from tests.server import hostile as attacks
from tests.server.hostile import Hostile, hostile
from tests.server.serving import CODE, COMPLETIONS, PLAIN, gateway, process, refusal

Json = Any
LIMITS: dict[str, Any] = {"max_answer": 1_000_000, "max_stream": 2_000_000}
IN_SOCKETS = 16_000_000
"""What the system may hold of a connection between the two sides."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[tuple[Hostile, str]]:
    with hostile() as behind, gateway(behind.url, **LIMITS) as url:
        yield behind, url


def served_well(http: httpx.Client, behind: Hostile, url: str) -> None:
    behind.begin(attacks.well_behaved)
    answer = http.post(url + COMPLETIONS, json=CODE).json()
    assert answer["choices"][0]["message"]["content"] == "Hi."


BODIES = {"passed on": PLAIN, "read": CODE, "read as a stream": {**CODE, "stream": True}}


@pytest.mark.parametrize("mode", BODIES)
@pytest.mark.parametrize("what", attacks.NO_ANSWER)
def test_an_answer_that_never_begins_is_a_502(
    http: httpx.Client, endpoint: tuple[Hostile, str], what: str, mode: str
) -> None:
    behind, url = endpoint
    behind.begin(attacks.NO_ANSWER[what])
    error = refusal(http.post(url + COMPLETIONS, json=BODIES[mode]), 502)
    assert "the model's endpoint" in error["message"]
    assert behind.sent < IN_SOCKETS
    served_well(http, behind, url)


@pytest.mark.parametrize("mode", ["read", "read as a stream"])
@pytest.mark.parametrize("what", [*attacks.WITH_A_BODY, *attacks.PACKED])
def test_an_answer_over_its_limit_is_a_502_where_it_is_read(
    http: httpx.Client, endpoint: tuple[Hostile, str], what: str, mode: str
) -> None:
    behind, url = endpoint
    behind.begin((attacks.WITH_A_BODY | attacks.PACKED)[what])
    error = refusal(http.post(url + COMPLETIONS, json=BODIES[mode]), 502)
    assert "the model's endpoint" in error["message"]
    assert behind.sent < IN_SOCKETS
    served_well(http, behind, url)


@pytest.mark.parametrize("what", attacks.WITH_A_BODY)
def test_an_answer_over_its_limit_is_cut_where_it_is_passed_on(
    http: httpx.Client, endpoint: tuple[Hostile, str], what: str
) -> None:
    behind, url = endpoint
    behind.begin(attacks.WITH_A_BODY[what])
    got = b""
    try:
        with http.stream("POST", url + COMPLETIONS, json=PLAIN) as response:
            for piece in response.iter_raw():
                got += piece
    except httpx.RemoteProtocolError:
        assert "stream" not in what  # no event can be added to what is no stream
    else:
        last = json.loads(got.split(b"data: ")[-1])
        assert last["error"]["type"] == "upstream_error"
    behind.cut.wait()
    assert behind.sent < IN_SOCKETS
    assert len(got) <= LIMITS["max_stream"] + 1_000
    served_well(http, behind, url)


def test_a_compressed_answer_is_passed_on_as_it_is(
    http: httpx.Client, endpoint: tuple[Hostile, str]
) -> None:
    behind, url = endpoint
    behind.begin(attacks.PACKED["a gzip bomb"])
    with http.stream("POST", url + COMPLETIONS, json=PLAIN) as response:
        got = b"".join(response.iter_raw())
    assert response.headers["content-encoding"] == "gzip"
    assert len(got) < 100_000


HEAVY = (
    "a header line without end",
    "headers without end",
    "an error's body without end",
    "a body in chunks without end",
    "a body of no stated length without end",
    "a line of a stream without end",
    "an event of a stream without end",
    "a trailer without end",
    "a gzip bomb",
    "a gzip bomb in a stream",
    "a gzip bomb in an error",
)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_no_attack_fills_the_memory_of_a_server(http: httpx.Client) -> None:
    """With the limits as they are by default."""
    with hostile() as behind, process("--upstream", behind.url) as server:
        url = server.ready()
        served_well(http, behind, url)
        before = peak(server.process.pid)
        every = attacks.NO_ANSWER | attacks.WITH_A_BODY | attacks.PACKED
        for what in HEAVY:
            behind.begin(every[what])
            refusal(http.post(url + COMPLETIONS, json=CODE), 502)
        served_well(http, behind, url)
        assert peak(server.process.pid) - before < 120_000_000


def peak(pid: int) -> int:
    """The most memory that a process has had, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


BEGUN = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'15\r\ndata: {"first": 1}\n\nda\r\n'
)


@pytest.mark.parametrize(
    "rest",
    [b"", b'a\r\nta: {"half\r\n', b"5\r\nta: x\r\nzz", b"7\r\nta: x\n:\r\n"],
    ids=["in a field's name", "in its value", "in no HTTP", "in a comment"],
)
def test_a_stream_that_breaks_off_in_an_event_ends_with_an_event_of_its_own(
    http: httpx.Client, endpoint: tuple[Hostile, str], rest: bytes
) -> None:
    behind, url = endpoint
    behind.begin(lambda: iter([BEGUN, rest]))
    heard = http.post(url + COMPLETIONS, json=PLAIN).text.split("\n\n")
    assert heard[0] == 'data: {"first": 1}'
    assert json.loads(heard[1].removeprefix("data: "))["error"]["type"] == "upstream_error"
    assert heard[2:] == [""]


def test_a_second_answer_in_one_segment_is_passed_over(
    http: httpx.Client, endpoint: tuple[Hostile, str]
) -> None:
    behind, url = endpoint
    one = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-N: 1\r\n\r\n{}"
    two = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-N: 2\r\n\r\n[1]"
    behind.begin(lambda: iter([one + two]))
    response = http.post(url + COMPLETIONS, json=PLAIN)
    assert response.headers.get_list("content-length") == ["2"]
    assert response.headers.get_list("x-n") == ["1"]
    assert response.content == b"{}"
    served_well(http, behind, url)


@pytest.mark.parametrize(
    ("answer", "status", "body"),
    [
        (b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, b""),
        (b"HTTP/1.0 200 OK\r\n\r\nhello", 200, b"hello"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more", 200, b"hello"),
    ],
    ids=["no content", "HTTP/1.0 without a length", "longer than it says"],
)
def test_an_unusual_but_valid_answer_is_passed_on(
    http: httpx.Client, endpoint: tuple[Hostile, str], answer: bytes, status: int, body: bytes
) -> None:
    behind, url = endpoint
    behind.begin(lambda: iter([answer]))
    response = http.post(url + COMPLETIONS, json=PLAIN)
    assert (response.status_code, response.content) == (status, body)
    served_well(http, behind, url)


def test_an_answer_shorter_than_it_says_is_cut(
    http: httpx.Client, endpoint: tuple[Hostile, str]
) -> None:
    behind, url = endpoint
    behind.begin(lambda: iter([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"]))
    with pytest.raises(httpx.RemoteProtocolError):
        http.post(url + COMPLETIONS, json=PLAIN)
    refusal(http.post(url + COMPLETIONS, json=CODE), 502)
    served_well(http, behind, url)


def test_no_credential_of_a_client_goes_upstream_but_the_one_it_is_meant_for(
    http: httpx.Client, endpoint: tuple[Hostile, str]
) -> None:
    behind, url = endpoint
    behind.begin(attacks.well_behaved)
    secret = {name.decode(): f"secret-{place}" for place, name in enumerate(sorted(CREDENTIALS))}
    named = {"connection": "keep-alive, X-Hop", "x-hop": "secret-hop", "x-team": "blue"}
    for key in ({}, {"authorization": "Bearer sk-1"}):
        headers = {**secret, **named, **key}
        http.post(url + COMPLETIONS, json=PLAIN, headers=headers)
        sent = behind.requests[-1].lower()
        assert b"x-team: blue" in sent
        assert sent.count(b"secret-") == 0 if key else sent.count(b"secret-") <= 1
    assert b"authorization: bearer sk-1" in sent


def test_a_broken_answer_is_reported_in_the_clients_own_api(
    http: httpx.Client, endpoint: tuple[Hostile, str]
) -> None:
    behind, url = endpoint
    behind.begin(attacks.NO_ANSWER["a header line without end"])
    message = {"model": "m", "max_tokens": 9, "messages": PLAIN["messages"]}
    response = http.post(f"{url}/messages", json=message)
    assert (response.status_code, response.json()["type"]) == (502, "error")
    response = http.post(f"{url}/responses", json={"model": "m", "input": "Hi"})
    assert "headers are too long" in refusal(response, 502)["message"]
