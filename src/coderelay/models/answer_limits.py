"""An endpoint's answer is read within limits, which hold before and after decompression."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import httpx

from coderelay.core.limits import MB
from coderelay.models.content_encoding import unpacker
from coderelay.models.failures import too_long
from coderelay.models.server_sent_events import EventReader

_AT_ONCE = 16 * 1024
"""Bytes of a stream that are handled before other tasks get a turn of the event loop."""
_LONGEST_NUMBER = 18
"""Digits of a length that is read as a number. A longer one is over any limit."""

DEFAULT_TIMEOUT = 600.0
"""Seconds that an endpoint may send nothing before a request fails."""
MAX_ANSWER, MAX_STREAM = 16 * MB, 256 * MB
LONGEST_REFUSAL = 100_000
"""Bytes of a refusal that are read, compressed and decompressed."""


@dataclass(frozen=True, slots=True)
class AnswerLimits:
    """The most bytes of an answer, as it was sent and after decompression."""

    whole: int = MAX_ANSWER
    """For what is in memory at once: an answer that comes whole, or one event of a stream."""
    stream: int = MAX_STREAM
    """For all of a stream, or of an answer that is passed on as it comes."""


async def read_whole(response: httpx.Response, limit: int) -> bytes:
    """The whole body, decompressed. Raises `UpstreamError` if it is over the limit."""
    check_stated_length(response, limit)
    body = bytearray()
    async for piece in _unpacked(response, limit):
        body += piece
    return bytes(body)


async def read_start(response: httpx.Response, length: int) -> bytes:
    """The first bytes of a body, decompressed: as much of an error as anybody reads."""
    body = bytearray()
    async with aclosing(_unpacked(response, 16 * length)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) >= length:
                break
    return bytes(body[:length])


async def read_events(response: httpx.Response, limits: AnswerLimits) -> AsyncGenerator[str, None]:
    """The data of each event of a stream. Raises `UpstreamError` if the stream or one of its events
    is over its limit."""
    check_stated_length(response, limits.stream)
    reader = EventReader(limits.whole)
    async for piece in _unpacked(response, limits.stream):
        for start in range(0, len(piece), _AT_ONCE):
            if start:
                await asyncio.sleep(0)
            for data in reader.feed(piece[start : start + _AT_ONCE]):
                yield data


def check_stated_length(response: httpx.Response, limit: int) -> None:
    """Raise `UpstreamError` for a body whose `Content-Length` is over the limit."""
    stated = response.headers.get("content-length", "")
    if stated.isdecimal() and (len(stated) > _LONGEST_NUMBER or int(stated) > limit):
        raise too_long(limit, "an answer")


async def _unpacked(response: httpx.Response, limit: int) -> AsyncGenerator[bytes, None]:
    """The pieces of a body, decompressed."""
    unpack = unpacker(response.headers.get("content-encoding", ""))
    # not the response's own methods: they would decompress without a limit
    assert isinstance(response.stream, httpx.AsyncByteStream)
    sent = unpacked = 0
    async for packed in response.stream:
        sent += len(packed)
        if sent > limit:
            raise too_long(limit, "an answer")
        for piece in unpack(packed):
            unpacked += len(piece)
            if unpacked > limit:
                raise too_long(limit, "an answer")
            yield piece
