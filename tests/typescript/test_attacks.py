"""Every hostile program ends as it should, the host survives it, and the next program runs."""

from typing import Any

import pytest

from tests.typescript.attacking import attacks, run_all

ATTACKS = attacks()


@pytest.fixture(scope="module")
def reports() -> tuple[dict[str, dict[str, Any]], int, int]:
    return run_all()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack['id']}: {attack['title']}")
def test_an_attack_ends_as_expected_and_the_next_program_runs(
    attack: dict[str, Any], reports: tuple[dict[str, dict[str, Any]], int, int]
) -> None:
    report = reports[0][attack["id"]]
    assert report["end"] in attack["expect"]
    assert report["next"] == 2
    if "value" in attack:
        assert report["value"] == attack["value"]


def test_no_attack_makes_the_host_grow_beyond_a_guest_and_a_stripper(
    reports: tuple[dict[str, dict[str, Any]], int, int],
) -> None:
    _, before, after = reports
    assert after - before < 64 + 64 + 64


def test_there_are_attacks_of_every_class() -> None:
    assert {attack["class"] for attack in ATTACKS} == {
        "escape",
        "cpu",
        "memory",
        "stack",
        "source",
        "output",
        "syntax",
    }
    assert len({attack["id"] for attack in ATTACKS}) == len(ATTACKS)
