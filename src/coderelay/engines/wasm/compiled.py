"""Compiles guests once per machine and user, and loads them from a private cache afterwards."""

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

_KEEP_ALWAYS, _KEEP_AT_MOST = 21, 84
"""How many compiled guests the cache keeps. The first number is enough for three releases with
seven each. More, up to the second number, are kept if they were used within a day, so that several
versions that are in use do not delete each other's."""
_DAY = 24 * 60 * 60

Unit = TypeVar("Unit")


def cache_folder() -> Path:
    """Return the folder of the cache: `CODERELAY_CACHE`, or one in the user's cache folder."""
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


def read_guest(path: Path) -> bytes:
    """Return a guest's bytes. Raises `GuestMissing`, which says how to get them."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise GuestMissing(
            f"the guest {path.name} is missing: reinstall with `pip install --force-reinstall "
            "coderelay`, or in a checkout run `make build`"
        ) from error


def fingerprint(language: str, semantics: int, *guests: bytes) -> str:
    """Return the fingerprint of an engine: its language, its semantics number, and a digest of the
    WebAssembly that it runs."""
    return f"{language}-{semantics}-{hashlib.sha256(b''.join(guests)).hexdigest()[:16]}"


def load(
    wasm: bytes,
    *,
    configuration: str,
    compile: Callable[[bytes], Unit],
    serialize: Callable[[Unit], bytes],
    deserialize: Callable[[str], Unit],
    progress: Progress,
) -> Unit:
    """Return a compiled guest, from the cache if possible.

    A compiled guest is native code that is run without further checks. So a cache that other users
    can write to is not used. A damaged or read-only cache only costs time.
    """
    key = _key(wasm, configuration)
    folder = private_folder(cache_folder())
    if folder is not None:
        found = folder / key
        try:
            if _is_private(found):
                unit = deserialize(str(found))
                os.utime(found)  # marks it as used, for `_prune`
                return unit
        except (wasmtime.WasmtimeError, OSError):
            pass  # damaged, so it is compiled again below
    progress(f"compiling {len(wasm) / 1e6:.1f} MB of WebAssembly, once for this machine …")
    unit = compile(wasm)
    if folder is not None:
        _store(folder / key, serialize(unit))
    return unit


def _key(wasm: bytes, configuration: str) -> str:
    digest = hashlib.sha256(wasm)
    digest.update(f"|wasmtime {version('wasmtime')}|{configuration}|{sys.platform}".encode())
    return digest.hexdigest()[:32] + ".compiled"


def private_folder(folder: Path) -> Path | None:
    """Return the folder, which is made if necessary, or None if it cannot be made or others can
    write to it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_private(folder) else None
    except OSError:
        return None


def _is_private(path: Path) -> bool:
    """Return whether only this user (or root) can write to a path, which must exist."""
    found = path.stat()
    if not hasattr(os, "getuid"):
        return True
    mine = found.st_uid in (os.getuid(), 0)
    return mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _store(path: Path, data: bytes) -> None:
    """Write a file of the cache. It is renamed into place, so that no process reads half of it."""
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
        pass  # the disk is full or read-only; the guest will be compiled again next time


def _prune(folder: Path, now: float) -> None:
    """Delete the guests that were not used for longest, such as those of earlier versions."""
    used = {unit: unit.stat().st_mtime for unit in folder.glob("*.compiled")}
    latest = sorted(used, key=lambda unit: used[unit], reverse=True)
    for place, unit in enumerate(latest):
        if place >= _KEEP_AT_MOST or (place >= _KEEP_ALWAYS and used[unit] < now - _DAY):
            unit.unlink(missing_ok=True)
