"""The Python engine beside pydantic-monty, CPython for WASI and the host's CPython, and alone."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from bench.monty import Monty
from bench.npm import Missing
from bench.report import Goal, proportional, resident
from bench.wasi import NAME as SCRATCH
from bench.wasi import Wasi
from bench.workloads import WORKLOADS
from coderelay.core import Completed, Limits, Program, Suspended, ToolName
from coderelay.engines.python import PythonEngine
from coderelay.languages.language_registry import engine

RUNS, ROUNDS = 40, 5
NAMES = (ToolName("search", ("search",)), ToolName("price", ("price",)))
AMPLE = Limits(fuel=1 << 50, seconds=120)
THREE = """\
found = await search(query='sport news')
titles = [hit['title'] for hit in found]
titles
"""
SIXTY = '''\
import asyncio
from collections import Counter, defaultdict


class Topic:
    def __init__(self, name, hits=()):
        self.name = name
        self.hits = list(hits)

    def best(self):
        return max(self.hits, key=lambda hit: hit["score"], default=None)


TOPICS = ["sport", "news", "science"]
LIMIT = 5


def words(text):
    """The words of a title that say something."""
    return [word.strip(".,").lower() for word in text.split() if len(word) > 3]


def summary(topics):
    counts = Counter()
    by_letter = defaultdict(list)
    for topic in topics:
        for hit in topic.hits:
            counts.update(words(hit["title"]))
            by_letter[hit["title"][0]].append(hit["score"])
    means = {letter: round(sum(s) / len(s), 3) for letter, s in by_letter.items()}
    return {"common": counts.most_common(3), "means": means}


async def fetch(name):
    try:
        found = await search(query=f"{name} today", limit=LIMIT)
    except ToolError as error:
        print(f"no {name}: {error.message}")
        return Topic(name)
    return Topic(name, [hit for hit in found if hit["score"] > 0.1])


async def prices(topics):
    titles = [topic.best()["title"] for topic in topics if topic.hits]
    got = await asyncio.gather(*(price(title=title) for title in titles))
    return dict(zip(titles, got))


async def main():
    topics = await asyncio.gather(*(fetch(name) for name in TOPICS))
    result = summary(topics)
    result["prices"] = await prices(topics)
    result["total"] = sum(result["prices"].values())
    if result["total"] > 100:
        result["note"] = "dear"
    print(f"{len(topics)} topics")
    return result


await main()
'''
DATACLASS = SIXTY.replace(
    """\
class Topic:
    def __init__(self, name, hits=()):
        self.name = name
        self.hits = list(hits)
""",
    """\
from dataclasses import dataclass, field
@dataclass
class Topic:
    name: str
    hits: list = field(default_factory=list)
""",
)
HELLO = "print('hello', {})"
NUMBERS = count()
"""One sequence for all: a number that two measurements share would be a program seen before."""
NATIVE = """\
import sys, time
code = compile(sys.stdin.read(), "program.py", "exec")
started = time.perf_counter()
exec(code, {"__name__": "__main__"})
print(time.perf_counter() - started)
"""


def measure() -> Iterator[Goal]:
    """All that is measured of this engine."""
    with tempfile.TemporaryDirectory() as folder:
        yield from beside_monty(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from beside_scratch(Path(folder))
    yield from longer()
    yield from processor()
    yield many_alive()


def python() -> PythonEngine:
    found = engine("python")
    assert isinstance(found, PythonEngine)
    return found


def start(source: str) -> tuple[float, object]:
    """The seconds that a program takes until it can go no further, and what it came to."""
    python().fill()
    started = time.perf_counter()
    execution = python().start(Program("python", source), NAMES, Limits())
    outcome = execution.advance([])
    taken = time.perf_counter() - started
    execution.close()
    return taken, outcome


def suspended(source: str) -> float:
    taken, outcome = start(source)
    assert isinstance(outcome, Suspended), outcome
    return taken


def unseen(source: str) -> Iterator[str]:
    """A program that the engine has not met, again and again."""
    return (f"{source}# {number}\n" for number in NUMBERS)


def in_turn(*works: Callable[[], float], runs: int = RUNS) -> list[float]:
    """The least of each work's medians, in milliseconds. They take turns round by round: the
    machine's mood is then the same for all."""
    medians: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, found in zip(works, medians, strict=True):
            found.append(statistics.median(work() for _ in range(runs)) * 1e3)
    return [min(found) for found in medians]


def beside_monty(folder: Path) -> Iterator[Goal]:
    """Three lines, never seen, to the first call, here and there."""
    try:
        peer = Monty(folder)
    except Missing as error:
        print(f"missing pydantic-monty: {error}")
        return
    mine, its = unseen(THREE), unseen(THREE)

    def whole() -> float:
        peer.seconds(next(its))
        return peer.seconds_with_return

    here, again, there, back = in_turn(
        lambda: suspended(next(mine)),
        lambda: suspended(THREE),
        lambda: peer.seconds(next(its)),
        whole,
    )
    peer.close()
    yield Goal(
        f"Python, three lines, fresh to their first suspension: times what {peer.name} takes",
        here / there,
        4,
        at_least=False,
        detail=f"{here:.2f} ms, peer {there:.2f} ms",
    )
    yield Goal("Python, the same, seen before", again / there, None, detail=f"{again:.2f} ms")
    yield Goal(
        "Python, the same, fresh, if the peer's making ready for the next program is counted",
        here / back,
        None,
        detail=f"{here:.2f} ms, peer {back:.2f} ms",
    )


def beside_scratch(folder: Path) -> Iterator[Goal]:
    """One line, never seen, to its end, here and there."""
    try:
        peer = Wasi(folder)
    except Missing as error:
        print(f"missing {SCRATCH}: {error}")
        return

    def ours() -> float:
        taken, outcome = start(HELLO.format(next(NUMBERS)))
        assert isinstance(outcome, Completed), outcome
        return taken

    def theirs() -> float:
        number = next(NUMBERS)
        started = time.perf_counter()
        printed = peer.run(HELLO.format(number))
        taken = time.perf_counter() - started
        assert printed == f"hello {number}\n", printed
        return taken

    here, there = in_turn(ours, theirs, runs=10)
    yield Goal(
        f"Python, one line, fresh to its end: times faster than {SCRATCH}",
        there / here,
        20,
        detail=f"{here:.2f} ms, peer {there:.2f} ms",
    )


def longer() -> Iterator[Goal]:
    """What sixty lines take, in terms of three."""
    three, sixty, dataclass = unseen(THREE), unseen(SIXTY), unseen(DATACLASS)
    short, long, made, again = in_turn(
        lambda: suspended(next(three)),
        lambda: suspended(next(sixty)),
        lambda: suspended(next(dataclass)),
        lambda: suspended(SIXTY),
    )
    yield Goal(
        "Python, sixty lines, fresh to their first suspension: times what three take",
        long / short,
        4,
        at_least=False,
        detail=f"{long:.2f} ms, three {short:.2f} ms",
    )
    yield Goal(
        "Python, sixty lines with a dataclass, which compiles as it runs",
        made / short,
        None,
        detail=f"{made:.2f} ms",
    )
    yield Goal("Python, sixty lines, seen before", again / short, None, detail=f"{again:.2f} ms")


def processor() -> Iterator[Goal]:
    """Work without calls, here and in the CPython that runs this."""
    ratios = []
    for name, source in WORKLOADS.items():
        here, there = in_turn(lambda s=source: worked(s), lambda s=source: natively(s), runs=1)  # type: ignore[misc]
        ratios.append(here / there)
        detail = f"{here:.0f} ms, native {there:.0f} ms"
        yield Goal(f"Python, {name}: times native CPython", ratios[-1], None, detail=detail)
    mean = statistics.geometric_mean(ratios)
    yield Goal("Python, CPU work, geometric mean: times native", mean, 3.5, at_least=False)


def worked(source: str) -> float:
    """The seconds of a whole run, its start included."""
    started = time.perf_counter()
    execution = python().start(Program("python", source), NAMES, AMPLE)
    outcome = execution.advance([])
    taken = time.perf_counter() - started
    assert isinstance(outcome, Completed), outcome
    return taken


def natively(source: str) -> float:
    """The seconds of the same in a process of its own: here its collector would see our objects."""
    command = [sys.executable, "-c", NATIVE]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    return float(done.stdout)


def many_alive() -> Goal:
    """The memory of five hundred suspended executions."""
    python().fill()
    before, mapped = proportional(), resident()
    alive = []
    for number in range(500):
        execution = python().start(Program("python", SIXTY, id=str(number)), NAMES, Limits())
        assert isinstance(execution.advance([]), Suspended)
        alive.append(execution)
    taken, mapped = proportional() - before, resident() - mapped
    for execution in alive:
        execution.close()
    return Goal(
        "Python, 500 suspended executions alive: GB",
        taken / 1e9,
        2,
        at_least=False,
        detail=f"{mapped / 1e9:.1f} GB if the image, which all share, is counted for each",
    )
