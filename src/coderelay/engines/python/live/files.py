"""The open files, streams and listings of a guest, by the numbers of their handles."""

import os
import stat
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from coderelay.engines.python.live.quota import WriteRefused
from coderelay.engines.python.live.session_directory import (
    DirectoryNode,
    SessionDirectory,
    TooManyOpen,
)
from coderelay.engines.python.values import Case

CHUNK = 1 << 15
"""How many bytes one read or write takes at most."""
_FIRST = 16
"""The number of the first handle. Lower numbers are for the standard streams."""
_SECOND = 1_000_000_000
_TYPES = {
    stat.S_IFREG: "regular-file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symbolic-link",
}
_UNKNOWN = "unknown"
_ACCESS = {
    frozenset({"write"}): os.O_WRONLY,
    frozenset({"read", "write"}): os.O_RDWR,
}
_FLAGS = {
    os.O_RDONLY: frozenset({"read"}),
    os.O_WRONLY: frozenset({"write"}),
    os.O_RDWR: frozenset({"read", "write"}),
}
_T = TypeVar("_T")


@dataclass(slots=True)
class FileReading:
    """A stream that reads a file from an offset."""

    node: DirectoryNode
    offset: int


@dataclass(slots=True)
class FileWriting:
    """A stream that writes to a file at an offset, or at its end if the offset is None."""

    node: DirectoryNode
    offset: int | None


@dataclass(slots=True)
class FileListing:
    """A stream of the entries of a directory."""

    entries: Generator[os.DirEntry[str], None, None]


class Files:
    """Opens, reads and writes files for a guest. The methods are those of WASI's descriptors.

    They raise `WriteRefused` or `OSError`. `number` is always the number of a handle.
    """

    def __init__(self, directory: SessionDirectory) -> None:
        self._directory = directory
        self._handles: dict[int, object] = {}
        self._last = _FIRST - 1
        self._most = 4 * directory.most + _FIRST  # a file may have streams and its descriptor

    def preopened(self) -> Any:
        """Return the session's directory as the root of all paths."""
        return [(self._add_handle(self._directory.root), "/")]

    def drop(self, number: int) -> None:
        """Close what a handle stands for."""
        match self._handles.pop(number, None):
            case DirectoryNode() as node:
                self._directory.close(node)
            case FileListing(entries):
                entries.close()

    def end(self) -> None:
        """Close everything, because the guest has ended."""
        for number in list(self._handles):
            self.drop(number)
        self._directory.close_all()

    def read_via_stream(self, number: int, offset: int) -> int:
        """Return a stream that reads a file from an offset."""
        return self._add_handle(FileReading(self._file(number), offset))

    def write_via_stream(self, number: int, offset: int) -> int:
        """Return a stream that writes to a file at an offset."""
        return self._add_handle(FileWriting(self._file(number), offset))

    def append_via_stream(self, number: int) -> int:
        """Return a stream that appends to a file."""
        return self._add_handle(FileWriting(self._file(number), None))

    def read_stream(self, number: int, size: int) -> bytes:
        """Return the next bytes of a stream, and no bytes at its end."""
        reading = self._get(number, FileReading)
        data = self._read(reading.node, size, reading.offset)
        reading.offset += len(data)
        return data

    def write_stream(self, number: int, data: bytes) -> None:
        """Write the next bytes of a stream."""
        writing = self._get(number, FileWriting)
        self._directory.write(writing.node, data, writing.offset)
        if writing.offset is not None:
            writing.offset += len(data)

    def can_write(self, number: int) -> int:
        """Return how many bytes a stream accepts at once."""
        self._get(number, FileWriting)
        return CHUNK

    def read(self, number: int, size: int, offset: int) -> tuple[bytes, bool]:
        """Return bytes of a file, and whether the offset is at its end."""
        data = self._read(self._file(number), size, offset)
        return data, not data and bool(size)

    def write(self, number: int, data: bytes, offset: int) -> int:
        """Write bytes to a file, and return how many."""
        self._directory.write(self._file(number), data, offset)
        return len(data)

    def set_size(self, number: int, size: int) -> None:
        """Cut a file, or extend it with zeros."""
        self._directory.resize(self._file(number), size)

    def sync(self, number: int) -> None:
        """Do nothing: a session does not have to survive a crash of the system."""
        self._node(number)

    def get_flags(self, number: int) -> frozenset[str]:
        """Return whether a descriptor can be read, written or changed."""
        node = self._node(number)
        if node.is_directory:
            return frozenset({"read", "mutate-directory"})
        return _FLAGS[node.access]

    def open_at(
        self, number: int, path_flags: Any, path: str, how: frozenset[str], flags: frozenset[str]
    ) -> int:
        """Open a file or directory, and return the number of its handle."""
        access = _ACCESS.get(flags & {"read", "write"}, os.O_RDONLY)
        node = self._directory.open(self._node(number), path, access=access, how=how)
        try:
            return self._add_handle(node)
        except WriteRefused:
            self._directory.close(node)
            raise

    def stat(self, number: int) -> dict[str, Any]:
        """Return the type, size and times of an open file."""
        return _stat_record(self._node(number).status)

    def stat_at(self, number: int, path_flags: frozenset[str], path: str) -> dict[str, Any]:
        """Return the type, size and times of a file. Symbolic links are never followed."""
        return _stat_record(self._status(number, path_flags, path))

    def set_times(self, number: int, read: Case, written: Case) -> None:
        """Set the access and modification times of an open file."""
        node = self._node(number)
        os.utime(node.fd, ns=_times(node.status, read, written))

    def set_times_at(
        self, number: int, path_flags: Any, path: str, read: Case, written: Case
    ) -> None:
        """Set the access and modification times of a file."""
        about = self._status(number, path_flags, path)
        times = _times(about, read, written)
        self._directory.set_times(self._node(number), path, times)

    def read_directory(self, number: int) -> int:
        """Return a stream of the entries of a directory."""
        node = self._node(number)
        if not node.is_directory:
            raise WriteRefused("not-directory")
        return self._add_handle(FileListing(self._directory.entries(node)))

    def read_directory_entry(self, number: int) -> dict[str, Any] | None:
        """Return the next entry, or None at the end. Names that are not text are left out."""
        for entry in self._get(number, FileListing).entries:
            if _is_text(entry.name):
                return {"type": _type(entry), "name": entry.name}
        return None

    def create_directory_at(self, number: int, path: str) -> None:
        """Make a directory."""
        self._directory.make_directory(self._node(number), path)

    def remove_directory_at(self, number: int, path: str) -> None:
        """Remove an empty directory."""
        self._directory.remove_directory(self._node(number), path)

    def unlink_file_at(self, number: int, path: str) -> None:
        """Remove a file."""
        self._directory.unlink(self._node(number), path)

    def rename_at(self, number: int, path: str, to: int, to_path: str) -> None:
        """Rename a file or directory."""
        self._directory.rename(self._node(number), path, self._node(to), to_path)

    def metadata_hash(self, number: int) -> dict[str, int]:
        """Return numbers that identify an open file."""
        return _identity(self._node(number).status)

    def metadata_hash_at(
        self, number: int, path_flags: frozenset[str], path: str
    ) -> dict[str, int]:
        """Return numbers that identify a file."""
        return _identity(self._status(number, path_flags, path))

    def _status(self, number: int, path_flags: frozenset[str], path: str) -> os.stat_result:
        about = self._directory.status(self._node(number), path)
        if stat.S_ISLNK(about.st_mode) and "symlink-follow" in path_flags:
            raise WriteRefused("no-entry")
        return about

    def _read(self, node: DirectoryNode, size: int, offset: int) -> bytes:
        return os.pread(node.fd, min(size, CHUNK), offset)

    def _node(self, number: int) -> DirectoryNode:
        return self._get(number, DirectoryNode)

    def _file(self, number: int) -> DirectoryNode:
        node = self._node(number)
        if node.is_directory:
            raise WriteRefused("is-directory")
        return node

    def _get(self, number: int, kind: type[_T]) -> _T:
        thing = self._handles.get(number)
        if not isinstance(thing, kind):
            raise WriteRefused("bad-descriptor")
        return thing

    def _add_handle(self, thing: object) -> int:
        if len(self._handles) >= self._most:
            raise TooManyOpen(self._most)
        self._last += 1
        self._handles[self._last] = thing
        return self._last


def _type(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return _TYPES[stat.S_IFLNK]
    if entry.is_dir(follow_symlinks=False):
        return _TYPES[stat.S_IFDIR]
    return _TYPES[stat.S_IFREG] if entry.is_file(follow_symlinks=False) else _UNKNOWN


def _stat_record(about: os.stat_result) -> dict[str, Any]:
    return {
        "type": _TYPES.get(stat.S_IFMT(about.st_mode), _UNKNOWN),
        "link-count": about.st_nlink,
        "size": about.st_size,
        "data-access-timestamp": _moment(about.st_atime_ns),
        "data-modification-timestamp": _moment(about.st_mtime_ns),
        "status-change-timestamp": _moment(about.st_ctime_ns),
    }


def _moment(nanoseconds: int) -> dict[str, int]:
    seconds, rest = divmod(max(0, nanoseconds), _SECOND)
    return {"seconds": seconds, "nanoseconds": rest}


def _times(about: os.stat_result, read: Case, written: Case) -> tuple[int, int]:
    return _time(read, about.st_atime_ns), _time(written, about.st_mtime_ns)


def _time(requested: Case, before: int) -> int:
    match requested:
        case Case("now"):
            return time.time_ns()
        case Case("timestamp", {"seconds": seconds, "nanoseconds": rest}):
            return int(min(seconds, 1 << 33) * _SECOND + rest)
    return before


def _identity(about: os.stat_result) -> dict[str, int]:
    return {"lower": about.st_ino & (1 << 64) - 1, "upper": about.st_dev & (1 << 64) - 1}


def _is_text(name: str) -> bool:
    """Return whether a name is valid text. The names of the file system are bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
