"""The TypeScript engine beside Node with isolated-vm and typescript, and alone."""

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from bench.node import NAME, Node
from bench.npm import Missing
from bench.report import Goal, median_ms, resident
from coderelay.core import Entry, Json, Limits, Program, Returned, Suspended, ToolName
from coderelay.core.evaluate import Run
from coderelay.languages.language_registry import engine

RUNS, ROUNDS = 100, 3
NAMES = (ToolName("search", ("search",)), ToolName("price", ("price",)))
NEWS = """\
async function main() {
  const [sportNews, internationalAffairsNews]: Hit[][] = await Promise.all([
    search({ query: 'sport news' }),
    search({ query: 'international affairs news' }),
  ]);

  return {
    sportNews,
    internationalAffairsNews,
  };
}
"""
ANALYSIS = """\
interface Hit { title: string; score: number }
type Prices = Record<string, number>;

async function main(): Promise<{ best: string; total: number }> {
  const topics: string[] = ['sport', 'news', 'science'];
  const found: Hit[][] = await Promise.all(topics.map((query) => search({ query, limit: 5 })));
  const hits = found.flat().filter((hit: Hit) => hit.score > 0.1);
  const best = hits.sort((a, b) => b.score - a.score)[0]!;
  const prices: Prices = {};
  for (const hit of hits.slice(0, 6)) {
    prices[hit.title] = (await price({ title: hit.title })) as number;
  }
  const total = Object.values(prices).reduce((sum: number, one) => sum + one, 0);
  return { best: best.title, total };
}
"""
HITS = [{"title": f"t{n}", "score": n / 5} for n in range(5)]
LOOP = (
    "let s = 0;\nfor (let i = 0; i < {}; i++) "
    "s += (await price({{ title: `t${{i}}` }})) as number;\ns"
)


class Nobody:
    """A host that answers nothing."""

    def answer(self, call: object, work: object) -> None:
        """Every call is the client's."""


def answered(name: str) -> Json:
    """What the tools say."""
    return HITS if name == "search" else 2


def run(source: str, journal: list[Entry]) -> object:
    """One stateless step."""
    execution = engine("typescript").start(Program("typescript", source), NAMES, Limits())
    run = Run(execution, Nobody())
    try:
        return run.proceed(journal)
    finally:
        run.close()


def journal_of(source: str) -> list[Entry]:
    """A program's whole journal."""
    journal: list[Entry] = []
    while isinstance(outcome := run(source, journal), Suspended):
        journal.extend(
            Entry(call.name, call.arguments, Returned(answered(call.name)))
            for call in outcome.calls
        )
    return journal


def measure() -> Iterator[Goal]:
    """All that is measured of this engine."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            peer = Node(Path(folder))
            yield from beside(peer, "two calls at once", NEWS, goals=(3, 5))
            yield from beside(peer, "nine calls in seven steps", ANALYSIS, goals=(3, None))
        except Missing as error:
            print(f"missing {NAME}: {error}")
    yield straight_line()
    yield many_alive()


def beside(
    peer: Node, name: str, source: str, goals: tuple[float | None, float | None]
) -> Iterator[Goal]:
    """A program to its first suspension, and replayed to its end, here and there in turn."""
    journal = journal_of(source)
    answers = [answered(entry.name) for entry in journal]
    unseen = (f"{source}// {number}" for number in count())
    for what, recorded, work, goal in (
        ("fresh to its first suspension", [], lambda: run(next(unseen), []), goals[0]),
        ("replayed to its end, seen before", answers, lambda: run(source, journal), goals[1]),
    ):
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(median_ms(work, RUNS))
            theirs.append(peer.median_ms(source, recorded, RUNS))
        here, there = min(ours), min(theirs)
        yield Goal(
            f"TypeScript, {name}, {what}: times faster than {NAME}",
            there / here,
            goal,
            detail=f"{here:.2f} ms, peer {there:.2f} ms",
        )


def straight_line() -> Goal:
    """What one more recorded call costs, in terms of a fresh start with type stripping."""
    unseen = (f"{LOOP.format(20)}// {number}" for number in count())
    fresh = median_ms(lambda: run(next(unseen), []), RUNS)
    times = {}
    for calls in (20, 220):
        source = LOOP.format(calls)
        journal = journal_of(source)
        times[calls] = median_ms(lambda s=source, j=journal: run(s, j), 30)  # type: ignore[misc]
    each = (times[220] - times[20]) / 200
    return Goal(
        "TypeScript, one more recorded call: in fresh starts",
        each / fresh,
        0.2,
        at_least=False,
        detail=f"{each:.3f} ms a call, {fresh:.2f} ms a fresh start",
    )


def many_alive() -> Goal:
    """The memory of a thousand suspended executions."""
    before = resident()
    alive = []
    for number in range(1000):
        program = Program("typescript", ANALYSIS, id=str(number))
        execution = engine("typescript").start(program, NAMES, Limits())
        execution.advance([])
        alive.append(execution)
    taken = (resident() - before) / 1e9
    for execution in alive:
        execution.close()
    return Goal("TypeScript, 1,000 suspended executions alive: GB", taken, 1, at_least=False)
