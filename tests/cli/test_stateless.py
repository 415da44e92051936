"""A stateless replay gives the live outcome after any number of answers, also in the middle of a
batch."""

import pytest

from coderelay.cli.demo.local import live_outcome
from coderelay.core import Call, Completed, Outcome, Suspended

A, B, C = (Call(index, "f", {}) for index in range(3))
STEPS: list[Outcome] = [Suspended((A, B), fuel=1), Suspended((C,), fuel=2), Completed(7, fuel=3)]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (0, Suspended((A, B), fuel=1)),
        (1, Suspended((B,), fuel=1)),
        (2, Suspended((C,), fuel=2)),
        (3, Completed(7, fuel=3)),
    ],
)
def test_a_batch_waits_until_its_last_answer(answers: int, expected: Suspended | Completed) -> None:
    assert live_outcome(STEPS, answers) == expected
