"""The same program gives the same run: in every process, live or replayed, pooled or not."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from coderelay.core import Outcome
from coderelay.engines.python import PythonEngine
from coderelay.languages.language_registry import engine
from tests.python.driving import run

SEEN = """
import asyncio, datetime, os, random, secrets, sys, time, uuid, tempfile, statistics
class Plain:
    pass
def look():
    return [
        random.random(), random.sample(range(1000), 5), random.Random().random(),
        time.time(), time.monotonic(), time.perf_counter(), time.process_time(),
        str(datetime.datetime.now()), str(uuid.uuid4()), str(uuid.uuid1()),
        os.urandom(8).hex(), secrets.token_hex(4), random.SystemRandom().random(),
        hash("text"), hash((1, "a", 2.5)), hash(Plain()), id(Plain()), id([]), id("x" * 5),
        [id(x) for x in {Plain() for _ in range(20)}], list({"b", "a", "cc", "d" * 9}),
        repr(Plain()), repr(object()), os.getpid(), time.localtime().tm_zone,
        statistics.NormalDist().samples(2),
    ]
first = look()
second = await get(key=1)
await asyncio.sleep(2.5)
[first, second, look(), len(asyncio.all_tasks()), sys.flags.hash_randomization]
"""
IN_ANOTHER_PROCESS = f"""
import dataclasses, json, sys
from tests.python.driving import run
print(json.dumps(dataclasses.asdict(run({SEEN!r}).outcome), sort_keys=True))
"""


def as_json(outcome: Outcome) -> str:
    import dataclasses

    return json.dumps(dataclasses.asdict(outcome), sort_keys=True)


def test_a_program_sees_the_same_world_in_every_process() -> None:
    here = as_json(run(SEEN).outcome)
    for seed in ("0", "1"):
        there = subprocess.run(
            [sys.executable, "-c", IN_ANOTHER_PROCESS],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo", "PYTHONPATH": ":".join(sys.path)},
        ).stdout.strip()
        assert there == here


def test_time_is_the_programs_creation_plus_virtual_time() -> None:
    source = "import time, datetime\n[time.time(), str(datetime.datetime.now(datetime.UTC))[:19]]"
    value = run(source).value
    assert value[0] == pytest.approx(1_763_200_000, abs=0.001)
    assert value[1] == "2025-11-15 09:46:40"


def test_randomness_comes_from_the_programs_id() -> None:
    source = "import random, uuid, os\n[random.random(), str(uuid.uuid4()), os.urandom(4)]"
    first, second = run(source, id="a").value, run(source, id="b").value
    assert first == run(source, id="a").value
    assert all(x != y for x, y in zip(first, second, strict=True))


def test_pooled_or_not_gives_the_same_run() -> None:
    unpooled = PythonEngine(pool=0)
    engine("python").pool.fill()  # type: ignore[attr-defined]
    assert as_json(run(SEEN, on=unpooled).outcome) == as_json(run(SEEN).outcome)


def test_what_was_compiled_before_changes_nothing() -> None:
    fresh = PythonEngine(pool=0)
    others = ["x = 'Plain random sample'", "def look(first, second): ...", "(", "'a' 'cc'[1:2]"]
    for source in others:
        run(source, on=fresh)
    assert as_json(run(SEEN, on=fresh).outcome) == as_json(run(SEEN).outcome)
    again = PythonEngine(pool=0)
    assert fresh.compiler.code(SEEN, 10) == again.compiler.code(SEEN, 10)


def test_many_threads_run_the_same_program_alike() -> None:
    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(lambda n: as_json(run(SEEN).outcome), range(32)))
    assert set(outcomes) == {as_json(run(SEEN).outcome)}


def test_many_threads_run_many_programs_without_mixing_them_up() -> None:
    def one(number: int) -> tuple[object, object]:
        source = f"print({number})\nx = [await get(key={number}) for _ in range(3)]\n[x, {number}]"
        ran = run(source, id=f"p{number}")
        return ran.value, ran.printed

    with ThreadPoolExecutor(8) as threads:
        for number, result in enumerate(threads.map(one, range(60))):
            assert result == ([[number] * 3, number], [str(number)])
