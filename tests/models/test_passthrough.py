"""Answers are relayed unchanged; only errors are read, to remove keys from them."""

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from coderelay.conversation import UpstreamError
from coderelay.models.passthrough import Passthrough

KEY = "sk-server/secret="
ERROR_WITH_KEY = json.dumps({"error": {"message": f"wrong key {KEY}"}}).encode()


class Pieces(httpx.AsyncByteStream):
    """A body that counts how much of it was read."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces
        self.read = 0
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            self.read += 1
            yield piece

    async def aclose(self) -> None:
        self.closed = True


class Transport(httpx.AsyncBaseTransport):
    def __init__(self, answer: httpx.Response | httpx.HTTPError) -> None:
        self._answer = answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if isinstance(self._answer, httpx.HTTPError):
            raise self._answer
        return self._answer


def passed(
    answer: httpx.Response | httpx.HTTPError, key: str | None = KEY
) -> tuple[int, dict[bytes, bytes], bytes]:
    async def run() -> tuple[int, dict[bytes, bytes], bytes]:
        passthrough = Passthrough(Transport(answer), "http://model.test/v1", timeout=5.0)
        async with passthrough.send("POST", "/x", b"{}", headers=[], key=key) as back:
            body = b"".join([piece async for piece in back.body])
            return back.status, dict(back.headers), body

    return asyncio.run(run())


def refused(body: Pieces, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(401, headers=named, stream=body)


@pytest.mark.parametrize(
    "written",
    [KEY, KEY.replace("/", "\\/"), KEY.replace("=", "\\u003D"), "sk-server%2fsecret%3D"],
)
def test_a_refusal_comes_back_without_the_key(written: str) -> None:
    whole = b'{"why": "%s!"}' % written.encode()
    body = Pieces(whole[:15], whole[15:])
    status, headers, content = passed(refused(body, content_length=str(len(whole)), x_a="b"))
    assert (status, content) == (401, b'{"why": "***!"}')
    assert headers == {b"content-length": b"15", b"x-a": b"b"}
    assert body.closed


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(ERROR_WITH_KEY)),
        ("deflate", zlib.compress(ERROR_WITH_KEY)),
        ("identity", ERROR_WITH_KEY),
    ],
    ids=["gzip", "deflate", "identity"],
)
def test_a_packed_refusal_is_unpacked(coding: str, packed: bytes) -> None:
    _, headers, content = passed(refused(Pieces(packed), content_encoding=coding))
    assert json.loads(content) == {"error": {"message": "wrong key ***"}}
    assert headers == {b"content-length": b"%d" % len(content)}


@pytest.mark.parametrize(
    ("pieces", "coding"),
    [
        ([ERROR_WITH_KEY], "br"),
        ([ERROR_WITH_KEY], "gzip"),
        ([gzip.compress(b"x" * 2_000_000)], "gzip"),
        ([b"x" * 400_000] * 9, ""),
    ],
    ids=["unknown", "damaged", "bomb", "long"],
)
def test_an_error_body_that_cannot_be_read_is_reported(pieces: Any, coding: str) -> None:
    body = Pieces(*pieces)
    with pytest.raises(UpstreamError, match="answered 401") as caught:
        passed(refused(body, content_encoding=coding))
    assert caught.value.status == 401
    assert body.read <= 3
    assert body.closed


def test_a_refusal_of_a_request_without_a_key_is_as_it_was() -> None:
    assert passed(refused(Pieces(ERROR_WITH_KEY)), key=None)[2] == ERROR_WITH_KEY


@pytest.mark.parametrize("status", [200, 403])
def test_no_header_tells_the_key(status: int) -> None:
    sent = {"x-auth": f"Bearer {KEY}", "retry-after": "7"}
    headers = passed(httpx.Response(status, headers=sent, stream=Pieces()))[1]
    assert headers[b"x-auth"] == b"Bearer ***"
    assert headers[b"retry-after"] == b"7"


def test_successful_answers_are_relayed_byte_by_byte() -> None:
    packed = gzip.compress(ERROR_WITH_KEY)
    sent = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    answer = httpx.Response(200, headers=sent, stream=Pieces(packed))
    status, headers, content = passed(answer, key="x")
    assert (status, content) == (200, packed)
    assert headers == {name.encode(): value.encode() for name, value in sent.items()}


def test_what_the_transport_says_is_told_without_the_key() -> None:
    error = httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'")
    with pytest.raises(UpstreamError, match="Illegal header value") as caught:
        passed(error)
    assert KEY not in str(caught.value)
