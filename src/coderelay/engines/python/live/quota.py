"""Limits how much a session's directory may contain. It is checked before anything is written."""

import os
import stat
from dataclasses import dataclass

from coderelay.engines.wasm.ledger import size_text

DEEPEST = 64
"""How deep directories may be nested. Each is open while those in it are counted."""


class WriteRefused(Exception):
    """A file operation of the guest is refused. `code` is WASI's error code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class QuotaExceeded(WriteRefused):
    """A file operation is refused because the directory would contain too much."""

    def __init__(self, message: str) -> None:
        super().__init__("quota")
        self.message = message


@dataclass(frozen=True, slots=True)
class Quota:
    """How much a session's directory may contain, including what was there before."""

    size: int
    """The length of all regular files, in bytes."""
    entries: int
    """The number of files and directories."""


class DirectoryUsage:
    """Measures a directory before the first write, and updates the numbers with each change.

    `recount` has it measured again, which shows changes that other processes have made.
    """

    def __init__(self, quota: Quota) -> None:
        self._quota = quota
        self._counted = False
        self._size = 0
        self._entries = 0

    def recount(self) -> None:
        """Measure the directory again before anything more is added."""
        self._counted = False

    def add(self, root: int, *, size: int = 0, entries: int = 0, unlinked: int = 0) -> None:
        """Count what is about to be added, or raise `QuotaExceeded`.

        `unlinked` is the size of files that are open and have no name any more.
        """
        if not self._counted:
            self._size, self._entries = unlinked, 0
            self._count(root, 0)
            self._counted = True
        if size and self._size + size > self._quota.size:
            raise QuotaExceeded(
                f"the files of this session would be over {size_text(self._quota.size)}: remove "
                "some, or write less"
            )
        if entries and self._entries + entries > self._quota.entries:
            raise QuotaExceeded(
                f"this session would have over {self._quota.entries} files and directories: "
                "remove some, or put more into each"
            )
        self._size += size
        self._entries += entries

    def subtract(self, *, size: int = 0, entries: int = 0) -> None:
        """Subtract what was removed."""
        self._size -= size
        self._entries -= entries

    def _count(self, directory: int, depth: int) -> None:
        if depth > DEEPEST:
            raise QuotaExceeded(
                f"this session has directories over {DEEPEST} deep: remove them before anything "
                "is written"
            )
        inner = []
        with os.scandir(directory) as found:
            for entry in found:
                self._entries += 1
                if self._entries > self._quota.entries:
                    return  # the quota is exceeded, whatever else there is
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
                continue  # removed, or not readable for us, and so not for the guest
            try:
                self._count(below, depth + 1)
            finally:
                os.close(below)


def flags(*names: str) -> int:
    """Return the flags for `os.open` with these names, without those that the system lacks.

    Windows lacks some. It cannot have sessions, but must be able to import this module.
    """
    return sum(getattr(os, f"O_{name}", 0) for name in names)


_DIRECTORY = flags("RDONLY", "DIRECTORY", "NOFOLLOW")


def open_directory(name: str, parent: int) -> int:
    """Open a directory and return its descriptor. Raises `OSError` for a symbolic link."""
    return os.open(name, _DIRECTORY, dir_fd=parent)
