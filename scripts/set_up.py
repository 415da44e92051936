"""Sets up `.venv` from the locked packages and builds the sandboxes, saying how far it is.

`make build` runs it, before anything is installed: it needs the standard library only.
"""

import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from guests.build import GUESTS

ROOT = Path(__file__).parents[1]
VENV = ROOT / ".venv"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = str(SCRIPTS / "python")
PIP_INSTALL = (PYTHON, "-m", "pip", "install", "--disable-pip-version-check")
LOCK = ROOT / "requirements" / "dev.txt"

_HANDLED = re.compile(r"(Collecting|Processing|Requirement already satisfied|Ignoring)\b")
"""The lines of pip's output of which there is one for each package of a requirements file."""


@dataclass(frozen=True, slots=True)
class Step:
    """One part of the set-up: what it does and how long it takes on an ordinary machine."""

    what: str
    duration: str
    do: Callable[[], None]


def steps() -> list[Step]:
    """The whole set-up, in order. A step whose work is done already takes a moment."""
    count = packages(LOCK.read_text("utf-8"))
    return [
        Step(f"create .venv with Python {platform.python_version()}", "5 s", _create),
        Step(f"install {count} packages, each checked against its hash", "1 min", _install),
        *(
            Step(f"build the {language} sandbox", guest.duration, partial(_build, language))
            for language, guest in GUESTS.items()
        ),
        Step("install Coderelay itself, in place", "5 s", _install_coderelay),
        Step("compile the sandboxes to native code", "40 s", _compile),
    ]


def main() -> None:
    """Do every step; stop at the first that fails, and say what to do."""
    began, todo = time.monotonic(), steps()
    say("Setting up Coderelay for development. The first time, this takes a few minutes:")
    for number, step in enumerate(todo, 1):
        say(f"  {number}. {step.what} (about {step.duration})")
    for number, step in enumerate(todo, 1):
        say(f"[{number}/{len(todo)}] {step.what} (about {step.duration})")
        try:
            step.do()
        except subprocess.CalledProcessError as error:
            sys.exit(
                f"Could not {step.what}: its command ended with {error.returncode}; see the error "
                "above.\nWhen it is fixed, run make again: it continues from here."
            )
    say(f"Ready after {time.monotonic() - began:.0f} s. `make help` shows what to do next.")


def packages(lock: str) -> int:
    """How many packages a lock file has."""
    return len(re.findall(r"^[\w.-]+==", lock, re.MULTILINE))


def progress(output: Iterable[str], total: int) -> Iterator[str]:
    """What to show of pip's output: how many packages it has looked at, at each tenth of them,
    and that it unpacks them."""
    done = 0
    for line in output:
        if _HANDLED.match(line):
            done += 1
            if done * 10 // total > (done - 1) * 10 // total:
                yield f"{done} of {total} packages"
        elif line.startswith("Installing collected packages"):
            yield "unpacking them"


def say(message: str) -> None:
    """Print at once, also where the output is a file or a pipe."""
    print(message, flush=True)


def _create() -> None:
    _run(sys.executable, "-m", "venv", str(VENV))


def _install() -> None:
    command = [*PIP_INSTALL, "--require-hashes", "-r", str(LOCK)]
    total = packages(LOCK.read_text("utf-8"))
    # Warnings and errors are not read here: they go to the terminal as they come.
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as pip:
        assert pip.stdout is not None
        for message in progress(pip.stdout, total):
            say(f"      {message}")
    if pip.returncode:
        raise subprocess.CalledProcessError(pip.returncode, command)


def _build(language: str) -> None:
    _run(PYTHON, "-m", "guests.build", language)


def _install_coderelay() -> None:
    _run(*PIP_INSTALL, "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))


def _compile() -> None:
    _run(str(SCRIPTS / "coderelay"), "warmup")


def _run(*command: str) -> None:
    subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
