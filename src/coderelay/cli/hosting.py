"""An app on a loopback socket of this process, for as long as somebody needs it."""

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
    """Serve an app while the block runs; gives its address, such as `http://127.0.0.1:40123`."""
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
    """A port that nobody listens on."""
    with hold_port() as held:
        return int(held.getsockname()[1])


def hold_port() -> socket.socket:
    """A socket that keeps a free port from being given to anybody else.

    Only on Linux can a server listen there meanwhile. Elsewhere it has to be closed before.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind((LOOPBACK, 0))
    return held


def _await_start(server: uvicorn.Server, thread: threading.Thread) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise EngineError("the embedded server did not start")
        time.sleep(0.005)
