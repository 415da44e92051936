"""Starts the server: one process, or several workers that share only a socket."""

import asyncio
import gc
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

from coderelay.server.app import create_app
from coderelay.server.client_connection import client_connection
from coderelay.server.logs import configuration
from coderelay.server.metrics import SHARED_FOLDER
from coderelay.server.settings import InvalidSetting, Settings

_BACKLOG = 2_048
_SWITCH = 0.001
"""Seconds after which Python switches from a busy thread to another. The event loop may have to
wait for each busy thread, several times in one request, so Python's 5 ms would add up."""
_COLLECTIONS = (10_000, 20, 500)
"""Thresholds of the garbage collector's three generations. With Python's defaults it went through
all objects again and again while a large body was read, and held up every thread for half a
second."""


def serve(settings: Settings, announce: Callable[[str], None] = lambda url: None) -> None:
    """Serve until a signal stops the server, then let requests in progress finish. `announce` is
    called with the base URL once the socket listens."""
    listening = _listen(settings)
    announce(_url(listening))
    config = _config(settings)
    if settings.workers == 1:
        uvicorn.Server(config).run(sockets=[listening])
        return
    with _shared_counts():
        _Supervisor(config, sockets=[listening]).run()


class _Supervisor(Multiprocess):
    """Starts and watches the worker processes."""

    def terminate_all(self) -> None:
        """Tell the workers to end, and close the socket in this process as well. Otherwise it would
        accept connections until this process ends, and nobody would answer them."""
        super().terminate_all()
        for listening in self.sockets:
            listening.close()


def _config(settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        partial(_application, settings),
        factory=True,
        lifespan="on",
        workers=settings.workers,
        http=cast("type[asyncio.Protocol]", client_connection(settings)),
        ws="none",
        log_config=dict(configuration(settings.log_level)),
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(settings.drain)),
        timeout_worker_healthcheck=60,
        # longer than that of proxies, or they would use a connection that was just closed
        timeout_keep_alive=75,
    )


def _application(settings: Settings) -> Starlette:
    """Create the application, and tune this process for it."""
    app = create_app(settings)
    sys.setswitchinterval(_SWITCH)
    gc.collect()
    gc.freeze()  # what exists now lives as long as the process
    gc.set_threshold(*_COLLECTIONS)
    return app


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    address = (settings.host, settings.port)
    try:
        listening = socket.create_server(address, family=family, backlog=_BACKLOG)
    except OSError as error:
        raise InvalidSetting(
            f"cannot listen on {settings.host}, port {settings.port}: {error.strerror or error}; "
            "choose another with --host and --port"
        ) from error
    listening.set_inheritable(True)
    return listening


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"


@contextmanager
def _shared_counts() -> Iterator[None]:
    """Make a folder in which workers keep their counts, so that each can report those of all."""
    folder = tempfile.mkdtemp(prefix="coderelay-metrics-")
    os.environ[SHARED_FOLDER] = folder
    try:
        yield
    finally:
        del os.environ[SHARED_FOLDER]
        shutil.rmtree(folder, ignore_errors=True)
