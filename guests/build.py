"""Builds the guests from pinned packages, once: what is there and still right is kept.

Run by the package's build hook; `python -m guests.build` does the same by hand, for all languages
or for those that it is given.
"""

import hashlib
import importlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class GuestBuild:
    """How a guest is built: the packages that its bytes depend on, and how long it takes on an
    ordinary machine."""

    packages: tuple[str, ...]
    duration: str


GUESTS = {
    "typescript": GuestBuild(("wasmtime",), "10 s"),
    "python": GuestBuild(("componentize-py", "tzdata", "wasmtime"), "40 s"),
}
"""The guests by their languages."""

STAMP = "built-from"


def build_all(say: Callable[[str], None], languages: Iterable[str] = ()) -> None:
    """Make every guest that is not there yet, or was built from something else; with `languages`,
    only theirs."""
    for language in languages or GUESTS:
        if language not in GUESTS:
            raise SystemExit(f"unknown language {language!r}: choose one of {', '.join(GUESTS)}")
        output = ROOT / "src" / "coderelay" / "engines" / language / "guest"
        stamp = _stamp(ROOT / "guests" / language, GUESTS[language].packages)
        if _read(output / STAMP) == stamp:
            say(f"the {language} guest is up to date")
            continue
        say(f"building the {language} guest")
        _build(language, output, stamp, say)


def _build(language: str, output: Path, stamp: str, say: Callable[[str], None]) -> None:
    """Build beside the old guest and swap, so that a failed build leaves nothing half done."""
    builder = importlib.import_module(f"guests.{language}.build")
    output.parent.mkdir(parents=True, exist_ok=True)
    for left in output.parent.glob(".building-*"):  # by a build that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".building-") as temporary:
        fresh, work = Path(temporary) / "guest", Path(temporary) / "work"
        fresh.mkdir()
        work.mkdir()
        try:
            builder.build(fresh, work, say)
        except Exception as error:
            raise SystemExit(f"the {language} guest could not be built: {error}") from error
        (fresh / STAMP).write_text(stamp)
        if output.exists():
            shutil.rmtree(output)
        fresh.rename(output)


def _stamp(sources: Path, packages: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for path in sorted(sources.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(sources).as_posix()}\0".encode() + path.read_bytes())
    for package in packages:
        digest.update(f"|{package} {version(package)}".encode())
    return digest.hexdigest()


def _read(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


if __name__ == "__main__":
    build_all(lambda message: print(message, file=sys.stderr), sys.argv[1:])
