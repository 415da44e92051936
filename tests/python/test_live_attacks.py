"""A hostile cell may break its own session, and nothing else."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from coderelay.core import Result, Returned
from coderelay.engines.python.live.interpreter import LiveCall, LiveLimits
from tests.python.living import Session, session
from tests.python.test_attacks import PROGRAMS
from tests.python.test_tampering import BREAKING

ENOUGH = LiveLimits(fuel=1_000_000_000, seconds=600, memory=96 << 20)
FINDING = """\
import gc
found = [o for o in gc.get_objects() if type(o).__name__ == "LiveSession"][0]
tell = found._host.invoke
"""


@pytest.mark.parametrize("attack", PROGRAMS, ids=lambda attack: f"{attack['class']} {attack['id']}")
def test_a_hostile_cell_ends_and_a_fresh_session_is_whole(
    tmp_path: Path, attack: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    with session(inside, limits=ENOUGH) as live:
        live.run(attack["source"])
        live.run("1 + 1")
    with session(inside, limits=ENOUGH) as live:
        assert live.value("import sdk\nsdk.get(1)") == "{'key': 1}"
    assert list(tmp_path.iterdir()) == [inside]
    assert capfd.readouterr() == ("", "")


def test_a_cell_that_breaks_the_harness_breaks_only_its_own_session(tmp_path: Path) -> None:
    with session(tmp_path, limits=ENOUGH) as other:
        other.run("import sdk\nx = 1")
        for breaking in BREAKING:
            with session(tmp_path, limits=ENOUGH) as live:
                live.run(breaking)
                live.run("1 + 1")
            assert other.value("sdk.get(x)") == "{'key': 1}"


@pytest.mark.parametrize(
    "forged",
    [
        "tell('')",
        "tell('x')",
        "tell('\"get\"\\n{')",
        "tell('\"get\"\\n' + '[' * 99999)",
        "tell('\"get\"\\n' + '1' * 9999)",
        "tell('x' * 20_000_000)",
        "tell('\\n' * 1_000_000)",
        "found._host.call('get', '{}')",
    ],
)
def test_a_forged_call_is_refused(tmp_path: Path, forged: str) -> None:
    asked: list[LiveCall] = []

    def answer(calls: Sequence[LiveCall]) -> list[Result]:
        asked.extend(calls)
        return [Returned(None) for _ in calls]

    with session(tmp_path, answer) as live:
        live.run(FINDING)
        value = live.run(f"str({forged})[:2]").value
        assert value in ("'!t'", "'!3'", "'!2'", "'!a'", "'0'"), value
        assert live.value("1 + 1") == "2"
    assert asked == []


def test_a_forged_end_counts_once(live: Session) -> None:
    live.run(FINDING)
    live.run("found._host.complete('forged')\nfound._host.fail('{}')\n5")
    cell = live.run("for n in range(3): found._host.fail('[' * 9999)\n5")
    assert cell.failure is not None and cell.failure.kind == "exception"
    assert live.value("1 + 1") == "2"


def test_output_is_bounded_past_the_harness(tmp_path: Path) -> None:
    with session(tmp_path, limits=LiveLimits(output=1_000)) as live:
        live.run(FINDING)
        cell = live.run("for _ in range(99): found._tell(0, 'x' * 999)\n5")
        assert cell.failure is not None and cell.failure.limit == "output"
        assert len(cell.output) <= 1_000


def test_many_files_are_refused_one_by_one(tmp_path: Path) -> None:
    source = (
        "import os\nrefused = 0\nfor n in range(400):\n    try: open(f'{n}', 'w').close()\n"
        "    except OSError: refused += 1\nprint(refused)"
    )
    with session(tmp_path, limits=LiveLimits(entries=100)) as live:
        cell = live.run(source)
    assert cell.output == "300\n" and len(list(tmp_path.iterdir())) == 100
    assert cell.failure is not None and cell.failure.limit == "files"


def test_a_crash_of_the_interpreter_is_reported(live: Session) -> None:
    failure = live.failure("import os\nos.abort()", alive=False)
    assert failure.name == "InterpreterCrash"
    assert live.failure("import os\nos._exit(0)", alive=False).name == "SystemExit"
    assert live.value("1 + 1") == "2"


@pytest.mark.parametrize("damage", ["held._setup.clear()", "held._host.fail = None; 1 / 0"])
def test_a_harness_that_code_broke_is_replaced(live: Session, damage: str) -> None:
    found = "next(x for x in gc.get_objects() if type(x).__name__ == 'LiveSession')"
    live.run(f"import gc\nheld = {found}\n{damage}")
    live.run("1")
    assert live.value("1 + 1") == "2"
