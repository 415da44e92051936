"""Runs every hostile program in a process of its own, and says how each ended.

`python -m tests.typescript.attacking` prints a line of JSON for each program as it ends, so that
the one at which a process died is known.
"""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from coderelay.core import Completed, Failed, Outcome, TimedOut
from tests.typescript.driving import LIMITS, drive

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "attacks" / "typescript.jsonl"
FUEL = 1_000_000_000
LITTLE = {"fuel": FUEL // 5}  # for those that do nothing but spend it
MEMORY = {"memory": 16 * 1024 * 1024}  # so that these meet it before their fuel is spent
GROW = "‹grow›"


def attacks() -> list[dict[str, Any]]:
    """The programs: `grow` stands in the code for a text that many times."""
    found = [json.loads(line) for line in PROGRAMS.read_text("utf-8").splitlines()]
    for attack in found:
        if "grow" in attack:
            text, times = attack["grow"]
            attack["code"] = attack["code"].replace(GROW, text * times)
    return found


def ended(outcome: Outcome) -> str:
    """How a run ended, in a word: `completed`, a failure's kind, or `limit:` and its name."""
    if isinstance(outcome, Completed):
        return "completed"
    assert isinstance(outcome, Failed)
    return f"limit:{outcome.error.limit}" if outcome.error.limit else outcome.error.kind


def run(attack: dict[str, Any]) -> dict[str, Any]:
    """One program to its end, and an honest one after it."""
    limits = replace(LIMITS, fuel=FUEL)
    if attack["class"] == "memory":
        limits = replace(limits, **MEMORY)
    elif attack["class"] == "cpu":
        limits = replace(limits, **LITTLE)
    report: dict[str, Any] = {"id": attack["id"]}
    try:
        outcome = drive(attack["code"], limits=limits).outcome
        report["end"] = ended(outcome)
        report["value"] = outcome.value if isinstance(outcome, Completed) else None
        report["logged"] = sum(len(log.text) for log in outcome.logs)
    except TimedOut:
        report["end"] = "timed out"
    report["next"] = drive("const r = await get({ n: 1 }); r.n + 1").value
    return report


def resident() -> int:
    """The most memory that this process ever had, in MB."""
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // (1024 * 1024 if sys.platform == "darwin" else 1024)


def run_all() -> tuple[dict[str, dict[str, Any]], int, int]:
    """The reports by id, the most memory before and after, all from another process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.typescript.attacking"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"the host died after {lines[-1:]}: {done.stderr[-2000:]}"
    return {line["id"]: line for line in lines[1:-1]}, lines[0]["MB"], lines[-1]["MB"]


if __name__ == "__main__":
    drive("1")
    print(json.dumps({"MB": resident()}), flush=True)
    for each in attacks():
        print(json.dumps(run(each)), flush=True)
    print(json.dumps({"MB": resident()}), flush=True)
