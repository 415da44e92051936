"""A peer of the Python engine: `pydantic-monty`, from PyPI, a subset of Python in Rust."""

import importlib
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.npm import Missing

VERSIONS = ("1.5.0", "1.4.0")
"""The first is wanted. Its client was not on PyPI when this was written, so there is a second."""


class Monty:
    """Keeps its worker process, and gives every program a new session in it."""

    def __init__(self, folder: Path) -> None:
        """Fetch the peer into a folder, and start its worker."""
        self.name = f"pydantic-monty {_installed(folder)}"
        sys.path.append(str(folder))
        module: Any = importlib.import_module("pydantic_monty")
        self._call = module.FunctionSnapshot
        self._pool = module.Monty(binary_path=folder / "bin" / "monty")
        self._pool.__enter__()
        self.seconds_with_return = 0.0
        """The seconds of the last program with its session given back, which makes the worker
        ready for the next one."""

    def seconds(self, source: str) -> float:
        """How long a program takes to its first call."""
        started = time.perf_counter()
        with self._pool.checkout() as session:
            reached = session.feed_start(source)
            taken = time.perf_counter() - started
            assert isinstance(reached, self._call)
        self.seconds_with_return = time.perf_counter() - started
        return taken

    def close(self) -> None:
        """End its worker."""
        self._pool.__exit__(None, None, None)


def _installed(folder: Path) -> str:
    """The version that could be had."""
    why = ""
    for version in VERSIONS:
        requirement = f"pydantic-monty=={version}"
        options = ["--quiet", "--only-binary", ":all:", "--target", str(folder), requirement]
        pip = subprocess.run(
            [sys.executable, "-m", "pip", "install", *options], capture_output=True, text=True
        )
        if not pip.returncode:
            return version
        errors = [line for line in pip.stderr.splitlines() if line.startswith("ERROR: No match")]
        why = " ".join(errors) or pip.stderr.strip()
        print(f"missing {requirement}: {why}")
    raise Missing(why)
