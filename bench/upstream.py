"""A model's endpoint that answers at once, as a process of its own.

`python -m bench.upstream PORT` starts it. It knows three answers: text; a program, where it is
offered a code tool; text after the result. Models with the names in `HOSTILE` answer with the worst
that an endpoint can send.
"""

import asyncio
import json
import sys

PROGRAM = """\
async function main() {
  const topics: string[] = ["sport", "science", "business"];
  const found = await Promise.all(topics.map((query) => webSearch({ query, limit: 2 })));
  const worst = await getStockPrice({ symbol: "GLBX" });
  return { found: found.flat().length, worst };
}
"""
TEXT = "All is well, and it was no trouble to find out."
USAGE = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}

HOSTILE = {
    "an error of 6 MB": b'{"error": {"message": "%s"}}' % (b"%41" * 2_000_000),
    "a field of 1,900,000 numbers": b'{"choices": [{"delta": {"x": [%s1]}}]}' % (b"1," * 1_900_000),
    "490,000 calls": b'{"choices": [{"delta": {"tool_calls": [%s{}]}}]}' % (b"{}," * 490_000),
}
"""The event that each of these models sends, before one that ends the answer."""


def message(body: dict) -> dict:  # type: ignore[type-arg]
    """The next message of the model."""
    offered = [tool["function"]["name"] for tool in body.get("tools") or ()]
    if "run_typescript" in offered and body["messages"][-1]["role"] != "tool":
        function = {"name": "run_typescript", "arguments": json.dumps({"code": PROGRAM})}
        call = {"id": "abcdefghi", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"role": "assistant", "content": TEXT}


def completion(body: dict) -> bytes:  # type: ignore[type-arg]
    if body.get("model") in HOSTILE:
        end = b'{"choices": [{"delta": {"x": 1, "content": "Hi"}, "finish_reason": "stop"}]}'
        sent = b"data: " + HOSTILE[body["model"]] + b"\n\ndata: " + end + b"\n\n"
        return response(sent, b"text/event-stream")
    reply = message(body)
    finish = "tool_calls" if reply.get("tool_calls") else "stop"
    head = {"id": "chatcmpl-1", "created": 1763200000, "model": body.get("model", "m")}
    if not body.get("stream"):
        choice = {"index": 0, "message": reply, "finish_reason": finish}
        whole = {**head, "object": "chat.completion", "choices": [choice], "usage": USAGE}
        return response(json.dumps(whole).encode(), b"application/json")
    for place, call in enumerate(reply.get("tool_calls", ())):
        call["index"] = place
    first = {"index": 0, "delta": reply, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": finish}
    chunks = [
        {**head, "object": "chat.completion.chunk", "choices": [choice]} for choice in (first, last)
    ]
    chunks.append({**head, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return response(lines.encode(), b"text/event-stream")


def response(content: bytes, kind: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n"
    return head % (kind, len(content)) + content


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = head.partition(b"content-length:")[2].split(b"\r\n", 1)[0]
            body = await reader.readexactly(int(size)) if size else b"{}"
            writer.write(completion(json.loads(body or b"{}")))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main(port: int) -> None:
    """Serve until killed."""
    server = await asyncio.start_server(serve, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
