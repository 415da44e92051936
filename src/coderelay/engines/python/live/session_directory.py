"""The directory of a session. A guest can reach nothing outside it.

A path is resolved one name at a time: each directory is opened relative to the one before, and
never through a symbolic link. So nothing that changes meanwhile can lead outside. Only regular
files and directories are opened. See docs/design/session-files.md.
"""

import os
import stat
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from coderelay.engines.python.live.quota import (
    DEEPEST,
    DirectoryUsage,
    Quota,
    WriteRefused,
    flags,
    open_directory,
)

_LONGEST_PATH = 4096
_SAFE = flags("NOFOLLOW", "NONBLOCK", "NOCTTY")
_Key = tuple[int, int]


class TooManyOpen(WriteRefused):
    """The session has reached its limit of open files."""

    def __init__(self, most: int) -> None:
        super().__init__("insufficient-memory")
        self.message = f"{most} files are open in this session: close some"


class DirectoryNode:
    """An open file or directory. When it is closed, `fd` is -1, because the system may use the
    number again."""

    def __init__(self, fd: int, *, is_directory: bool, access: int = os.O_RDONLY) -> None:
        self.fd = fd
        self.is_directory = is_directory
        self.access = access

    @property
    def status(self) -> os.stat_result:
        """Its `stat` result."""
        return os.fstat(self.fd)


class SessionDirectory:
    """The files of a session, within a quota."""

    def __init__(self, path: Path, quota: Quota, *, descriptors: int) -> None:
        self._usage = DirectoryUsage(quota)
        self.most = descriptors
        self._nodes: set[DirectoryNode] = set()
        self._open: Counter[_Key] = Counter()
        self._unlinked: set[_Key] = set()
        """Files that are open and have no name any more. They still count towards the quota."""
        fd = os.open(path, flags("RDONLY", "DIRECTORY"))
        self.root = DirectoryNode(fd, is_directory=True)

    def recount(self) -> None:
        """Measure the directory again before the next write: others may have changed it."""
        self._usage.recount()

    def close_all(self) -> None:
        """Close everything that the guest has open."""
        for node in list(self._nodes):
            self.close(node)

    def end(self) -> None:
        """Close everything, including the directory itself."""
        self.close_all()
        if self.root.fd >= 0:
            os.close(self.root.fd)
            self.root.fd = -1

    def close(self, node: DirectoryNode) -> None:
        """Close a file or directory."""
        if node not in self._nodes:
            return
        self._nodes.discard(node)
        if not node.is_directory:
            about = node.status
            key = _key(about)
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]
                if key in self._unlinked:
                    self._unlinked.discard(key)
                    self._usage.subtract(size=about.st_size)
        os.close(node.fd)
        node.fd = -1

    def open(
        self, base: DirectoryNode, path: str, *, access: int, how: frozenset[str]
    ) -> DirectoryNode:
        """Open a file or directory. `access` is an `O_` flag of `os`; `how` are WASI's
        `open-flags`."""
        if len(self._nodes) >= self.most:
            raise TooManyOpen(self.most)
        with self._parent(base, path) as (parent, name):
            about = _stat_if_exists(name, parent)
            if about is None:
                if "create" not in how or "directory" in how or path.endswith("/"):
                    raise WriteRefused("no-entry")
                self._add_usage(entries=1)
                try:
                    fd = os.open(
                        name, access | os.O_CREAT | os.O_EXCL | _SAFE, 0o666, dir_fd=parent
                    )
                except OSError:
                    self._usage.subtract(entries=1)
                    raise
            elif "exclusive" in how:
                raise WriteRefused("exist")
            elif stat.S_ISDIR(about.st_mode):
                if access != os.O_RDONLY or "truncate" in how:
                    raise WriteRefused("is-directory")
                fd = open_directory(name, parent)
            elif "directory" in how or path.endswith("/"):
                raise WriteRefused("not-directory")
            else:
                _require_file(about)
                fd = os.open(name, access | _SAFE, dir_fd=parent)
        return self._add_node(fd, access, truncate="truncate" in how)

    def write(self, node: DirectoryNode, data: bytes, offset: int | None) -> None:
        """Write data at an offset, or at the end of the file. Raises `QuotaExceeded`, and writes
        nothing, if the data does not fit."""
        if not data:
            return  # an offset beyond the end must not make the file longer
        size = node.status.st_size
        place = size if offset is None else offset
        added = max(0, place + len(data) - size)
        self._add_usage(size=added)
        left = memoryview(data)
        try:
            while left:
                written = os.pwrite(node.fd, left, place)
                left, place = left[written:], place + written
        except OSError:
            self._usage.subtract(size=added - max(0, node.status.st_size - size))
            raise

    def resize(self, node: DirectoryNode, size: int) -> None:
        """Cut a file, or extend it with zeros."""
        before = node.status.st_size
        self._add_usage(size=max(0, size - before))
        try:
            os.ftruncate(node.fd, size)
        finally:
            self._usage.subtract(size=max(size, before) - node.status.st_size)

    def entries(self, node: DirectoryNode) -> Generator[os.DirEntry[str], None, None]:
        """Yield the entries of a directory. Until then it counts as one more open file."""
        if len(self._nodes) >= self.most:
            raise TooManyOpen(self.most)
        inner = DirectoryNode(open_directory(".", node.fd), is_directory=True)
        self._nodes.add(inner)
        try:
            with os.scandir(inner.fd) as found:
                yield from found
        finally:
            self.close(inner)

    def status(self, base: DirectoryNode, path: str) -> os.stat_result:
        """Return the `stat` result of a file or directory, or of a symbolic link itself."""
        with self._parent(base, path) as (parent, name):
            about = os.stat(name, dir_fd=parent, follow_symlinks=False)
            if path.endswith("/") and not stat.S_ISDIR(about.st_mode):
                raise WriteRefused("not-directory")
            return about

    def set_times(self, base: DirectoryNode, path: str, times: tuple[int, int]) -> None:
        """Set the access and modification times of a file, in nanoseconds."""
        with self._parent(base, path) as (parent, name):
            os.utime(name, ns=times, dir_fd=parent, follow_symlinks=False)

    def make_directory(self, base: DirectoryNode, path: str) -> None:
        """Make a directory."""
        with self._parent(base, path) as (parent, name):
            self._add_usage(entries=1)
            try:
                os.mkdir(name, dir_fd=parent)
            except OSError:
                self._usage.subtract(entries=1)
                raise

    def remove_directory(self, base: DirectoryNode, path: str) -> None:
        """Remove an empty directory."""
        with self._parent(base, path) as (parent, name):
            os.rmdir(name, dir_fd=parent)
            self._usage.subtract(entries=1)

    def unlink(self, base: DirectoryNode, path: str) -> None:
        """Remove a file, or a symbolic link itself."""
        with self._parent(base, path) as (parent, name):
            about = os.stat(name, dir_fd=parent, follow_symlinks=False)
            os.unlink(name, dir_fd=parent)
            self._count_removed(about)

    def rename(self, base: DirectoryNode, path: str, to_base: DirectoryNode, to_path: str) -> None:
        """Rename a file or directory. It replaces what had the new name."""
        with (
            self._parent(base, path) as (parent, name),
            self._parent(to_base, to_path) as (to_parent, to_name),
        ):
            about = os.stat(name, dir_fd=parent, follow_symlinks=False)
            over = _stat_if_exists(to_name, to_parent)
            os.rename(name, to_name, src_dir_fd=parent, dst_dir_fd=to_parent)
            if over is not None and _key(over) != _key(about):
                self._count_removed(over)

    def _add_node(self, fd: int, access: int, *, truncate: bool) -> DirectoryNode:
        about = os.fstat(fd)
        is_directory = stat.S_ISDIR(about.st_mode)
        try:
            if not is_directory:
                _require_file(about)  # again, because the name may have been replaced meanwhile
        except WriteRefused:
            os.close(fd)
            raise
        node = DirectoryNode(fd, is_directory=is_directory, access=access)
        self._nodes.add(node)
        if not is_directory:
            self._open[_key(about)] += 1
        if truncate:
            self.resize(node, 0)
        return node

    def _add_usage(self, *, size: int = 0, entries: int = 0) -> None:
        """Count what is about to be added. Raises `QuotaExceeded` if it does not fit."""
        if not size and not entries:
            return
        sizes = {_key(node.status): node.status.st_size for node in self._nodes if self._unlinked}
        unlinked = sum(size for key, size in sizes.items() if key in self._unlinked)
        self._usage.add(self.root.fd, size=size, entries=entries, unlinked=unlinked)

    def _count_removed(self, about: os.stat_result) -> None:
        """Subtract a removed file from the usage; an open one only when it is closed."""
        key, size = _key(about), about.st_size if stat.S_ISREG(about.st_mode) else 0
        if about.st_nlink == 1 and key in self._open:
            self._unlinked.add(key)
            size = 0
        self._usage.subtract(size=size, entries=1)

    @contextmanager
    def _parent(self, base: DirectoryNode, path: str) -> Iterator[tuple[int, str]]:
        """Open the directory that contains a path, and yield it with the last name of the path.

        The name is `.` for the directory itself.
        """
        names = [name for name in path.split("/") if name not in ("", ".")]
        if not path or path.startswith("/") or "\0" in path or not base.is_directory:
            raise WriteRefused("not-permitted" if base.is_directory else "not-directory")
        if len(path) > _LONGEST_PATH:
            raise WriteRefused("name-too-long")
        last = names.pop() if names and names[-1] != ".." else "."
        opened = [base.fd]
        try:
            for name in names:
                if len(opened) > DEEPEST:
                    raise WriteRefused("name-too-long")
                if name != "..":
                    opened.append(open_directory(name, opened[-1]))
                elif len(opened) > 1:
                    os.close(opened.pop())
                else:
                    raise WriteRefused("not-permitted")
            yield opened[-1], last
        finally:
            for fd in opened[1:]:
                os.close(fd)


def _stat_if_exists(name: str, parent: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _require_file(about: os.stat_result) -> None:
    if stat.S_ISLNK(about.st_mode):
        raise WriteRefused("loop")
    if not stat.S_ISREG(about.st_mode):
        raise WriteRefused("not-permitted")


def _key(about: os.stat_result) -> _Key:
    return about.st_dev, about.st_ino
