"""The project depends on nothing outside of it, and its files follow its own rules."""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import coderelay

ROOT = Path(__file__).parents[2]
SKIPPED = {"node_modules", "__pycache__", "dist", "build", "guest", "results", "htmlcov"}
NOT_HIDDEN = {
    ".ci",
    ".editorconfig",
    ".gitattributes",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
}
TEXT = set(".py .pyi .md .toml .txt .in .js .ts .json .svg .wit .yml .yaml".split()) | {""}
LONGEST = 400

FORBIDDEN = {
    "a registry's host": r"registry\.npmjs|npmjs\.(?:org|com)|pythonhosted|pypi\.org",
    "a place on somebody's machine": r"(?<![\w.])/(?:root|work|home/\w+|Users/\w+)(?![\w-])",
    "a folder outside of the project": r"\.\./shared",
    "something left to do": r"\b(?:TODO|FIXME|XXX)\b",
    "an issue's number": r"\bissues? #?\d",
}


def files() -> Iterator[Path]:
    """All text files of the project, apart from what is built and this one."""
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [
            each
            for each in inner
            if each not in SKIPPED and (not each.startswith(".") or each in NOT_HIDDEN)
        ]
        for name in names:
            path = Path(folder, name)
            hidden = name.startswith(".") and name not in NOT_HIDDEN
            if path.suffix in TEXT and not hidden and path != Path(__file__):
                yield path


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_mentions(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_every_lock_file_pins_by_hash_and_names_no_host() -> None:
    locks = [path for path in files() if path.name == "package-lock.json"]
    assert ROOT / "guests/typescript/package-lock.json" in locks
    for path in locks:
        packages = json.loads(path.read_text())["packages"]
        for name, package in packages.items():
            assert not name or package["integrity"].startswith("sha512-"), f"{path}: {name}"
            assert "resolved" not in package, f"{path}: {name}"


def test_no_module_holds_two_ideas() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in files()
        if path.suffix in {".py", ".js"}
        and (count := len(path.read_text("utf-8").splitlines())) > LONGEST
    }
    assert not long


def test_every_module_states_its_rule() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        if "examples" in path.parts:
            continue
        assert path.read_text("utf-8").startswith('"""'), path.relative_to(ROOT)


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == coderelay.__version__
    assert project["version"] in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_release_page_names_every_file_that_speaks_of_the_first_release() -> None:
    guide = (ROOT / "docs" / "releasing.md").read_text("utf-8")
    before = re.compile(r"the first release|not published yet", re.IGNORECASE)
    for path in files():
        if "tests" in path.relative_to(ROOT).parts or path.name == "releasing.md":
            continue
        if before.search(path.read_text("utf-8")):
            assert path.name in guide, path.relative_to(ROOT)
