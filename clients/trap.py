"""Where requests to the outside end up: a proxy that notes them and lets none through."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST = 2_000


class Trap(socketserver.ThreadingTCPServer):
    """Notes the first line of whatever it is sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Note)
        self.caught: list[str] = []

    def settings(self) -> dict[str, str]:
        """The environment that sends a process here, but for this machine's own addresses."""
        proxy = f"http://127.0.0.1:{self.server_address[1]}"
        here = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "NODE_USE_ENV_PROXY": "1"}
        return {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "ALL_PROXY": proxy, **here}


class _Note(socketserver.StreamRequestHandler):
    server: Trap

    def handle(self) -> None:
        line = self.rfile.readline(_LONGEST).decode("utf-8", "replace").strip()
        self.server.caught.append(line)
        self.wfile.write(
            b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )


@contextmanager
def trap() -> Iterator[Trap]:
    """A trap that is set."""
    with Trap() as set_up:
        thread = threading.Thread(target=set_up.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield set_up
        finally:
            set_up.shutdown()
            thread.join()
