"""Nothing that looks at a text from outside costs more than a small constant times its length.

`tests/attacks/costs` has the cases and says how to add one.
"""

import importlib
from itertools import groupby

import pytest

from tests.attacks.costs import Case
from tests.attacks.costs.measure import growth
from tests.attacks.costs.table import CASES
from tests.house import documents

ALLOWED = 3.0
"""Twice the length may cost this much: 2 is linear, 4 is quadratic."""
PLACES = [
    documents.code(row[0])
    for row in documents.table(
        documents.ROOT / "docs" / "security.md", "place", "reads", "bound", "worst case"
    )
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_twice_the_length_costs_at_most_three_times_as_much(case: Case) -> None:
    assert growth(case, ALLOWED) <= ALLOWED


def test_the_security_page_lists_the_same_places_as_the_cases() -> None:
    assert sorted(PLACES) == sorted({case.place for case in CASES})


@pytest.mark.parametrize("place", PLACES)
def test_a_listed_place_is_in_the_package(place: str) -> None:
    module, _, rest = place.rpartition(".")
    while True:
        try:
            found: object = importlib.import_module(f"coderelay.{module}")
            break
        except ModuleNotFoundError:
            module, _, outer = module.rpartition(".")
            rest = f"{outer}.{rest}"
    for name in rest.split("."):
        found = getattr(found, name)
    assert callable(found)


def test_no_two_cases_have_the_same_name() -> None:
    names = sorted(case.name for case in CASES)
    assert [name for name, same in groupby(names) if len(list(same)) > 1] == []
