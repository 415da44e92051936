"""The glossary names things of the code that exist, and explains each word once."""

import importlib
import re

import pytest

from tests.house.documents import ROOT, table

PAGE = ROOT / "docs" / "glossary.md"
ROWS = [row for kind in ("noun", "verb") for row in table(PAGE, kind, "meaning", "in the code")]
NAMES = [name for row in ROWS for name in re.findall(r"`([^`]+)`", row[2])]


def resolve(path: str) -> object:
    """Return what a dotted path below the package stands for."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(["coderelay", *parts[:count]]))
        except ModuleNotFoundError:
            continue
        for name in parts[count:]:
            annotations = getattr(found, "__annotations__", {})
            found = annotations[name] if name in annotations else getattr(found, name)
        return found
    raise LookupError(path)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_the_glossary_exists(name: str) -> None:
    assert resolve(name) is not None


def test_a_table_explains_each_word_once_in_alphabetical_order() -> None:
    for kind in ("noun", "verb"):
        words = [row[0] for row in table(PAGE, kind, "meaning", "in the code")]
        assert words == sorted(set(words))


def test_a_name_that_does_not_exist_is_noticed() -> None:
    with pytest.raises((LookupError, AttributeError)):
        resolve("core.journal.Diary")
