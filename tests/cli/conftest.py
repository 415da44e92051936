"""A folder with tools, and the command line run in it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from coderelay.cli.commands import app

TOOLS = '''
"""Tools that leave a trace of every call."""

from pathlib import Path

TRACE = Path(__file__).with_name("trace.txt")


def double(number: int) -> int:
    """Twice a number."""
    print("a tool may print")
    with TRACE.open("a") as trace:
        trace.write(f"double {number}\\n")
    return number * 2


def refuse(why: str) -> None:
    """Fail."""
    raise ValueError(why)
'''

Cli = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of the command, with a `tools.py`."""
    (tmp_path / "tools.py").write_text(TOOLS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


@pytest.fixture
def cli(folder: Path) -> Cli:
    """The command line, as `cli("run", "a.ts")`."""

    def run(*arguments: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(app, list(arguments), input=stdin)

    return run
