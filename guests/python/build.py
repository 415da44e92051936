"""Makes the Python guest: CPython, its library and our harness in one WebAssembly component."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from guests.python.fuse.merge import merge
from guests.python.fuse.signatures import signatures

HERE = Path(__file__).parent
LICENCES = ("componentize-py", "tzdata")
"""The packages whose code or data is in the image."""
_PYTHON_LICENCE = re.compile(rb"A\. HISTORY OF THE SOFTWARE\n[^\0]+")


def build(output: Path, work: Path, say: Callable[[str], None]) -> None:
    """Write `python.wasm`, and the licences of what is in it, into `output`."""
    sources = work.resolve() / "python"
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(HERE, sources, ignore=shutil.ignore_patterns("__pycache__", "build.py", "fuse"))
    _copy_time_zones(sources)
    say("python: building CPython with its library, half a minute …")
    made = sources / "python.wasm"
    _componentize(sources, made)
    component = made.read_bytes()
    (output / "imports.json").write_text(json.dumps(signatures(component), indent=1) + "\n")
    say("python: linking it into one module …")
    (output / "python.wasm").write_bytes(merge(component, work.resolve(), say))
    _copy_licences(output)


def _componentize(sources: Path, made: Path) -> None:
    import componentize_py  # a build requirement

    # Named by its place: an isolated build finds it by PYTHONPATH, which is taken away below.
    place = str(Path(componentize_py.__file__).parent.parent)
    start = f"import sys; sys.path.append({place!r}); from componentize_py import script; script()"
    command = [sys.executable, "-c", start]
    options = ["--quiet", "--wit-path", str(sources / "world.wit"), "--world", "guest"]
    into = ["componentize", "--python-path", str(sources), "app", "--output", str(made)]
    # A virtual environment's packages are none of the guest's business.
    environment = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        [*command, *options, *into], env=environment, capture_output=True, text=True, cwd=sources
    )
    if done.returncode or not made.exists():
        raise RuntimeError(f"componentize-py failed:\n{done.stdout}\n{done.stderr}")


def _copy_time_zones(sources: Path) -> None:
    import tzdata

    shutil.copytree(Path(tzdata.__file__).parent, sources / "tzdata")


def _copy_licences(output: Path) -> None:
    (output / "LICENSE.cpython.txt").write_bytes(python_licence(output / "python.wasm"))
    for package in LICENCES:
        files = importlib.metadata.files(package) or ()
        found = [file for file in files if "licen" in str(file).lower()]
        if not found:
            raise RuntimeError(f"{package} has no licence to go with its code")
        for file in found:
            text = Path(str(file.locate())).read_bytes()
            (output / f"LICENSE.{package}.{file.name}").write_bytes(text)


def python_licence(image: Path) -> bytes:
    """The licence of the CPython that is in an image: `stdlib.py` carries it there, because
    `componentize-py` has it among its modules only, and the building Python's is another's."""
    found: list[bytes] = _PYTHON_LICENCE.findall(image.read_bytes())
    if not found:
        raise RuntimeError("CPython's licence is not in the image")
    return max(found, key=len)  # buffers it was read through may hold parts of it


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]), print)
