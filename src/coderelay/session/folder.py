"""A session's directory. Programs write in it, so nothing in it is trusted by the host.

A name in it may have become a link to anywhere: files are made anew, and never written through.
What the host adds counts within the same quota as what programs write.
"""

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from coderelay.engines.python.live.quota import DirectoryUsage, Quota, QuotaPassed
from coderelay.session.removal import remove
from coderelay.session.sdk_module import FILE, MARK

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_FRESH = f".{FILE}.new"
_TRIES = 100


class Folder:
    """The user's directory, or a temporary one that `remove` takes away."""

    def __init__(self, directory: str | Path | None, quota: Quota) -> None:
        self._quota = quota
        self.temporary = directory is None
        if directory is None:
            self.path = Path(tempfile.gettempdir(), f"coderelay-{secrets.token_hex(8)}")
        else:
            self.path = Path(directory).resolve()

    def make(self) -> None:
        """Make the directory, where it is not there. Raises `ValueError` for one in which `sdk.py`
        is not ours."""
        if self.temporary:
            self.path.mkdir(mode=0o700)
            return
        self.path.mkdir(parents=True, exist_ok=True)
        if not _is_ours(self.path / FILE):
            raise ValueError(
                f"{self.path / FILE} is somebody's own, and programs would see the tools there: "
                "move it, or give another directory"
            )

    def write_sdk(self, text: str) -> None:
        """Put the declarations into `sdk.py`. Where there is no room, or a program has put
        something in the way, it stays without."""
        with contextlib.suppress(OSError, QuotaPassed):
            for name in (_FRESH, FILE):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.path / name)
            self._write(_FRESH, text)
            os.replace(self.path / _FRESH, self.path / FILE)

    def keep(self, text: str) -> str | None:
        """Store an output under the first free name; None where there is no room for it."""
        for name in _names(self.path):
            try:
                self._write(name, text)
            except FileExistsError:
                continue
            except (OSError, QuotaPassed):
                return None
            return name
        return None

    def remove(self) -> None:
        """Remove a temporary directory with all that is in it."""
        if self.temporary:
            remove(self.path)

    def _write(self, name: str, text: str) -> None:
        data = text.encode("utf-8", "replace")
        root = os.open(self.path, os.O_RDONLY)
        try:
            DirectoryUsage(self._quota).take(root, size=len(data), entries=1)
        finally:
            os.close(root)
        with open(os.open(self.path / name, _NEW, 0o600), "wb") as file:
            file.write(data)


def _names(path: Path) -> Iterator[str]:
    taken = [
        int(each.name[7:-4])
        for each in path.glob("output-*.txt")
        if each.name[7:-4].isdecimal() and len(each.name) < 20
    ]
    first = max(taken, default=0) + 1
    return (f"output-{number}.txt" for number in range(first, first + _TRIES))


def _is_ours(path: Path) -> bool:
    """Whether a file is missing, or one that we wrote."""
    begins = MARK.encode()
    try:
        # Without blocking: a pipe that somebody put there may never be written to.
        with open(os.open(path, _READ), "rb") as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return is_file and file.read(len(begins)) == begins
    except FileNotFoundError:
        return True
    except OSError:
        return False
