"""The directory of a session, and the files that the host writes into it.

Programs write there too, so the host trusts nothing in it. A file may have been replaced by a link
to anywhere: the host always creates its files, and never writes to existing ones. They count
towards the same quota as the files of programs.

Programs can nest thousands of directories, deeper than `shutil.rmtree` can follow. To remove them,
each directory is moved to the top before it is emptied. Links are removed and never followed.
"""

import contextlib
import os
import secrets
import stat
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from coderelay.engines.python.live.quota import (
    DirectoryUsage,
    Quota,
    QuotaExceeded,
    flags,
    open_directory,
)
from coderelay.session.sdk_module import FILE, MARK

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_FRESH = f".{FILE}.new"
_TRIES = 100


class Folder:
    """The user's directory, or a temporary one that `remove` deletes."""

    def __init__(self, directory: str | Path | None, quota: Quota) -> None:
        self._quota = quota
        self.temporary = directory is None
        if directory is None:
            self.path = Path(tempfile.gettempdir(), f"coderelay-{secrets.token_hex(8)}")
        else:
            self.path = Path(directory).resolve()

    def make(self) -> None:
        """Make the directory if it does not exist.

        Raises `ValueError` if it has an `sdk.py` that no session wrote.
        """
        if self.temporary:
            self.path.mkdir(mode=0o700)
            return
        self.path.mkdir(parents=True, exist_ok=True)
        if not _is_ours(self.path / FILE):
            raise ValueError(
                f"{self.path / FILE} was not written by a session, and would be overwritten with "
                "the declarations of the tools: move it, or use another directory"
            )

    def write_sdk(self, text: str) -> None:
        """Write the declarations to `sdk.py`.

        Does nothing if the file does not fit, or if a program has made the path unusable: programs
        can call the tools without it.
        """
        with contextlib.suppress(OSError, QuotaExceeded):
            for name in (_FRESH, FILE):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.path / name)
            self._write(_FRESH, text)
            os.replace(self.path / _FRESH, self.path / FILE)

    def save_output(self, text: str) -> str | None:
        """Save an output to a new file and return its name, or None if the file does not fit."""
        for name in _output_names(self.path):
            try:
                self._write(name, text)
            except FileExistsError:
                continue
            except (OSError, QuotaExceeded):
                return None
            return name
        return None

    def remove(self) -> None:
        """Remove the directory with everything in it if it is a temporary one."""
        if self.temporary:
            remove(self.path)

    def _write(self, name: str, text: str) -> None:
        data = text.encode("utf-8", "replace")
        root = os.open(self.path, os.O_RDONLY)
        try:
            DirectoryUsage(self._quota).add(root, size=len(data), entries=1)
        finally:
            os.close(root)
        with open(os.open(self.path / name, _NEW, 0o600), "wb") as file:
            file.write(data)


def _output_names(path: Path) -> Iterator[str]:
    """Yield names for a new output file, numbered after the last one. A name may be in use when
    another process writes to the same directory, so there are several."""
    taken = [
        int(each.name[7:-4])
        for each in path.glob("output-*.txt")
        if each.name[7:-4].isdecimal() and len(each.name) < 20
    ]
    first = max(taken, default=0) + 1
    return (f"output-{number}.txt" for number in range(first, first + _TRIES))


def _is_ours(path: Path) -> bool:
    """Return whether a file does not exist or was written by a session."""
    begins = MARK.encode()
    try:
        # Opened without blocking: it may be a pipe that nobody ever writes to.
        with open(os.open(path, _READ), "rb") as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return is_file and file.read(len(begins)) == begins
    except FileNotFoundError:
        return True
    except OSError:
        return False


def remove(path: Path) -> None:
    """Remove a directory. What cannot be removed stays, and no error is raised."""
    with contextlib.suppress(OSError):
        top = os.open(path, flags("RDONLY", "DIRECTORY", "NOFOLLOW"))
        try:
            pending = _empty(top, top)
            while pending:
                pending += _remove_at_top(pending.pop(), top)
        finally:
            os.close(top)
        os.rmdir(path)


def _remove_at_top(name: str, top: int) -> list[str]:
    """Remove a directory at the top, and return the names of the directories that were in it.

    Those are at the top now, and have to be removed next.
    """
    moved: list[str] = []
    with contextlib.suppress(OSError):  # another thread may be removing it too
        inner = open_directory(name, top)
        try:
            moved = _empty(inner, top)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)
    return moved


def _empty(directory: int, top: int) -> list[str]:
    """Remove the files in a directory, move its directories to the top, and return their names."""
    moved = []
    with os.scandir(directory) as found:
        entries = list(found)
    for entry in entries:
        with contextlib.suppress(OSError):
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.name, dir_fd=directory)
                continue
            name = uuid.uuid4().hex
            os.rename(entry.name, name, src_dir_fd=directory, dst_dir_fd=top)
            moved.append(name)
    return moved
