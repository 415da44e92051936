"""A model by script behind a socket, in the three APIs: just what their SDKs need.

The n-th answer is for a conversation in which the model has spoken n times.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = Any


class Model:
    """Writes one piece of code after another, then says what the last came to."""

    def __init__(self, codes: Sequence[str]) -> None:
        self.codes = codes
        self.requests: list[Json] = []

    def responses(self, body: Json) -> Json:
        """The Responses API."""
        outputs = [item for item in body["input"] if item.get("type") == "function_call_output"]
        code = self._next(body, outputs)
        if code is None:
            text = {"type": "output_text", "text": self._end(outputs[-1]["output"])}
            item: Json = {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [{**text, "annotations": []}],
            }
        else:
            item = {
                "type": "function_call",
                "id": f"fc_{len(outputs)}",
                "call_id": f"call_{len(outputs)}",
                "name": body["tools"][0]["name"],
                "arguments": json.dumps({"code": code}),
                "status": "completed",
            }
        thought = {"type": "reasoning", "id": f"rs_{len(outputs)}", "summary": []}
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 0,
            "model": body["model"],
            "status": "completed",
            "output": [thought, item],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }

    def chat(self, body: Json) -> Json:
        """The Chat Completions API."""
        outputs = [each for each in body["messages"] if each["role"] == "tool"]
        code = self._next(body, outputs)
        message: Json = {"role": "assistant", "content": None}
        if code is None:
            message["content"] = self._end(outputs[-1]["content"])
        else:
            name, arguments = body["tools"][0]["function"]["name"], json.dumps({"code": code})
            function = {"name": name, "arguments": arguments}
            id = f"call_{len(outputs)}"
            message["tool_calls"] = [{"id": id, "type": "function", "function": function}]
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {
            "id": "chatcmpl_1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice],
        }

    def messages(self, body: Json) -> Json:
        """The Anthropic Messages API."""
        outputs = [
            block
            for each in body["messages"]
            if each["role"] == "user" and isinstance(each["content"], list)
            for block in each["content"]
        ]
        code = self._next(body, outputs)
        if code is None:
            block: Json = {"type": "text", "text": self._end(outputs[-1]["content"])}
        else:
            name, id = body["tools"][0]["name"], f"toolu_{len(outputs)}"
            block = {"type": "tool_use", "id": id, "name": name, "input": {"code": code}}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": "Let me see."}, block],
            "stop_reason": "end_turn" if code is None else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    def _next(self, body: Json, outputs: Sequence[Json]) -> str | None:
        self.requests.append(body)
        return self.codes[len(outputs)] if len(outputs) < len(self.codes) else None

    def _end(self, output: str) -> str:
        return f"It came to: {output}"


@contextmanager
def served(model: Model) -> Iterator[str]:
    """The model behind a socket; the URL of its root."""
    routes: dict[str, Callable[[Json], Json]] = {
        "/v1/responses": model.responses,
        "/v1/chat/completions": model.chat,
        "/v1/messages": model.messages,
    }

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = json.dumps(routes[self.path](body)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
