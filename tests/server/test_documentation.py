"""The page about the server has the real settings, paths and metrics."""

import re

import pytest
import typer.main
from typer.core import TyperOption

from coderelay.cli.commands import app
from coderelay.dialects.registry import DIALECTS
from coderelay.server.app import paths
from coderelay.server.metrics import Metrics
from tests.house import documents

PAGE = documents.ROOT / "docs" / "server.md"


def options() -> dict[str, TyperOption]:
    """The options of `coderelay serve`, by flag."""
    parameters = typer.main.get_group(app).commands["serve"].params
    return {each.opts[0]: each for each in parameters if isinstance(each, TyperOption)}


ROWS = documents.table(PAGE, "flag", "environment", "default", "what")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0]))
def test_a_setting_is_as_the_page_says(row: list[str]) -> None:
    option = options()[documents.code(row[0])]
    variables = [option.envvar] if isinstance(option.envvar, str) else list(option.envvar or ())
    assert re.findall("`([A-Z_]+)`", row[1]) == variables
    assert row[2] == ("–" if option.default is None else str(option.default))


def test_the_page_has_all_settings() -> None:
    assert {documents.code(row[0]) for row in ROWS} == set(options())


def test_the_page_has_all_paths() -> None:
    text = PAGE.read_text("utf-8")
    for path in paths(DIALECTS):
        assert f"| `{path.method} {path.path}` |" in text


def test_the_page_has_all_metrics() -> None:
    listed = {documents.code(row[0]) for row in documents.table(PAGE, "name", "what")}
    told = set(re.findall(r"^# TYPE (\w+)", Metrics().text().decode(), re.MULTILINE))
    assert listed == {name for name in told if not name.endswith("_created")}
