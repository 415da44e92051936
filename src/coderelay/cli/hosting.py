"""Serves an application from a thread of this process, on a loopback address."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from coderelay.core import EngineError
from coderelay.server.client_connection import ClientConnection

if TYPE_CHECKING:
    from starlette.types import ASGIApp

LOOPBACK = "127.0.0.1"
_PATIENCE = 60.0


@contextmanager
def hosted(app: "ASGIApp") -> Iterator[str]:
    """Serve an application while the block runs. Yields its address: `http://127.0.0.1:40123`."""
    config = uvicorn.Config(
        app,
        http=ClientConnection,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
        lifespan="auto",
    )
    server = uvicorn.Server(config)
    with socket.create_server((LOOPBACK, 0)) as listening:
        arguments = {"sockets": [listening]}
        thread = threading.Thread(target=server.run, kwargs=arguments, daemon=True)
        thread.start()
        _await_start(server, thread)
        try:
            yield f"http://{LOOPBACK}:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=5)


def free_port() -> int:
    """The number of a port that is free now."""
    with hold_port() as held:
        return int(held.getsockname()[1])


def hold_port() -> socket.socket:
    """A socket that reserves a free port, so that no other process gets it.

    On Linux a server can listen on that port meanwhile; elsewhere, close the socket first.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind((LOOPBACK, 0))
    return held


def _await_start(server: uvicorn.Server, thread: threading.Thread) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise EngineError("the embedded server did not start: try again")
        time.sleep(0.005)
