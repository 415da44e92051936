"""A directory goes with all that is in it, however deep that lies.

Programs can move directories into each other by the thousand, deeper than `shutil.rmtree` can
follow. So each directory is moved to the top before it is looked into. No link is followed.
"""

import contextlib
import os
import uuid
from pathlib import Path

from coderelay.engines.python.live.quota import flags, open_directory


def remove(path: Path) -> None:
    """Remove a directory; whatever cannot be removed stays."""
    with contextlib.suppress(OSError):
        top = os.open(path, flags("RDONLY", "DIRECTORY", "NOFOLLOW"))
        try:
            waiting = _emptied(top, top)
            while waiting:
                waiting += _removed(waiting.pop(), top)
        finally:
            os.close(top)
        os.rmdir(path)


def _removed(name: str, top: int) -> list[str]:
    """Remove a directory at the top. What was in it and is to be removed now is the answer."""
    moved: list[str] = []
    with contextlib.suppress(OSError):  # another may be removing it too
        inner = open_directory(name, top)
        try:
            moved = _emptied(inner, top)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)
    return moved


def _emptied(directory: int, top: int) -> list[str]:
    """Remove the files in a directory, and move what directories it has to the top."""
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
