"""Guests are compiled once per machine and user, then loaded from a private cache."""

import hashlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import wasmtime

from coderelay.core import GuestMissing
from coderelay.engines.interface import Progress

_KEPT, _MOST = 21, 84
"""How many compiled units stay: those of three releases, seven each; and up to the second number
of those that were used within a day, so that several versions in use do not drop each other's."""
_DAY = 24 * 60 * 60

Unit = TypeVar("Unit")


def cache_folder() -> Path:
    """Where compiled guests are kept: `CODERELAY_CACHE`, or the user's own cache folder."""
    chosen = os.environ.get("CODERELAY_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "coderelay"


def image(path: Path) -> bytes:
    """A guest's bytes, or an error that says how to get them."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise GuestMissing(
            f"the guest {path.name} is missing: reinstall with `pip install --force-reinstall "
            "coderelay`, or in a checkout run `make build`"
        ) from error


def load(
    wasm: bytes,
    *,
    configuration: str,
    compile: Callable[[bytes], Unit],
    serialize: Callable[[Unit], bytes],
    deserialize: Callable[[str], Unit],
    progress: Progress,
) -> Unit:
    """The compiled unit, from the cache where it is there and whole.

    A compiled unit is native code that is run as it stands, so the cache must be the user's own;
    one that others can write to is passed over. A damaged or unwritable cache is never fatal.
    """
    key = _key(wasm, configuration)
    folder = private(cache_folder())
    if folder is not None:
        found = folder / key
        try:
            if _owned(found):
                unit = deserialize(str(found))
                os.utime(found)  # used: not the next to be pruned
                return unit
        except (wasmtime.WasmtimeError, OSError):
            pass  # damaged: built anew below
    progress(f"compiling {len(wasm) / 1e6:.1f} MB of WebAssembly, once for this machine …")
    unit = compile(wasm)
    if folder is not None:
        _keep(folder / key, serialize(unit))
    return unit


def _key(wasm: bytes, configuration: str) -> str:
    digest = hashlib.sha256(wasm)
    digest.update(f"|wasmtime {version('wasmtime')}|{configuration}|{sys.platform}".encode())
    return digest.hexdigest()[:32] + ".compiled"


def private(folder: Path) -> Path | None:
    """The folder, made if need be; None where others can write to it or it cannot be made."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _owned(folder) else None
    except OSError:
        return None


def _owned(path: Path) -> bool:
    """Whether nobody else can have written this. It must exist."""
    found = path.stat()
    if not hasattr(os, "getuid"):
        return True
    mine = found.st_uid in (os.getuid(), 0)
    return mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _keep(path: Path, data: bytes) -> None:
    """Write to a temporary file and rename, so that no other process sees half of it."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(data)
                file.close()
                os.replace(file.name, path)
            except OSError:
                os.unlink(file.name)
        _prune(path.parent, time.time())
    except OSError:
        pass  # a full or read-only disk: compiled again next time


def _prune(folder: Path, now: float) -> None:
    """Drop the units that were not used for longest: upgrades leave theirs behind."""
    used = {unit: unit.stat().st_mtime for unit in folder.glob("*.compiled")}
    latest = sorted(used, key=lambda unit: used[unit], reverse=True)
    for place, unit in enumerate(latest):
        if place >= _MOST or (place >= _KEPT and used[unit] < now - _DAY):
            unit.unlink(missing_ok=True)
