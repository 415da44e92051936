"""Runs programs of the history again with their recorded results.

The open program is run to continue it. Finished ones are replayed to compute outcomes that the
history does not contain, within a budget of fuel; a replay that fails is not an error.

The newest programs come first. When the budget is spent, the model gets older ones as plain calls
and results. Outcomes are cached, and a cached one costs the same budget as computing it: so a
server with an empty cache gives the same answer, only later. See docs/design/replay-budget.md.
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
"""How many blocks are replayed in one request."""
_MAX_CACHED = 512
_LARGEST = 100_000


def needs_replay(entry: ConversationEntry) -> bool:
    """Return whether the outcome of this entry can be computed by a replay."""
    return isinstance(entry, CodeBlock) and entry.replayable and entry.outcome is None


def run_block(
    toolset: Toolset, program: Program, block: CodeBlock, limits: Limits
) -> tuple[Outcome, str]:
    """Run a block's program with its journal, and return the outcome and the fingerprint of the
    sandbox. This blocks until the program stops.

    Raises `Diverged`, which mentions it if the server was upgraded since the program began.
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
    """Replays blocks, and caches the outcomes that are not too large."""

    def __init__(self, toolsets: Toolsets, limits: Limits, fuel: int) -> None:
        self._toolsets = toolsets
        self._limits = limits
        self._fuel = fuel
        self._cached: OrderedDict[tuple[int, str], tuple[Toolset, Outcome]] = OrderedDict()
        self._lock = Lock()

    def resolve(
        self, entries: Sequence[ConversationEntry], toolset: Toolset
    ) -> list[ConversationEntry]:
        """Return the entries with the outcomes that could be computed. This blocks meanwhile."""
        known, fuel = list(entries), self._fuel
        for place in range(len(known) - 1, -1, -1):
            block = known[place]
            if not isinstance(block, CodeBlock) or not needs_replay(block):
                continue
            if fuel <= 0:
                break
            known[place], spent = self._replay(block, toolset, min(fuel, self._limits.fuel))
            # Starting a program costs something, however little it does: hence the minimum.
            fuel -= max(spent, self._fuel // _MOST)
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
            cached = self._cached.get(key)
        if cached is not None and cached[1].fuel < fuel:
            return cached[1]
        limits = replace(self._limits, fuel=fuel)
        outcome = toolset.evaluate(program, block.journal, limits, block.tools)
        if outcome.fuel < fuel and _is_small(outcome):
            self._cache_outcome(key, toolset, outcome)
        return outcome

    def _cache_outcome(self, key: tuple[int, str], toolset: Toolset, outcome: Outcome) -> None:
        """Cache an outcome. The toolset is stored too, which keeps it alive, so that no other
        object can get the id that is in the key."""
        with self._lock:
            self._cached[key] = (toolset, outcome)
            if len(self._cached) > _MAX_CACHED:
                self._cached.popitem(last=False)


def _digest(block: CodeBlock) -> str:
    program = block.program
    assert program is not None
    parts: list[Json] = [program.language, program.id, program.created, program.source]
    parts.append(None if block.tools is None else sorted(block.tools))
    for entry in block.journal:
        result = entry.result
        answer = [result.error.message] if isinstance(result, Raised) else {"value": result.value}
        parts.append([entry.name, entry.digest or entry.arguments, answer])
    return hashlib.sha256(dump(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _is_small(outcome: Outcome) -> bool:
    try:
        size = len(dump(getattr(outcome, "value", None)))
    except NotJson:
        return False
    return size + sum(len(log.text) for log in outcome.logs) < _LARGEST
