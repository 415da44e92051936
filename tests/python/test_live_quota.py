"""Whatever a program does, its directory takes exactly as much as the quota leaves."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coderelay.engines.python.live.quota import Quota, QuotaExceeded, WriteRefused
from coderelay.engines.python.live.session_directory import DirectoryNode, SessionDirectory

NAMES = st.sampled_from(["a", "b", "d", "d/a", "d/e", "d/e/b"])
SIZES = st.integers(0, 400)
STEPS = st.one_of(
    st.tuples(st.just("open"), NAMES),
    st.tuples(st.just("write"), SIZES, SIZES),
    st.tuples(st.just("append"), SIZES),
    st.tuples(st.just("resize"), SIZES),
    st.tuples(st.just("close")),
    st.tuples(st.just("unlink"), NAMES),
    st.tuples(st.just("rename"), NAMES, NAMES),
    st.tuples(st.just("mkdir"), NAMES),
    st.tuples(st.just("rmdir"), NAMES),
)
QUOTA = Quota(1_000, 5)


@example([("open", "a"), ("write", 0, 1)])
@given(st.lists(STEPS, max_size=40))
@settings(max_examples=150, deadline=None)
def test_the_count_is_right_after_anything(steps: list[tuple[object, ...]]) -> None:
    with tempfile.TemporaryDirectory() as path:
        directory = SessionDirectory(Path(path), QUOTA, descriptors=6)
        opened: list[DirectoryNode] = []
        try:
            for step in steps:
                with suppress(WriteRefused, OSError):
                    _take(directory, opened, step)
                assert _used(directory.root.fd)[0] <= QUOTA.size
                assert _used(directory.root.fd)[1] <= QUOTA.entries
            _require_exact(directory, opened)
        finally:
            directory.end()


def _take(
    directory: SessionDirectory, opened: list[DirectoryNode], step: tuple[object, ...]
) -> None:
    root = directory.root
    match step:
        case ("open", str(name)):
            opened.append(
                directory.open(root, name, access=os.O_RDWR, how=frozenset({"create", "truncate"}))
            )
        case ("write", int(size), int(offset)) if opened:
            directory.write(opened[-1], bytes(size), offset)
        case ("append", int(size)) if opened:
            directory.write(opened[0], bytes(size), None)
        case ("resize", int(size)) if opened:
            directory.resize(opened[-1], size)
        case ("close",) if opened:
            directory.close(opened.pop(0))
        case ("unlink", str(name)):
            directory.unlink(root, name)
        case ("rename", str(name), str(to)):
            directory.rename(root, name, root, to)
        case ("mkdir", str(name)):
            directory.make_directory(root, name)
        case ("rmdir", str(name)):
            directory.remove_directory(root, name)


def _require_exact(directory: SessionDirectory, opened: list[DirectoryNode]) -> None:
    """What is left can be written, and not a byte more; nor can an entry more be made."""
    nameless = {
        node.status.st_ino: node.status.st_size for node in opened if not node.status.st_nlink
    }
    if not opened:
        return
    before = opened[-1].status.st_size
    size, entries = _used(directory.root.fd)
    left = QUOTA.size - size - sum(nameless.values())
    directory.write(opened[-1], bytes(left), None)
    assert opened[-1].status.st_size == before + left
    with pytest.raises(QuotaExceeded):
        directory.write(opened[-1], b"x", None)
    for number in range(QUOTA.entries - entries):
        directory.make_directory(directory.root, f"new{number}")
    with pytest.raises(QuotaExceeded):
        directory.make_directory(directory.root, "one more")


def _used(root: int) -> tuple[int, int]:
    size = entries = 0
    for _, folders, files, folder in os.fwalk(dir_fd=root):
        entries += len(folders) + len(files)
        size += sum(os.stat(name, dir_fd=folder).st_size for name in files)
    return size, entries
