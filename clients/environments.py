"""An environment for each client, made once for its pins, outside of git."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from bench.npm import Missing, install
from clients.catalogue import Client

CACHE = Path(__file__).parents[1] / ".clients"
__all__ = ["Missing", "prepared"]


def prepared(client: Client, say: Callable[[str], None]) -> Path:
    """The client's environment; one with other pins is thrown away."""
    folder = CACHE / f"{client.name}-{_stamp(client)}"
    if (folder / "ready").exists():
        return folder
    for old in CACHE.glob(f"{client.name}-" + "?" * 12):
        shutil.rmtree(old)
    say(f"installing {client.name}")
    folder.mkdir(parents=True)
    MAKERS[client.runtime](client, folder)
    (folder / "ready").touch()
    return folder


def _stamp(client: Client) -> str:
    pins = sorted(f"{name}=={version}" for name, version in client.pins().items())
    made_of = [client.runtime, sys.version, client.packages, *pins]
    return sha256("\n".join(made_of).encode()).hexdigest()[:12]


def _venv(client: Client, folder: Path) -> None:
    python = str(folder / "bin" / "python")
    pins = str(client.folder / "constraints.txt")
    _done(sys.executable, "-m", "venv", str(folder))
    pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    _done(*pip, "-c", pins, *client.packages.split())


def _npm(client: Client, folder: Path) -> None:
    install(client.folder, folder)


def _done(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Missing(done.stderr.strip())


MAKERS = {"python": _venv, "node": _npm}
