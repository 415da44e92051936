"""The WASI functions for files and streams. They refuse guests that have no directory."""

import errno
from collections.abc import Callable
from typing import Any

from coderelay.engines.python.live.files import Files
from coderelay.engines.python.live.quota import WriteRefused
from coderelay.engines.python.values import Case, Err, Ok
from coderelay.engines.python.world import World

_CLOSED = Err(Case("closed"))
_NAMES = {
    "EACCES": "access",
    "EBADF": "bad-descriptor",
    "EBUSY": "busy",
    "EDQUOT": "quota",
    "EEXIST": "exist",
    "EFBIG": "file-too-large",
    "EINVAL": "invalid",
    "EISDIR": "is-directory",
    "ELOOP": "loop",
    "EMFILE": "insufficient-memory",
    "ENAMETOOLONG": "name-too-long",
    "ENFILE": "insufficient-memory",
    "ENOENT": "no-entry",
    "ENOSPC": "insufficient-space",
    "ENOTDIR": "not-directory",
    "ENOTEMPTY": "not-empty",
    "EOVERFLOW": "overflow",
    "EPERM": "not-permitted",
    "EROFS": "read-only",
    "ETXTBSY": "text-file-busy",
    "EXDEV": "cross-device",
}
_CODES = {getattr(errno, name): code for name, code in _NAMES.items() if hasattr(errno, name)}
_DESCRIPTOR = "wasi:filesystem/types#[method]descriptor."
_ENTRIES = "wasi:filesystem/types#[method]directory-entry-stream.read-directory-entry"
_METHODS: dict[str, Callable[..., Any]] = {
    "append-via-stream": Files.append_via_stream,
    "create-directory-at": Files.create_directory_at,
    "get-flags": Files.get_flags,
    "metadata-hash": Files.metadata_hash,
    "metadata-hash-at": Files.metadata_hash_at,
    "open-at": Files.open_at,
    "read": Files.read,
    "read-directory": Files.read_directory,
    "read-via-stream": Files.read_via_stream,
    "remove-directory-at": Files.remove_directory_at,
    "rename-at": Files.rename_at,
    "set-size": Files.set_size,
    "set-times": Files.set_times,
    "set-times-at": Files.set_times_at,
    "stat": Files.stat,
    "stat-at": Files.stat_at,
    "sync": Files.sync,
    "sync-data": Files.sync,
    "unlink-file-at": Files.unlink_file_at,
    "write": Files.write,
    "write-via-stream": Files.write_via_stream,
}
"""The methods of a descriptor. Those for links are missing: a guest cannot make or follow any."""


def find(name: str) -> Callable[..., Any] | None:
    """Return the host function of an import, or None if it is not about files."""
    if name.startswith(_DESCRIPTOR):
        method = _METHODS.get(name.removeprefix(_DESCRIPTOR))
        return None if method is None else _with_errors(method)
    return _FUNCTIONS.get(name)


def drop(world: World, number: int) -> None:
    """Close what a handle of the guest stands for."""
    if world.files is not None:
        world.files.drop(number)


def _with_errors(method: Callable[..., Any]) -> Callable[..., Ok | Err]:
    """Return a host function that calls a method of `Files` and returns its errors as `Err`."""

    def call(world: World, *arguments: Any) -> Ok | Err:
        if world.files is None:
            return Err("not-permitted")
        try:
            return Ok(method(world.files, *arguments))
        except (WriteRefused, OSError, OverflowError) as error:
            return Err(_code(world, error))

    return call


def _code(world: World, error: Exception) -> str:
    """Return the WASI error code for an exception. An exceeded limit also fails the cell."""
    if isinstance(error, WriteRefused):
        message = getattr(error, "message", None)
        if message is not None:
            world.exceed("files", message)
        return error.code
    if isinstance(error, OSError):
        return _CODES.get(error.errno or 0, "io")
    return "invalid"  # an OverflowError: the number is too large for any file


def _preopened(world: World) -> list[Any]:
    try:
        return [] if world.files is None else world.files.preopened()
    except WriteRefused as error:
        _code(world, error)
        return []


def _read(world: World, number: int, size: int) -> Ok | Err:
    if world.files is None:
        return _CLOSED
    try:
        data = world.files.read_stream(number, size)
        world.charge(len(data))
    except (WriteRefused, OSError, OverflowError) as error:
        return _stream_error(world, error)
    return Ok(data) if data or not size else _CLOSED


def _can_write(world: World, number: int) -> Ok | Err:
    if world.files is None:
        return _CLOSED
    try:
        return Ok(world.files.can_write(number))
    except WriteRefused:
        return _CLOSED


def _write(world: World, number: int, data: bytes) -> Ok | Err:
    if world.files is None:
        return _CLOSED
    try:
        world.charge(len(data))
        world.files.write_stream(number, data)
    except (WriteRefused, OSError, OverflowError) as error:
        return _stream_error(world, error)
    return Ok()


def _flush(world: World, number: int) -> Ok | Err:
    checked = _can_write(world, number)
    return Ok() if isinstance(checked, Ok) else checked


def _stream_error(world: World, error: Exception) -> Err:
    _code(world, error)
    if isinstance(error, WriteRefused) and error.code == "bad-descriptor":
        return _CLOSED
    return Err(Case("last-operation-failed", 0))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    _ENTRIES: _with_errors(Files.read_directory_entry),
    "wasi:filesystem/preopens#get-directories": _preopened,
    "wasi:io/streams#[method]input-stream.read": _read,
    "wasi:io/streams#[method]output-stream.check-write": _can_write,
    "wasi:io/streams#[method]output-stream.write": _write,
    "wasi:io/streams#[method]output-stream.blocking-write-and-flush": _write,
    "wasi:io/streams#[method]output-stream.blocking-flush": _flush,
}
