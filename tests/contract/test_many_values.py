"""A program fails with advice if its value or arguments have too many values, in every language."""

import pytest

from coderelay.core import Failed, Limits, Program
from coderelay.programs import evaluate
from tests.contract.test_engines import TOOLS

MANY = {
    "typescript": ("return {};", "await anything({{ key: {} }});", "Array(600000).fill([])"),
    "python": ("{}", "await anything(key={})", "[[]] * 600_000"),
}


@pytest.mark.parametrize("language", MANY)
@pytest.mark.parametrize("place", ["value", "arguments"])
def test_too_many_values_pass_a_limit(language: str, place: str) -> None:
    value, call, many = MANY[language]
    source = (value if place == "value" else call).format(many)
    outcome = evaluate(
        Program(language, source), TOOLS, [], limits=Limits(arguments=4 << 20, seconds=600)
    )
    assert isinstance(outcome, Failed)
    assert outcome.error.limit == place
    assert "it has more than 500,000 lists and objects" in outcome.error.message
