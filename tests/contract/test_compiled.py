"""Compiled guests stay in the cache as long as they are likely to be used again."""

import os
from pathlib import Path

import pytest

from coderelay.engines.wasm.compiled import _prune

DAY = 24 * 60 * 60
NOW = 1_800_000_000.0


def pruned(folder: Path, ages: list[float]) -> list[int]:
    """Which of the units are left, if they were used so many seconds ago."""
    for place, age in enumerate(ages):
        unit = folder / f"{place}.compiled"
        unit.touch()
        os.utime(unit, (NOW - age, NOW - age))
    _prune(folder, NOW)
    return sorted(int(unit.stem) for unit in folder.glob("*.compiled"))


@pytest.mark.parametrize(
    ("ages", "left"),
    [
        ([10 * DAY] * 21, 21),
        ([10 * DAY + place for place in range(30)], 21),
        (list(range(50)), 50),
        (list(range(30)) + [2 * DAY] * 10, 30),
        (list(range(100)), 84),
    ],
    ids=["few", "old", "in use", "some in use", "very many"],
)
def test_what_was_used_lately_stays(tmp_path: Path, ages: list[float], left: int) -> None:
    assert pruned(tmp_path, ages) == list(range(left))
