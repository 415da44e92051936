"""Blocks are run again with what they were told: the open one, and those that are finished.

A finished block is replayed to see what it came to, within a budget, and is never an error.

The newest come first: where the budget is spent, older ones are shown as plain calls and results.
What a replay came to is kept for the next request, and costs the same budget when it is used: so
a server that has forgotten it gives the same answer, only later.
See docs/design/replay-budget.md.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock

from coderelay.conversation import CodeBlock, ConversationEntry
from coderelay.core import (
    Diverged,
    EngineError,
    Json,
    Limits,
    Outcome,
    Program,
    Raised,
    RequestError,
    Suspended,
)
from coderelay.core.json_values import NotJson, dump
from coderelay.gateway.toolset import Toolset, Toolsets

_MOST = 50
"""Blocks that are replayed in one request at the most."""
_KEPT = 512
_LARGEST = 100_000


def needs_replay(entry: ConversationEntry) -> bool:
    """Whether a replay could say what this entry came to."""
    return isinstance(entry, CodeBlock) and entry.whole and entry.outcome is None


def run_block(
    toolset: Toolset, program: Program, block: CodeBlock, limits: Limits
) -> tuple[Outcome, str]:
    """Run a block with its journal, and say under which fingerprint. Blocks.

    Raises `Diverged`, which tells of an upgrade where there was one.
    """
    fingerprint = toolset.fingerprint(program)
    try:
        return toolset.evaluate(program, block.journal, limits, block.tools), fingerprint
    except Diverged as error:
        if block.fingerprint in (None, fingerprint):
            raise
        message = f"{error} (the program began under another version of this server)"
        raise Diverged(
            message, index=error.index, recorded=error.recorded, came=error.came
        ) from error


class Replays:
    """Replays blocks, and remembers the last ones that were not too large."""

    def __init__(self, toolsets: Toolsets, limits: Limits, fuel: int) -> None:
        self._toolsets = toolsets
        self._limits = limits
        self._fuel = fuel
        self._kept: OrderedDict[tuple[int, str], tuple[Toolset, Outcome]] = OrderedDict()
        self._lock = Lock()

    def resolve(
        self, entries: Sequence[ConversationEntry], toolset: Toolset
    ) -> list[ConversationEntry]:
        """The entries with the outcomes that could be computed. Blocks."""
        known, fuel = list(entries), self._fuel
        for place in range(len(known) - 1, -1, -1):
            block = known[place]
            if not isinstance(block, CodeBlock) or not needs_replay(block):
                continue
            if fuel <= 0:
                break
            known[place], spent = self._replay(block, toolset, min(fuel, self._limits.fuel))
            fuel -= max(spent, self._fuel // _MOST)  # starting one costs, however little it does
        return known

    def _replay(self, block: CodeBlock, toolset: Toolset, fuel: int) -> tuple[CodeBlock, int]:
        try:
            outcome = self._outcome(block, toolset, fuel)
        except (RequestError, EngineError):
            return block, fuel // 10
        if outcome is None or isinstance(outcome, Suspended):
            return block, outcome.fuel if outcome is not None else 0
        cut_short = fuel < self._limits.fuel and outcome.fuel >= fuel
        return block if cut_short else replace(block, outcome=outcome), outcome.fuel

    def _outcome(self, block: CodeBlock, toolset: Toolset, fuel: int) -> Outcome | None:
        program = block.program
        if program is None:
            return None
        if program.language != toolset.language:
            toolset = self._toolsets.of(toolset.tools, program.language)
        key = (id(toolset), _digest(block))
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept[1].fuel < fuel:
            return kept[1]
        limits = replace(self._limits, fuel=fuel)
        outcome = toolset.evaluate(program, block.journal, limits, block.tools)
        if outcome.fuel < fuel and _is_small(outcome):
            self._keep(key, toolset, outcome)
        return outcome

    def _keep(self, key: tuple[int, str], toolset: Toolset, outcome: Outcome) -> None:
        """The toolset is kept beside, so that nobody else can have its id."""
        with self._lock:
            self._kept[key] = (toolset, outcome)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


def _digest(block: CodeBlock) -> str:
    program = block.program
    assert program is not None
    parts: list[Json] = [program.language, program.id, program.created, program.source]
    parts.append(None if block.tools is None else sorted(block.tools))
    for entry in block.journal:
        result = entry.result
        told = [result.error.message] if isinstance(result, Raised) else {"value": result.value}
        parts.append([entry.name, entry.digest or entry.arguments, told])
    return hashlib.sha256(dump(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _is_small(outcome: Outcome) -> bool:
    try:
        size = len(dump(getattr(outcome, "value", None)))
    except NotJson:
        return False
    return size + sum(len(log.text) for log in outcome.logs) < _LARGEST
