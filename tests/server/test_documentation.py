"""The page about the server has the real paths and metrics."""

import re

from coderelay.dialects.registry import DIALECTS
from coderelay.server.app import paths
from coderelay.server.metrics import Metrics
from tests.house import documents

PAGE = documents.ROOT / "docs" / "server.md"


def test_the_page_has_all_paths() -> None:
    text = PAGE.read_text("utf-8")
    for path in paths(DIALECTS):
        assert f"| `{path.method} {path.path}` |" in text


def test_the_page_has_all_metrics() -> None:
    listed = {documents.code(row[0]) for row in documents.table(PAGE, "name", "what")}
    told = set(re.findall(r"^# TYPE (\w+)", Metrics().text().decode(), re.MULTILINE))
    assert listed == {name for name in told if not name.endswith("_created")}
