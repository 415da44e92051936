"""Requests over plain sockets, so that what is measured is the server and not its client."""

import asyncio
import json
import os
import secrets
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

KEY = f"sk-{secrets.token_hex(32)}"
"""Made anew for each run: both proxies ask for it."""
WARM_UP = 20
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(frozen=True, slots=True)
class Load:
    """What came of many requests: how many, in how many seconds of processor time."""

    requests: int
    processor: float
    seconds: float

    @property
    def per_core(self) -> float:
        """Requests per second that one core of the server can do."""
        return self.requests / self.processor


def request(port: int, body: object) -> bytes:
    """A Chat Completions request, written out."""
    content = json.dumps(body).encode()
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {KEY}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes
) -> bytes:
    """Send a request and read its whole answer, which has to be a 200."""
    writer.write(data)
    head = await reader.readuntil(b"\r\n\r\n")
    lower = head.lower()
    if b"content-length:" in lower:
        size = int(lower.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        body = await reader.readexactly(size)
    else:
        body = await _chunked(reader)
    if not head.startswith(b"HTTP/1.1 200"):
        raise OSError(f"{head.splitlines()[0].decode()}: {body[:300].decode(errors='replace')}")
    return body


async def _chunked(reader: asyncio.StreamReader) -> bytes:
    pieces = []
    while size := int(await reader.readline(), 16):
        pieces.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(pieces)


async def latencies_ms(
    *targets: tuple[int, bytes], requests: int, seconds: float
) -> tuple[float, ...]:
    """The median of each target's requests, one after another and in turn, so that what slows
    the machine down slows all of them."""
    connections = [
        (*await asyncio.open_connection("127.0.0.1", port), data) for port, data in targets
    ]
    times: list[list[float]] = [[] for _ in targets]
    deadline = time.perf_counter() + seconds
    while len(times[-1]) < requests + WARM_UP and time.perf_counter() < deadline:
        for (reader, writer, data), taken in zip(connections, times, strict=True):
            started = time.perf_counter()
            await exchange(reader, writer, data)
            taken.append((time.perf_counter() - started) * 1e3)
    for _, writer, _ in connections:
        writer.close()
    return tuple(statistics.median(taken[WARM_UP:] or taken) for taken in times)


async def load(
    port: int, pid: int, data: bytes, *, requests: int, seconds: float, connections: int = 16
) -> Load:
    """Requests over several connections at once, and the processor time that they cost."""
    done = 0
    deadline = time.perf_counter() + seconds

    async def one() -> None:
        nonlocal done
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await exchange(reader, writer, data)
        while done < requests and time.perf_counter() < deadline:
            done += 1
            await exchange(reader, writer, data)
        writer.close()

    spent, started = processor_seconds(pid), time.perf_counter()
    await asyncio.gather(*(one() for _ in range(connections)))
    spent, seconds = processor_seconds(pid) - spent, time.perf_counter() - started
    return Load(done + connections, spent, seconds)


def processor_seconds(pid: int) -> float:
    """What a process and its children have used up. Raises `OSError` where nobody tells."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / TICKS
    children = [
        int(child)
        for path in Path(f"/proc/{pid}/task").glob("*/children")
        for child in path.read_text().split()
    ]
    return own + sum(map(processor_seconds, children))
