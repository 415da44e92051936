"""The page about sessions shows what a session really answers, and the real limits."""

from dataclasses import fields
from typing import Any

import pytest

from coderelay.core.limits import KB, MB
from coderelay.session import LiveLimits
from tests.house import documents
from tests.session.sessions import run

PAGE = documents.ROOT / "docs" / "tool-is-code.md"
LIMITS = documents.table(PAGE, "field", "default", "of what")


def test_the_walk_through_shows_what_a_session_really_answers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names: dict[str, Any] = {"__name__": "example"}
    answered: str | None = None
    cells = 0
    for block in documents.blocks(PAGE):
        match block.language, block.file:
            case "python", None | "after":
                exec(compile(block.text, str(PAGE), "exec", dont_inherit=True), names)
            case "python", "cell":
                answered = run(names["tic"], block.text.rstrip("\n"))
                cells += 1
            case "text", "output":
                assert answered is not None
                assert answered == block.text.rstrip("\n"), f"line {block.line}"
                answered = None
    assert cells >= 7


@pytest.mark.parametrize("row", LIMITS, ids=lambda row: row[0])
def test_the_page_has_the_real_limits(row: list[str]) -> None:
    number, _, unit = row[1].replace(",", "").partition(" ")
    value = getattr(LiveLimits(), documents.code(row[0]))
    assert float(number) * {"": 1, "KB": KB, "MB": MB}[unit] == value


def test_the_page_has_all_limits() -> None:
    assert [documents.code(row[0]) for row in LIMITS] == [each.name for each in fields(LiveLimits)]
