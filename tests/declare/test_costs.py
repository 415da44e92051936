"""Checking arguments takes bounded memory and CPU, whatever the schema and the arguments."""

import subprocess
import sys
from typing import Any

import pytest

from coderelay.core import (
    Completed,
    Failed,
    InvalidTool,
    Limits,
    Program,
    Suspended,
    Tool,
    Work,
)
from coderelay.core.call import Call, Returned
from coderelay.core.journal import Entry
from coderelay.declare import Search, ToolHost, check_tools, names
from coderelay.programs import evaluate, start
from tests.declare.costly import CASES, checked, named, one

MEGABYTES, SECONDS = 64, 1.0
SMALL = 1_000_000
"""Fuel that nobody notices: a sixth of a millisecond."""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no resource module")
def test_every_costly_check_ends_within_64_mb_and_a_second_of_cpu() -> None:
    taken, grown = measured()
    assert grown < MEGABYTES
    assert taken.keys() == CASES.keys()
    slow = [name for name in taken if taken[name] > SECONDS]
    for _ in range(3):  # what else runs on a core makes the same work take more of its time
        if slow:
            taken, _ = measured(*slow)
            slow = [name for name in taken if taken[name] > SECONDS]
    assert not slow


def measured(*names: str) -> tuple[dict[str, float], int]:
    """The seconds that cases take in a process of their own, and the megabytes for all of them."""
    command = [sys.executable, "-m", "tests.declare.costly", *names]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    *cases, grown = ran.stdout.splitlines()
    taken = (case.split("\t") for case in cases)
    return {name: float(seconds) for seconds, name in taken}, int(grown)


@pytest.mark.parametrize("name", CASES)
def test_a_costly_check_is_answered_and_paid_for_the_same_again(name: str) -> None:
    made = CASES[name](0.1)
    schema, arguments = made
    tools = [Tool("t", "", schema)]
    host = ToolHost(tools, names(tools, "typescript"), "typescript")
    answers = []
    for _ in range(2):  # the second time with all that the first one left behind
        work = Work()
        answers.append((host.answer(Call(0, "t", arguments), work), work.fuel))
    fresh = ToolHost(tools, names(tools, "typescript"), "typescript")
    work = Work()
    assert [(fresh.answer(Call(0, "t", arguments), work), work.fuel)] * 2 == answers


@pytest.mark.parametrize(
    "made",
    [
        one({"type": "string"}, "x"),
        one({"type": "string"}, 5),
        one({"type": "array", "items": {"enum": ["a", "b"]}}, ["a", "c"] * 20),
        ({"properties": named(40)}, {"propetry_00001": "x"}),
        one({"pattern": "^(?=a)[a-z]{1,60}$"}, "abc"),
    ],
)
def test_an_ordinary_check_costs_nothing_that_is_noticed(made: tuple[object, object]) -> None:
    _, fuel = checked(made)  # type: ignore[arg-type]
    assert fuel < SMALL


def test_twice_as_much_to_check_costs_twice_the_fuel() -> None:
    items = {"type": "array", "items": {"type": "object", "properties": {"x": {"minimum": 0}}}}
    _, half = checked(one(items, [{"x": 1}] * 30_000))
    _, full = checked(one(items, [{"x": 1}] * 60_000))
    assert SMALL < half < full <= 3 * half


def test_what_would_take_too_long_to_check_is_refused() -> None:
    said, _ = checked(CASES["200 patterns for 40,000 names"](1))
    assert said == "t: it would take too long to check these arguments: pass less at once"


PROGRAMS = {
    "typescript": "try { await g({ a: Array(60000).fill({}) }) } catch (e) { 1 }\nawait h({})",
    "python": "try:\n    await g(a=[{}] * 60000)\nexcept Exception:\n    1\nawait h()",
}


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_program_pays_for_checks_and_a_replay_pays_the_same(language: str) -> None:
    required = {"required": [f"r{number}" for number in range(20)]}
    schema = {"properties": {"a": {"type": "array", "items": required}}}
    tools = [Tool("g", "", schema), Tool("h")]
    free = [Tool("g", "", {"properties": {"a": {"type": "string"}}}), Tool("h")]
    program = Program(language, PROGRAMS[language], id="paid")
    journal = [Entry("h", {}, Returned(1))]
    for length, kind in ((0, Suspended), (1, Completed)):
        outcome = evaluate(program, tools, journal[:length])
        assert isinstance(outcome, kind)
        assert outcome.fuel > evaluate(program, free, journal[:length]).fuel
    run = start(program, tools)
    assert run.proceed([]) == evaluate(program, tools, [])
    assert run.proceed(journal) == evaluate(program, tools, journal)
    run.close()


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_program_that_only_makes_the_host_work_runs_out_of_fuel(language: str) -> None:
    loops = {
        "typescript": "for (let i = 0; i < 900; i++) try { await g({ a: names }) } catch (e) { 1 }",
        "python": "for i in range(900):\n  try:\n    await g(a=names)\n  except Exception:\n    1",
    }
    made = {
        "typescript": "const names = {}; for (let i = 0; i < 9000; i++) names['a' + i] = 1;\n",
        "python": "names = {f'a{i}': 1 for i in range(9000)}\n",
    }
    schema, _ = CASES["200 patterns for 40,000 names"](0)
    program = Program(language, made[language] + loops[language])
    limits = Limits(fuel=12_000_000_000)
    outcome = evaluate(program, [Tool("g", "", schema)], [], limits=limits)
    assert isinstance(outcome, Failed)
    assert outcome.error.limit == "fuel"


def test_a_search_is_paid_for_the_same_whether_or_not_it_is_remembered() -> None:
    tools = [Tool(f"get_item_{number}", "Gets an item.") for number in range(200)]
    searches = [Search(tools), Search(tools)]
    costs = []
    for search in (searches[0], searches[0], searches[1]):
        work = Work()
        search.search("get item 7", 5, work)
        costs.append(work.fuel)
    assert costs[0] > 0
    assert len(set(costs)) == 1


SCHEMAS: dict[str, Any] = {
    "a list of types that are none": {"type": ["x"] * 48_000},
    "a list of schemas that are none": {"items": [5] * 48_000},
    "too many properties": {"properties": named(60_000)},
    "a text without end": {"description": "x" * 3_000_000},
    "patterns that become too large": {
        "properties": {f"p{number}": {"pattern": "\\p{L}{1,255}"} for number in range(1_000)}
    },
    "a pattern that is too long": {"pattern": "a?" * 40_000},
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_that_can_never_be_cheap_is_refused(name: str) -> None:
    with pytest.raises(
        InvalidTool, match="tool 't': /parameters is not a valid JSON Schema"
    ) as caught:
        check_tools([Tool("t", "", SCHEMAS[name])])
    assert len(str(caught.value)) < 1_000
