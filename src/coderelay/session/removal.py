"""Removes a directory and everything in it, at any depth.

Programs can nest thousands of directories, deeper than `shutil.rmtree` can follow. So each
directory is moved to the top before it is emptied. Links are removed and never followed.
"""

import contextlib
import os
import uuid
from pathlib import Path

from coderelay.engines.python.live.quota import flags, open_directory


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
