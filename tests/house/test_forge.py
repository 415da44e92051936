"""The files for the forge and for commit hooks are well formed, and run what the Makefile has."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.house.test_set_up import targets

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*_*.yml"))
CI = ROOT / ".github" / "workflows" / "ci.yml"
MINOR_VERSIONS = {"3.11", "3.12", "3.13", "3.14"}


def parsed(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_a_workflow_may_only_read_and_every_job_ends(path: Path) -> None:
    workflow = parsed(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 90
        assert job["runs-on"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_a_workflow_takes_each_action_at_a_commit_and_tells_its_version(path: Path) -> None:
    uses = re.findall(r"uses: (.+)", path.read_text("utf-8"))
    assert uses
    for action in uses:
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_a_workflow_runs_targets_of_the_makefile(path: Path) -> None:
    steps = [step for job in parsed(path)["jobs"].values() for step in job["steps"]]
    for command in (step["run"] for step in steps if "run" in step):
        program, target, python = command.split()
        assert (program, python) == ("make", "PYTHON=python")
        assert target in targets()


def test_ci_tests_every_python_on_linux_and_marks_what_was_not_tried() -> None:
    rows = parsed(CI)["jobs"]["test"]["strategy"]["matrix"]["include"]
    systems: dict[str, set[str]] = {"ubuntu": set(), "macos": set(), "windows": set()}
    for row in rows:
        systems[row["os"].removesuffix("-latest")].add(row["python"])
    assert systems["ubuntu"] == MINOR_VERSIONS
    for versions in systems.values():
        assert {min(MINOR_VERSIONS), max(MINOR_VERSIONS)} <= versions
    tried = {(row["os"], row["python"]) for row in rows if not row["untried"]}
    assert tried == {("ubuntu-latest", "3.11"), ("ubuntu-latest", "3.13")}


def test_the_package_declares_every_python_that_ci_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    prefix = "Programming Language :: Python :: 3."
    declared = {each for each in project["classifiers"] if each.startswith(prefix)}
    assert {each.rpartition(" ")[2] for each in declared} == MINOR_VERSIONS


def test_ci_runs_what_a_developer_runs() -> None:
    ran = (ROOT / ".ci" / "run").read_text("utf-8")
    steps = [step for job in parsed(CI)["jobs"].values() for step in job["steps"]]
    workflow = [step["run"].removesuffix(" PYTHON=python") for step in steps if "run" in step]
    assert sorted(workflow) == sorted(re.findall(r"^make .+$", ran, re.MULTILINE))


@pytest.mark.parametrize("path", FORMS, ids=name)
def test_an_issue_form_has_a_name_and_questions_with_labels(path: Path) -> None:
    form = parsed(path)
    assert form["name"] and form["description"]
    questions = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({question["id"] for question in questions}) == len(questions)
    assert all(question["attributes"]["label"] for question in questions)


def test_commit_hooks_use_the_makefile_and_fetch_nothing() -> None:
    for repository in parsed(ROOT / ".pre-commit-config.yaml")["repos"]:
        assert repository["repo"] == "local"
        for hook in repository["hooks"]:
            program, target = hook["entry"].split()
            assert (program, hook["language"]) == ("make", "system")
            assert target in targets()


def test_the_addresses_of_the_project_are_of_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    source = project["urls"]["Source"]
    assert source.startswith("https://")
    assert all(address.startswith(source) for address in project["urls"].values())


def test_who_finds_a_vulnerability_is_led_to_the_policy() -> None:
    for page in ("docs/security.md", "docs/README.md", ".github/ISSUE_TEMPLATE/bug_report.yml"):
        assert "SECURITY.md" in (ROOT / page).read_text("utf-8"), page
