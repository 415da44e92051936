"""Random Python programs that do what real ones do: branch, loop, call, fail and catch."""

from textwrap import indent

from hypothesis import strategies as st

TOOLS = ("fetch_item", "count_things", "may_fail")
PRELUDE = """\
import asyncio, random, time, uuid, datetime
from dataclasses import dataclass, field
seen = []
def note(x):
    seen.append(x)
    return x
def weigh():
    return len(repr(seen)) % 7
class Plain:
    def __init__(self, n=0):
        self.n = n
@dataclass(frozen=True)
class Point:
    x: int
    tags: tuple = field(default_factory=tuple)
def counting(to):
    for i in range(to):
        got = yield i
        if got:
            note(got)
async def fetching(to):
    for i in range(to):
        yield (await fetch_item(n=i))["n"]
async def guarded(awaitable):
    try:
        return await awaitable
    except ToolError as error:
        return f"{type(error).__name__} {error}"
    finally:
        note("guarded")
"""

numbers = st.integers(0, 9)
expressions = st.one_of(
    numbers.map(str),
    st.sampled_from(
        [
            "weigh()",
            "len(seen)",
            "random.randrange(10)",
            "int(time.time() * 1e6) % 10",
            "id(Plain()) % 1009",
            "hash(str(len(seen))) % 1009",
            "hash(Point(1, ('a',))) % 97",
        ]
    ),
)
own_calls = st.sampled_from(
    [
        "search_tools('item things')",
        "search_tools('count', 1)",
        "searchTools(query='zzz')",
        "search_tools('item', limit=0)",
        "describe_tool('fetch_item')",
        "describe_tool(f'fetch{weigh()}')",
    ]
)
calls = st.one_of(
    st.builds(lambda tool, n: f"{tool}(n={n})", st.sampled_from(TOOLS), expressions), own_calls
)
sure_calls = st.builds(lambda tool, n: f"{tool}(n={n})", st.sampled_from(TOOLS[:2]), expressions)

simple = st.one_of(
    sure_calls.map(lambda call: f"note(await {call})"),
    calls.map(lambda call: f"note(await guarded({call}))"),
    calls.map(lambda call: f"{call}"),
    calls.map(lambda call: f"note(await {call})"),
    numbers.map(lambda n: f"if len(seen) > {n} % 3: raise ValueError(f'at {{len(seen)}}')"),
    calls.map(lambda call: f"seen_task = asyncio.create_task(guarded({call}))"),
    numbers.map(lambda n: f"await asyncio.sleep({n} / 10)"),
    numbers.map(lambda n: f"asyncio.get_running_loop().call_later({n} / 10, note, 'timer {n}')"),
    st.sampled_from(
        [
            "note([random.random(), time.time(), str(uuid.uuid4()), time.monotonic()])",
            "print('seen', len(seen), seen[-1:])",
            "print(repr(Plain()), id(seen), end='')",
            "note([p.n for p in {Plain(n) for n in range(9)}])",
            "note([id(x) % 4096 for x in {Plain(), Plain(), Plain()}])",
            "note(list({str(x)[:6] for x in seen}))",
            "note(sorted({Point(n % 3): n for n in range(7)}.values()))",
            "note([hash(x) for x in ('a', 1.5, (1, 'b'), Point(len(seen)))])",
            "generator = counting(3); note([next(generator), generator.send('sent')])",
            "note(str(datetime.datetime.now()))",
            "note({'a': {1, 2}, 'b': Point(3, ('t',)), 3: None})",
            "note(type('Made', (Plain,), {'n': 5})().n)",
            "note(await asyncio.to_thread(weigh))",
            "import csv, statistics; note(statistics.mean([1, len(seen)]))",
            "x = [[] for _ in range(200)]; x[0].append(x); del x",
        ]
    ),
    numbers.map(lambda n: f"async for x in fetching({n} % 4): note(x)"),
    numbers.map(lambda n: f"note([x async for x in fetching({n} % 3) if x % 2])"),
)


def _block(body: str) -> str:
    return indent(body, "    ")


def _together(block: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    some = st.lists(calls, min_size=1, max_size=4).map(", ".join)
    return st.one_of(
        some.map(lambda c: f"note(await asyncio.gather({c}, return_exceptions=True))"),
        some.map(lambda c: f"note(await guarded(asyncio.gather({c})))"),
        some.map(lambda c: f"for t in asyncio.as_completed([{c}]): note(await guarded(t))"),
        some.map(
            lambda c: f"done, rest = await asyncio.wait([{c}, asyncio.ensure_future("
            "asyncio.sleep(1))], return_when=asyncio.FIRST_COMPLETED)\nnote([len(done), len(rest)])"
        ),
        st.builds(
            lambda c, n: f"async with asyncio.Semaphore({n} + 1):\n    note(await guarded({c}))",
            calls,
            numbers,
        ),
        st.builds(
            lambda a, b: "async def one():\n" + _block(a) + "\nasync def two():\n" + _block(b)
            + "\ntry:\n    async with asyncio.TaskGroup() as group:\n"
            "        group.create_task(one())\n        group.create_task(two())\n"
            "except* (ToolError, ValueError) as errors:\n"
            "    note([str(e) for e in errors.exceptions])",
            block,
            block,
        ),
        st.builds(
            lambda a, n: f"try:\n    async with asyncio.timeout({n} / 10):\n" + _block(_block(a))
            + "\nexcept TimeoutError:\n    note('late')",
            block,
            numbers,
        ),
        st.builds(
            lambda a: "async def later():\n" + _block(a) + "\nasyncio.ensure_future(later())", block
        ),
    )  # fmt: skip


def _compound(block: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds(
            lambda a, b: "if weigh() % 2:\n" + _block(a) + "\nelse:\n" + _block(b), block, block
        ),
        st.builds(lambda n, a: f"for i in range({n} % 4):\n" + _block(a), numbers, block),
        st.builds(
            lambda a, b, c: (
                "try:\n" + _block(a) + "\nexcept Exception as error:\n    note(str("
                "error))\n" + _block(b) + "\nfinally:\n" + _block(c)
            ),
            block,
            block,
            block,
        ),
        _together(block),
    )


statements = st.recursive(
    simple,
    lambda inner: _compound(st.lists(inner, min_size=1, max_size=3).map("\n".join)),
    max_leaves=8,
)
bodies = st.lists(statements, min_size=1, max_size=6).map("\n".join)
programs = st.one_of(
    bodies.map(lambda body: f"{PRELUDE}async def main():\n{_block(body)}\n    return seen\n"),
    bodies.map(lambda body: f"{PRELUDE}{body}\nseen"),
    bodies.map(
        lambda body: (
            f"{PRELUDE}async def work():\n{_block(body)}\n    return [seen, weigh()]\n"
            'if __name__ == "__main__":\n    asyncio.run(work())\n'
        )
    ),
)
