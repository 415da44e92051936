"""ToolIsCode: the tokens that it saves, and its time beside other ways to run a model's code."""

import json
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.jupyter import Jupyter
from bench.npm import Missing
from bench.python import in_turn, python
from bench.report import Goal
from bench.tokens import SCHEMAS, TOKENIZER, Tokens
from bench.wasi import NAME as SCRATCH
from bench.wasi import Wasi
from coderelay import ToolIsCode
from coderelay.declare.tool_index import tokens as estimated

TOOLS = 500
ROWS = 7_700
RUNS = 20
ONE = "x = 1 + 1\nprint(x)"
CALL = "import sdk\nprint(sdk.list_states())"
SEARCH = "import sdk\nfound = sdk.search('create an issue in a repository')\nprint(len(found))"
REDUCE = """\
import sdk
orders = sdk.list_orders()
late = [order for order in orders if order["state"] == "late"]
print(len(orders), len(late), round(sum(order["total"] for order in late), 2))"""
ORDERS = {
    "type": "function",
    "name": "list_orders",
    "description": "All orders of this year.",
    "parameters": {"type": "object", "properties": {}},
}
STATES = {**ORDERS, "name": "list_states", "description": "All states of an order."}


def measure() -> Iterator[Goal]:
    """All that is measured of sessions."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            counter: Tokens | None = Tokens(Path(folder))
        except Missing as error:
            print(f"missing a tokenizer and schemas: {error}")
            counter = None
        if counter is not None:
            tools = counter.tools(TOOLS)
            yield from many_tools(counter, tools)
        else:
            tools = [{**ORDERS, "name": f"list_orders_{number}"} for number in range(TOOLS)]
        yield big_answer(counter)
    yield from times(tools)


def count(counter: Tokens | None, *texts: str) -> tuple[list[int], str]:
    """The tokens of texts, and how they were found."""
    if counter is None:
        return [estimated(text) for text in texts], "estimated"
    return counter.count(*texts), f"counted, {TOKENIZER}"


def many_tools(counter: Tokens, tools: list[dict[str, Any]]) -> Iterator[Goal]:
    """The prompt with all tools in it, and with one."""
    with ToolIsCode(tools, answer) as tic:
        texts = json.dumps(tools), tic.instructions + json.dumps(tic.tools)
    (plain, ours), how = count(counter, *texts)
    yield Goal(
        f"ToolIsCode, prompt of {TOOLS} tools from {SCHEMAS}: times fewer tokens than plainly",
        plain / ours,
        10,
        detail=f"{ours:,} tokens, plainly {plain:,} ({how}; the tools as JSON text)",
    )
    within = estimated(texts[1]) / ours
    yield Goal("ToolIsCode, the same prompt: tokens estimated for each counted", within, None)


def big_answer(counter: Tokens | None) -> Goal:
    """An answer of 1 MB of which three numbers are wanted."""
    whole = json.dumps(orders())
    with ToolIsCode([ORDERS], answer) as tic:
        call_text, read = json.dumps({"code": REDUCE}), run(tic, REDUCE)
    assert len(read.split()) == 3, read
    (plain, *ours), how = count(counter, whole, call_text, read)
    return Goal(
        f"ToolIsCode, {len(whole) / 1e6:.1f} MB of JSON reduced to three numbers: "
        "times fewer tokens than plain tool calling",
        plain / sum(ours),
        1_000,
        detail=f"{sum(ours):,} tokens with the code, plainly {plain:,} ({how})",
    )


def times(tools: list[dict[str, Any]]) -> Iterator[Goal]:
    """First call, warm call and search, alone."""
    with ToolIsCode([*tools, STATES], answer) as tic:
        for code in (CALL, SEARCH):
            run(tic, code)
        made, many, few, call, search = in_turn(
            lambda: first(tools, None),
            lambda: first(tools, ONE),
            lambda: first([STATES], ONE),
            lambda: warm(tic, CALL),
            lambda: warm(tic, SEARCH),
            runs=RUNS,
        )
        yield Goal(f"ToolIsCode, made with {TOOLS} tools: ms", made, None)
        yield Goal("ToolIsCode, the same to the end of its first call: ms", many, None)
        yield Goal("ToolIsCode, the same with one tool: ms", few, None)
        yield Goal("ToolIsCode, a warm call that calls a tool: ms", call, None)
        yield Goal(f"ToolIsCode, a warm call that searches {TOOLS} tools: ms", search, None)
        with tempfile.TemporaryDirectory() as folder:
            yield from beside_scratch(tic, Path(folder))
        with tempfile.TemporaryDirectory() as folder:
            yield from beside_jupyter(tic, tools, Path(folder))


def first(tools: list[dict[str, Any]], code: str | None) -> float:
    """The seconds from nothing to the end of a session's first call, if it makes one."""
    python().fill()
    started = time.perf_counter()
    tic = ToolIsCode(tools, answer)
    if code is not None:
        run(tic, code)
    taken = time.perf_counter() - started
    tic.close()
    return taken


def warm(tic: ToolIsCode, code: str) -> float:
    """The seconds of one more call."""
    started = time.perf_counter()
    run(tic, code)
    return time.perf_counter() - started


def beside_scratch(tic: ToolIsCode, folder: Path) -> Iterator[Goal]:
    """A process in a sandbox for each call, which keeps nothing."""
    try:
        peer = Wasi(folder)
    except Missing as error:
        print(f"missing {SCRATCH}: {error}")
        return

    def theirs() -> float:
        started = time.perf_counter()
        assert peer.run(ONE) == "2\n"
        return time.perf_counter() - started

    here, there = in_turn(lambda: warm(tic, ONE), theirs, runs=5)
    yield Goal(
        f"ToolIsCode, a warm call: times faster than {SCRATCH} for each",
        there / here,
        50,
        detail=f"{here:.2f} ms, peer {there:.1f} ms",
    )


def beside_jupyter(tic: ToolIsCode, tools: list[dict[str, Any]], folder: Path) -> Iterator[Goal]:
    """A process that keeps all, and is no sandbox."""
    try:
        peer = Jupyter(folder)
    except Missing as error:
        print(f"missing {Jupyter.name}: {error}")
        return
    begun, there = in_turn(lambda: first(tools, ONE), lambda: peer.first(ONE), runs=1)
    yield Goal(
        f"ToolIsCode with {TOOLS} tools, to the end of its first call: times faster than a kernel "
        f"of {peer.name} without any",
        there / begun,
        2,
        detail=f"{begun:.0f} ms, peer {there:.0f} ms",
    )
    here, there = in_turn(lambda: warm(tic, ONE), lambda: peer.warm(ONE), runs=RUNS)
    peer.close()
    yield Goal(
        f"ToolIsCode, a warm call: times faster than a kernel of {peer.name}",
        there / here,
        2,
        detail=f"{here:.2f} ms, peer {there:.2f} ms",
    )


def run(tic: ToolIsCode, code: str) -> str:
    arguments = json.dumps({"code": code})
    item = {"type": "function_call", "call_id": "c", "name": "python", "arguments": arguments}
    output = tic.tool_call(item)
    assert output is not None
    return str(output["output"])


def orders() -> list[dict[str, Any]]:
    """About 1 MB of JSON."""
    chance = random.Random(1)
    states = ("sent", "late", "paid", "open")
    return [
        {
            "id": f"order-{number:06}",
            "customer": f"{chance.choice('ABCDEFG')}-{chance.randrange(10_000):05}",
            "state": chance.choice(states),
            "total": round(chance.uniform(5, 900), 2),
            "items": [chance.randrange(1_000) for _ in range(4)],
            "date": f"2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        }
        for number in range(ROWS)
    ]


def answer(req_id: str, name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The callback."""
    return orders() if name == "list_orders" else []
