"""Every Python package is pinned by version and hash, and the lock files name no place."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
DEPENDENCIES = PROJECT["project"]["dependencies"]
DEVELOPMENT = PROJECT["project"]["optional-dependencies"]["dev"]
BUILD = PROJECT["build-system"]["requires"]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
_HASH = re.compile(r" --hash=(\S+)")


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of a lock file."""

    requirement: Requirement
    hashes: tuple[str, ...]

    @property
    def version(self) -> str:
        """The only version that is allowed."""
        (specifier,) = self.requirement.specifier
        assert specifier.operator == "==", self.requirement
        return specifier.version


def pins(lock: Path) -> dict[str, Pin]:
    """The packages of a lock file, by name."""
    text = re.sub(r"^\s*#.*\n", "", lock.read_text("utf-8"), flags=re.MULTILINE)
    found: dict[str, Pin] = {}
    for line in text.replace("\\\n", " ").splitlines():
        requirement = Requirement(_HASH.sub("", line))
        name = canonicalize_name(requirement.name)
        assert name not in found, f"{name} is locked twice"
        found[name] = Pin(requirement, tuple(_HASH.findall(line)))
    return found


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_locked_package_has_one_version_and_sha256_hashes(lock: Path) -> None:
    for name, pin in pins(lock).items():
        assert pin.version, name
        assert pin.hashes, f"{name} has no hash"
        for hash in pin.hashes:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", hash), name


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_file_names_no_address_no_index_and_no_folder(lock: Path) -> None:
    text = lock.read_text("utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*-(?!-hash=)", text, re.MULTILINE), "an option for pip"
    assert " @ " not in text
    assert not re.search(r"(?:^|\s)\.{0,2}/", text), "a path"


@pytest.mark.parametrize("requirement", [*DEPENDENCIES, *DEVELOPMENT, *BUILD])
def test_every_requirement_of_the_project_is_locked_at_a_version_that_it_allows(
    requirement: str,
) -> None:
    wanted = Requirement(requirement)
    locked = pins(ROOT / "requirements" / "dev.txt").get(canonicalize_name(wanted.name))
    assert locked is not None, "run make lock"
    assert locked.version in wanted.specifier, "run make lock"


@pytest.mark.parametrize("requirement", BUILD)
def test_what_a_wheel_is_built_with_is_pinned_exactly(requirement: str) -> None:
    assert re.fullmatch(r"[\w-]+==[\w.]+", requirement)
