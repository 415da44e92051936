"""A body is read up to its limit, compressed and decompressed."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator

import httpx
import pytest

from coderelay.conversation import UpstreamError
from coderelay.models.answer_limits import AnswerLimits, read_events, read_start, read_whole
from coderelay.models.content_encoding import PIECE, unpacker

TEXT = b"hello " * 10_000
BARE = zlib.compressobj(wbits=-zlib.MAX_WBITS)
PACKED = {
    "identity": TEXT,
    "": TEXT,
    "gzip": gzip.compress(TEXT),
    "X-GZip": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    " deflate ": BARE.compress(TEXT) + BARE.flush(),
}


class Pieces(httpx.AsyncByteStream):
    """A body in pieces, which counts those that were read."""

    def __init__(self, body: bytes, size: int) -> None:
        self._pieces = [body[start : start + size] for start in range(0, len(body), size)]
        self.read = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            self.read += 1
            yield piece


def response(body: bytes, coding: str = "", size: int = 1000, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if coding:
        named["content-encoding"] = coding
    return httpx.Response(200, headers=named, stream=Pieces(body, size))


@pytest.mark.parametrize("size", [1, 1000, 10**6])
@pytest.mark.parametrize("coding", PACKED)
def test_a_body_is_unpacked_however_it_is_cut(coding: str, size: int) -> None:
    packed = response(PACKED[coding], coding, size)
    assert asyncio.run(read_whole(packed, len(TEXT))) == TEXT


@pytest.mark.parametrize("coding", PACKED)
def test_a_body_over_its_limit_is_refused_unpacked(coding: str) -> None:
    with pytest.raises(UpstreamError, match="more than 59,999 bytes"):
        asyncio.run(read_whole(response(PACKED[coding], coding), len(TEXT) - 1))


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(b"") + b"\0" * 5_000,
        b"\x78\x9c" + b"\0\0\0\xff\xff" * 1_000,
    ],
    ids=["after the end", "empty blocks"],
)
def test_a_body_over_its_limit_is_refused_packed(packed: bytes) -> None:
    with pytest.raises(UpstreamError, match="more than 1,000 bytes"):
        asyncio.run(read_whole(response(packed, "gzip" if packed[0] == 31 else "deflate"), 1_000))


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "compress", "x" * 10_000])
def test_an_unknown_coding_is_named_and_cut(coding: str) -> None:
    with pytest.raises(UpstreamError, match="content coding") as caught:
        asyncio.run(read_whole(response(b"x", coding), 1_000))
    assert len(str(caught.value)) < 200


def test_a_bomb_is_unpacked_a_little_at_a_time() -> None:
    unpack = unpacker("gzip")
    sizes = [len(piece) for piece in unpack(gzip.compress(b"0" * 10_000_000))]
    assert sum(sizes) == 10_000_000
    assert max(sizes) == PIECE


@pytest.mark.parametrize("length", ["1001", "9" * 5_000])
def test_a_length_over_the_limit_is_refused_before_anything_is_read(length: str) -> None:
    refused = response(b"x" * 10, content_length=length)
    with pytest.raises(UpstreamError, match="more than 1,000 bytes"):
        asyncio.run(read_whole(refused, 1_000))
    assert isinstance(refused.stream, Pieces)
    assert refused.stream.read == 0


def test_the_start_of_a_body_is_enough_of_an_error() -> None:
    endless = response(b"x" * 1_000_000)
    assert asyncio.run(read_start(endless, 1_500)) == b"x" * 1_500
    assert isinstance(endless.stream, Pieces)
    assert endless.stream.read == 2


def test_a_stream_is_always_utf8() -> None:
    """A charset such as `zlib` would unpack without a limit."""
    head = "text/event-stream; charset=zlib"
    stream = response("data: é\n\n".encode(), content_type=head)

    async def run() -> list[str]:
        return [data async for data in read_events(stream, AnswerLimits())]

    assert asyncio.run(run()) == ["é"]
