"""Requests that cost a server as much as their sender can make them, as bytes to send.

`python -m bench.attacks NAME PORT SENDERS SECONDS` sends one of them again and again, and prints
how often it got which status.
"""

import base64
import json
import socket
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from bench.upstream import HOSTILE

Json = Any
MB = 1 << 20
KEY = "sk-bench"
CHAT, EVALUATE = "/v1/chat/completions", "/v1/code/evaluate"
USER = {"role": "user", "content": "Go on."}


def tool(name: str, **properties: Json) -> Json:
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


ANYTHING = tool("get", a={})


def request(path: str, body: Json) -> bytes:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {KEY}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


def chat(*messages: Json, **fields: Json) -> bytes:
    return request(CHAT, {"model": "m", "messages": [USER, *messages], **fields})


def program(source: str, language: str = "typescript", **fields: Json) -> bytes:
    body = {"program": {"source": source, "language": language}, "tools": [ANYTHING], **fields}
    return request(EVALUATE, body)


def answered(value: str) -> bytes:
    """A program whose call was answered with a value, given as JSON text."""
    content = json.dumps(
        {
            "program": {"source": "return (await get({a: 1})).length"},
            "tools": [ANYTHING],
            "journal": [{"name": "get", "arguments": {"a": 1}, "value": "HERE"}],
        }
    )
    return request(EVALUATE, content.replace('"HERE"', value).encode())


def states() -> bytes:
    """Ids of a few bytes that unpack to a megabyte each."""
    plain = b'{"program":"' + b"\\n" * 490_000 + b'"}'
    packed = zlib.compress(plain, 9, wbits=-15)
    whole = b"\xfe" + zlib.crc32(packed).to_bytes(4, "big") + packed
    id = "cr1_" + base64.urlsafe_b64encode(whole).rstrip(b"=").decode()
    function = {"name": "get", "arguments": "{}"}
    call = {"id": id, "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return chat(*[message] * 5_000, tools=[ANYTHING])


def schema() -> bytes:
    """Arguments with a million misfits."""
    fields = {f"f{each}": {"type": "string"} for each in range(20)}
    item = {"type": "object", "properties": fields, "required": list(fields)}
    body = {
        "program": {"source": "try { await g({a: Array(60000).fill({})}) } catch (e) { 1 }"},
        "tools": [tool("g", a={"type": "array", "items": item})],
    }
    return request(EVALUATE, body)


def repeated(piece: str, size: int = 8 * MB, before: str = "[", after: str = "1]") -> str:
    return before + piece * (size // len(piece)) + after


ROW = '{"id":12345,"name":"row","tags":["a","b"],"score":0.125},'
DEEP = "[" * 250 + "1" + "]" * 250 + ","
ATTACKS: dict[str, Callable[[], bytes]] = {
    "8 MB of empty lists": lambda: request(CHAT, repeated("[],").encode()),
    "499,000 empty lists": lambda: request(CHAT, repeated("[],", 1_497_000).encode()),
    "lists 250 deep": lambda: request(CHAT, repeated(DEEP, MB).encode()),
    "2,000,000 numbers": lambda: request(CHAT, repeated("0.1,", 7_999_000).encode()),
    "64 MB of one text": lambda: chat({"role": "user", "content": "\n" * 30 * MB}),
    "64 MB with tools": lambda: chat(*[{"role": "user", "content": "x\n" * 10_000}] * 2_000)[:-1],
    "10,000 messages": lambda: chat(*[USER] * 9_990, tools=[ANYTHING]),
    "5,000 ids that unpack to 1 MB": states,
    "10 MB of tools": lambda: chat(
        tools=[tool(f"t{each}", a={"description": "x, " * 300}) for each in range(10_000)]
    ),
    "a result of 8 MB of rows": lambda: answered(repeated(ROW, 7 * MB)),
    "a result of 8 MB of numbers": lambda: answered(repeated("0.123,", 8_000_000)),
    "a value of 4 MB": lambda: program("return Array(200000).fill('a text of 16')"),
    "a value of 490,000 lists": lambda: program("[[]] * 490_000", "python"),
    "logs of 1 MB in short lines": lambda: program("for _ in range(400_000): print(1)", "python"),
    "256 calls with 16 MB": lambda: program(
        "await Promise.all([...Array(250)].map(() => get({a: Array(9000).fill(1.25)})))"
    ),
    "a loop without end": lambda: program("for (;;) {}"),
    "a loop without end in Python": lambda: program("while True: pass", "python"),
    "a source of spaces": lambda: program("```" + " " * 48_000 + "x", "python"),
    "a million misfits": schema,
    "499,000 empty lists from 45 senders": lambda: request(
        CHAT, repeated("[],", 1_497_000).encode()
    ),
    **{
        f"an endpoint that sends {model}": partial(chat, model=model, tools=[ANYTHING], stream=True)
        for model in HOSTILE
    },
}
SENDERS = {"499,000 empty lists from 45 senders": 45}
"""How many send an attack at the same time, where it is not one for each thread of the server."""


def send(payload: bytes, port: int, until: float, statuses: "Counter[str]") -> None:
    """Send a request, read the answer, and again."""
    while time.monotonic() < until:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                connection.sendall(payload)
                file = connection.makefile("rb")
                status = file.readline().split(b" ")[1].decode()
                length = 0
                while (line := file.readline()) not in (b"\r\n", b""):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                file.read(length)
                statuses[status] += 1
        except OSError as error:
            statuses[type(error).__name__] += 1
            time.sleep(0.05)


def main(name: str, port: int, senders: int, seconds: float) -> None:
    """Send one attack from several threads."""
    payload = ATTACKS[name]()
    print("ready", flush=True)
    statuses: Counter[str] = Counter()
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=send, args=(payload, port, until, statuses), daemon=True)
        for _ in range(senders)
    ]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    print(json.dumps(statuses), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
