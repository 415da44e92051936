"""How much is in a session's directory, counted before anything is added to it."""

import os
import stat
from dataclasses import dataclass

from coderelay.engines.wasm.ledger import size_text

DEEPEST = 64
"""How many directories may lie in each other: each is open while those in it are counted."""


class WriteRefused(Exception):
    """The guest may not have this: `code` is WASI's word for it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class QuotaPassed(WriteRefused):
    """What was asked for would not fit into the directory."""

    def __init__(self, message: str) -> None:
        super().__init__("quota")
        self.message = message


@dataclass(frozen=True, slots=True)
class Quota:
    """The most that a session's directory may hold, with what was there before."""

    size: int
    """Bytes in regular files, by their length."""
    entries: int
    """Files and directories."""


class DirectoryUsage:
    """Counts a directory when something is first added to it, then keeps count.

    Whatever changes the directory from outside is seen when it is counted anew, by `forget`.
    """

    def __init__(self, quota: Quota) -> None:
        self._quota = quota
        self._counted = False
        self._size = 0
        self._entries = 0

    def forget(self) -> None:
        """Count anew before anything more is added."""
        self._counted = False

    def take(self, root: int, *, size: int = 0, entries: int = 0, unlinked: int = 0) -> None:
        """Add to the directory, or raise `QuotaPassed`. `unlinked` is the size of files that are
        open and have no name any more."""
        if not self._counted:
            self._size, self._entries = unlinked, 0
            self._count(root, 0)
            self._counted = True
        if size and self._size + size > self._quota.size:
            raise QuotaPassed(
                f"the files of this session would be over {size_text(self._quota.size)}: remove "
                "some, or write less"
            )
        if entries and self._entries + entries > self._quota.entries:
            raise QuotaPassed(
                f"this session would have over {self._quota.entries} files and directories: "
                "remove some, or put more into each"
            )
        self._size += size
        self._entries += entries

    def give(self, *, size: int = 0, entries: int = 0) -> None:
        """Something was removed."""
        self._size -= size
        self._entries -= entries

    def _count(self, directory: int, depth: int) -> None:
        if depth > DEEPEST:
            raise QuotaPassed(
                f"this session has directories over {DEEPEST} deep: remove them before anything "
                "is written"
            )
        inner = []
        with os.scandir(directory) as found:
            for entry in found:
                self._entries += 1
                if self._entries > self._quota.entries:
                    return  # full, however many more there are
                try:
                    about = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # removed meanwhile, from outside
                if stat.S_ISDIR(about.st_mode):
                    inner.append(entry.name)
                elif stat.S_ISREG(about.st_mode):
                    self._size += about.st_size
        for name in inner:
            try:
                below = open_directory(name, directory)
            except OSError:
                continue  # gone, or closed to us: then to the guest too
            try:
                self._count(below, depth + 1)
            finally:
                os.close(below)


def flags(*names: str) -> int:
    """The system's flags for opening a file, as far as it has them: Windows lacks some, and can
    have no sessions, but must be able to import this."""
    return sum(getattr(os, f"O_{name}", 0) for name in names)


_DIRECTORY = flags("RDONLY", "DIRECTORY", "NOFOLLOW")


def open_directory(name: str, parent: int) -> int:
    """A directory's descriptor. A symbolic link is none."""
    return os.open(name, _DIRECTORY, dir_fd=parent)
