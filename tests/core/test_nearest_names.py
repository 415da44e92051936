"""The nearest name to a misspelt tool is found, however many tools there are."""

import pytest

from coderelay.core.nearest_names import nearest

MANY = [f"tool_number_{each}" for each in range(5_000)]


@pytest.mark.parametrize("others", [[], MANY])
def test_the_nearest_name_is_found_among_few_and_many(others: list[str]) -> None:
    assert nearest("web_serach", [*others, "web_search", "get_weather"])[0] == "web_search"


def test_a_name_that_resembles_no_other_has_no_nearest_name() -> None:
    assert nearest("x" * 1_000, MANY) == []
