"""One process that serves, or one that watches over several, which share but a socket."""

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
"""Seconds after which a busy thread lets another go on. The event loop may have to wait for each
busy thread, several times for one request; with Python's own 5 ms that is long."""
_COLLECTIONS = (10_000, 20, 500)
"""How many objects are made before the garbage collector looks at the new ones, and how often it
does before it looks at older ones, and at all. With Python's own numbers it looked at all objects
again and again while a large body was read, and stopped every thread for half a second."""


def serve(settings: Settings, announce: Callable[[str], None] = lambda url: None) -> None:
    """Serve until a signal says to stop, then let the requests in progress end. `announce` is
    told the base URL once the socket is there."""
    listening = _listen(settings)
    announce(_url(listening))
    config = _config(settings)
    if settings.workers == 1:
        uvicorn.Server(config).run(sockets=[listening])
        return
    with _shared_counts():
        _Supervisor(config, sockets=[listening]).run()


class _Supervisor(Multiprocess):
    """Watches over worker processes."""

    def terminate_all(self) -> None:
        """Close the socket here, too, when the workers are told to end. It would stay open as long
        as this process lives, and whoever connects meanwhile would wait for nobody."""
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
        timeout_keep_alive=75,  # longer than proxies keep theirs, or they meet a closed one
    )


def _application(settings: Settings) -> Starlette:
    """The application, in a process that is its own and is tuned for it."""
    app = create_app(settings)
    sys.setswitchinterval(_SWITCH)
    gc.collect()
    gc.freeze()  # what there is now will stay
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
    """A folder in which worker processes keep their counts, so that any of them can tell all."""
    folder = tempfile.mkdtemp(prefix="coderelay-metrics-")
    os.environ[SHARED_FOLDER] = folder
    try:
        yield
    finally:
        del os.environ[SHARED_FOLDER]
        shutil.rmtree(folder, ignore_errors=True)
