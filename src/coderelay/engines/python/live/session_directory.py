"""A session's directory: all that a guest can reach, and no name leads out of it.

A path is followed one name at a time, each opened in the directory before it and never through a
symbolic link, so that nothing that changes meanwhile can lead elsewhere. What is neither a file
nor a directory is never opened. See docs/design/session-files.md.
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
    """As many files are open as may be."""

    def __init__(self, most: int) -> None:
        super().__init__("insufficient-memory")
        self.message = f"{most} files are open in this session: close some"


class DirectoryNode:
    """An open file or directory. Closed, it has no number: that may be another's by then."""

    def __init__(self, fd: int, *, is_directory: bool, access: int = os.O_RDONLY) -> None:
        self.fd = fd
        self.is_directory = is_directory
        self.access = access

    @property
    def status(self) -> os.stat_result:
        """What the system knows of it."""
        return os.fstat(self.fd)


class SessionDirectory:
    """The files of a session, within a quota."""

    def __init__(self, path: Path, quota: Quota, *, descriptors: int) -> None:
        self._usage = DirectoryUsage(quota)
        self.most = descriptors
        self._nodes: set[DirectoryNode] = set()
        self._open: Counter[_Key] = Counter()
        self._unlinked: set[_Key] = set()
        """Files that are open and have no name any more: they still take their place."""
        fd = os.open(path, flags("RDONLY", "DIRECTORY"))
        self.root = DirectoryNode(fd, is_directory=True)

    def forget(self) -> None:
        """Something may have changed the directory from outside."""
        self._usage.forget()

    def close_all(self) -> None:
        """Close what the guest has open."""
        for node in list(self._nodes):
            self.close(node)

    def end(self) -> None:
        """Close everything."""
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
                    self._usage.give(size=about.st_size)
        os.close(node.fd)
        node.fd = -1

    def open(
        self, base: DirectoryNode, path: str, *, access: int, how: frozenset[str]
    ) -> DirectoryNode:
        """Open a file or directory. `access` is the system's, `how` is WASI's `open-flags`."""
        if len(self._nodes) >= self.most:
            raise TooManyOpen(self.most)
        with self._parent(base, path) as (parent, name):
            about = _found(name, parent)
            if about is None:
                if "create" not in how or "directory" in how or path.endswith("/"):
                    raise WriteRefused("no-entry")
                self._take(entries=1)
                try:
                    fd = os.open(
                        name, access | os.O_CREAT | os.O_EXCL | _SAFE, 0o666, dir_fd=parent
                    )
                except OSError:
                    self._usage.give(entries=1)
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
        return self._keep(fd, access, truncate="truncate" in how)

    def write(self, node: DirectoryNode, data: bytes, offset: int | None) -> None:
        """Write into a file, or at its end; all of the data, or nothing of what does not fit."""
        if not data:
            return  # also beyond the end, where a byte would make the file longer
        size = node.status.st_size
        place = size if offset is None else offset
        added = max(0, place + len(data) - size)
        self._take(size=added)
        left = memoryview(data)
        try:
            while left:
                written = os.pwrite(node.fd, left, place)
                left, place = left[written:], place + written
        except OSError:
            self._usage.give(size=added - max(0, node.status.st_size - size))
            raise

    def resize(self, node: DirectoryNode, size: int) -> None:
        """Make a file shorter, or longer by zeros."""
        before = node.status.st_size
        self._take(size=max(0, size - before))
        try:
            os.ftruncate(node.fd, size)
        finally:
            self._usage.give(size=max(size, before) - node.status.st_size)

    def entries(self, node: DirectoryNode) -> Generator[os.DirEntry[str], None, None]:
        """What is in a directory. It counts as one more open file, until it is at its end."""
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
        """What the system knows of a file, or of a symbolic link itself."""
        with self._parent(base, path) as (parent, name):
            about = os.stat(name, dir_fd=parent, follow_symlinks=False)
            if path.endswith("/") and not stat.S_ISDIR(about.st_mode):
                raise WriteRefused("not-directory")
            return about

    def set_times(self, base: DirectoryNode, path: str, times: tuple[int, int]) -> None:
        """Set when a file was read and written, in nanoseconds."""
        with self._parent(base, path) as (parent, name):
            os.utime(name, ns=times, dir_fd=parent, follow_symlinks=False)

    def make_directory(self, base: DirectoryNode, path: str) -> None:
        """Make a directory."""
        with self._parent(base, path) as (parent, name):
            self._take(entries=1)
            try:
                os.mkdir(name, dir_fd=parent)
            except OSError:
                self._usage.give(entries=1)
                raise

    def remove_directory(self, base: DirectoryNode, path: str) -> None:
        """Remove an empty directory."""
        with self._parent(base, path) as (parent, name):
            os.rmdir(name, dir_fd=parent)
            self._usage.give(entries=1)

    def unlink(self, base: DirectoryNode, path: str) -> None:
        """Remove a file, or a symbolic link itself."""
        with self._parent(base, path) as (parent, name):
            about = os.stat(name, dir_fd=parent, follow_symlinks=False)
            os.unlink(name, dir_fd=parent)
            self._removed(about)

    def rename(self, base: DirectoryNode, path: str, to_base: DirectoryNode, to_path: str) -> None:
        """Give a file or directory another name, over what had it."""
        with (
            self._parent(base, path) as (parent, name),
            self._parent(to_base, to_path) as (to_parent, to_name),
        ):
            about = os.stat(name, dir_fd=parent, follow_symlinks=False)
            over = _found(to_name, to_parent)
            os.rename(name, to_name, src_dir_fd=parent, dst_dir_fd=to_parent)
            if over is not None and _key(over) != _key(about):
                self._removed(over)

    def _keep(self, fd: int, access: int, *, truncate: bool) -> DirectoryNode:
        about = os.fstat(fd)
        is_directory = stat.S_ISDIR(about.st_mode)
        try:
            if not is_directory:
                _require_file(about)  # again: it may be another by now
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

    def _take(self, *, size: int = 0, entries: int = 0) -> None:
        if not size and not entries:
            return
        kept = {_key(node.status): node.status.st_size for node in self._nodes if self._unlinked}
        unlinked = sum(size for key, size in kept.items() if key in self._unlinked)
        self._usage.take(self.root.fd, size=size, entries=entries, unlinked=unlinked)

    def _removed(self, about: os.stat_result) -> None:
        key, size = _key(about), about.st_size if stat.S_ISREG(about.st_mode) else 0
        if about.st_nlink == 1 and key in self._open:
            self._unlinked.add(key)
            size = 0
        self._usage.give(size=size, entries=1)

    @contextmanager
    def _parent(self, base: DirectoryNode, path: str) -> Iterator[tuple[int, str]]:
        """The directory that a path ends in, open, and the name in it; `.` for itself."""
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


def _found(name: str, parent: int) -> os.stat_result | None:
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
