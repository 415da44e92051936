"""The set-up from a fresh clone says what it does, and the Makefile explains its targets."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from guests.build import GUESTS
from scripts import set_up
from tests.house import documents
from tests.house.test_locks import pins

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def targets() -> set[str]:
    """What can be made, by the Makefile's own list."""
    (listed,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    return set(listed.split())


def test_every_target_is_explained_by_make_help() -> None:
    assert set(re.findall(r"^([a-z-]+):.*## \S", MAKEFILE, re.MULTILINE)) == targets()


def test_every_target_is_in_the_table_for_contributors() -> None:
    rows = documents.table(ROOT / "CONTRIBUTING.md", "target", "does")
    assert {cells[0].strip("`").removeprefix("make ") for cells in rows} == targets()


def test_the_set_up_counts_the_packages_of_the_lock_file() -> None:
    lock = ROOT / "requirements" / "dev.txt"
    assert set_up.packages(lock.read_text("utf-8")) == len(pins(lock))


def test_the_set_up_tells_of_each_tenth_of_the_packages_and_nothing_else_of_pip() -> None:
    output = [line for number in range(20) for line in (f"Collecting p{number}", "  Downloading")]
    output += ["Installing collected packages: p0, p1", "Successfully installed p0 p1"]
    shown = list(set_up.progress(output, 20))
    assert shown == [f"{count} of 20 packages" for count in range(2, 21, 2)] + ["unpacking them"]


def test_packages_that_are_there_or_not_for_this_system_count_as_done() -> None:
    output = ["Requirement already satisfied: a", "Ignoring b: markers", "Processing ./c.whl"]
    assert list(set_up.progress(output, 3))[-1] == "3 of 3 packages"


def test_the_set_up_says_first_what_will_come_and_then_which_step_it_is_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [set_up.Step("do this", "1 s", lambda: None), set_up.Step("do that", "2 s", _fail)]
    monkeypatch.setattr(set_up, "steps", lambda: steps)
    with pytest.raises(SystemExit, match=r"Could not do that: .*\n.* run make again"):
        set_up.main()
    said = capsys.readouterr().out.splitlines()
    assert said[1:] == [
        "  1. do this (about 1 s)",
        "  2. do that (about 2 s)",
        "[1/2] do this (about 1 s)",
        "[2/2] do that (about 2 s)",
    ]


def test_the_set_up_has_a_step_for_every_guest() -> None:
    steps = [step.what for step in set_up.steps()]
    assert {f"build the {language} sandbox" for language in GUESTS} <= set(steps)


def test_the_set_up_needs_no_installed_package() -> None:
    command = [sys.executable, "-S", "-c", "from scripts import set_up; set_up.steps()"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _fail() -> None:
    raise subprocess.CalledProcessError(1, "that")
