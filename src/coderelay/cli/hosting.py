"""An app on a loopback socket of this process, for as long as somebody needs it."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from coderelay.core import EngineError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

LOOPBACK = "127.0.0.1"
_PATIENCE = 60.0


@contextmanager
def hosted(app: "ASGIApp") -> Iterator[str]:
    """Serve an app while the block runs; gives its address, such as `http://127.0.0.1:40123`."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=1, lifespan="auto"
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
    with socket.create_server((LOOPBACK, 0)) as found:
        return int(found.getsockname()[1])


def _await_start(server: uvicorn.Server, thread: threading.Thread) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise EngineError("the embedded server did not start")
        time.sleep(0.005)
