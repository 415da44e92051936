"""A peer of a session: a Jupyter kernel, from PyPI, which keeps variables in a process."""

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.npm import Missing

PACKAGES = ("ipykernel==7.4.0", "jupyter-client==8.10.0")


class Jupyter:
    """Kernels of this machine's Python. They are not sandboxed: this is about time alone."""

    name = PACKAGES[0].replace("==", " ")

    def __init__(self, folder: Path) -> None:
        """Fetch the peer into a folder."""
        options = ["--quiet", "--only-binary", ":all:", "--target", str(folder), *PACKAGES]
        command = [sys.executable, "-m", "pip", "install", *options]
        pip = subprocess.run(command, capture_output=True, text=True)
        if pip.returncode:
            raise Missing(pip.stderr.strip())
        sys.path.append(str(folder))
        manager: Any = importlib.import_module("jupyter_client.manager")
        self._manager = manager.KernelManager
        self._folder = folder
        self._kernel: Any = None
        self._client: Any = None

    def first(self, code: str) -> float:
        """The seconds from nothing to the first answer of a new kernel, which is kept."""
        self.close()
        started = time.perf_counter()
        launcher = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self._kernel = self._manager()
        self._kernel.kernel_spec.argv = launcher
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._kernel.start_kernel(env={**os.environ, "PYTHONPATH": str(self._folder)}, **quiet)
        self._client = self._kernel.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=60)
        self._run(code)
        return time.perf_counter() - started

    def warm(self, code: str) -> float:
        """The seconds of one more piece of code."""
        started = time.perf_counter()
        self._run(code)
        return time.perf_counter() - started

    def close(self) -> None:
        """End the kernel."""
        if self._kernel is not None:
            self._client.stop_channels()
            self._kernel.shutdown_kernel(now=True)
        self._kernel = None

    def _run(self, code: str) -> None:
        reply = self._client.execute_interactive(code, timeout=60, output_hook=lambda message: None)
        assert reply["content"]["status"] == "ok", reply
