"""A real server in a process of its own, which can be killed at any moment."""

import os
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import IO

import httpx

from coderelay.cli.hosting import LOOPBACK, hold_port
from coderelay.core import EngineError


class ServerProcess:
    """`coderelay serve`, which keeps its address when it is killed and started again."""

    def __init__(self, upstream: str, language: str) -> None:
        self._port = hold_port()  # while the server is dead, too
        port = self._port.getsockname()[1]
        if sys.platform != "linux":
            self._port.close()
        self.address = f"http://{LOOPBACK}:{port}"
        self.starts = 0
        self._command = [
            *(sys.executable, "-m", "coderelay", "serve", "--host", LOOPBACK, "--port", str(port)),
            *("--upstream", upstream, "--language", language),
        ]
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed on exit

    @property
    def pid(self) -> int:
        """The id of the process that serves now."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> float:
        """Start the server, wait until it is ready, and return how many seconds that took. There is
        no timeout, because it may have to compile the guests first, on a busy machine."""
        started = time.monotonic()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env=_environment(),
        )
        self.starts += 1
        with httpx.Client(trust_env=False, timeout=5.0) as http:
            while (state := self._state(http)) != "ready":
                if self._process.poll() is not None or state == "failed":
                    self.kill()
                    raise EngineError(f"the server did not start:\n{self._end_of_log()}")
                time.sleep(0.02)
        return time.monotonic() - started

    def kill(self) -> None:
        """Kill the server with SIGKILL, so that it cannot save anything."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "ServerProcess":
        try:
            self.start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        self.kill()
        self._log.close()
        self._port.close()

    def _state(self, http: httpx.Client) -> str:
        """`ready`, `not ready` or `failed`, or an empty text while nobody answers."""
        try:
            return str(http.get(f"{self.address}/readyz").json()["status"])
        except httpx.TransportError:
            return ""

    def _end_of_log(self) -> str:
        self._log.seek(0)
        return self._log.read()[-2_000:].decode("utf-8", "replace").strip()


def _environment() -> dict[str, str]:
    """Our environment, without the settings that the user may have for another server."""
    return {
        name: value
        for name, value in os.environ.items()
        if name == "CODERELAY_CACHE" or not name.startswith(("CODERELAY_", "OPENAI_"))
    }
