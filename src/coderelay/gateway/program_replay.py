"""Runs programs of the history again with their recorded results.

The open program is run to continue it. Finished ones are replayed to compute outcomes that the
history does not contain, within a budget of fuel; a replay that fails is not an error.

The newest programs come first. When the budget is spent, the model gets older ones as plain calls
and results. Outcomes are cached, and a cached one costs the same budget as computing it: so a
server with an empty cache gives the same answer, only later. See docs/design/replay-budget.md.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from coderelay.conversation import CodeBlock, ConversationEntry
from coderelay.conversation.program_state import ProgramState
from coderelay.conversation.work_size import outcome_parts
from coderelay.core import (
    Diverged,
    EngineError,
    Entry,
    Json,
    Limits,
    Outcome,
    Raised,
    RequestError,
    Suspended,
)
from coderelay.core.cache import WeighedCache
from coderelay.core.json_values import NotJson, dump
from coderelay.core.limits import MB
from coderelay.gateway.toolset import Toolset, Toolsets

_MOST = 50
"""How many blocks are replayed in one request."""
_MAX_CACHED, _MAX_CACHED_BYTES = 512, 64 * MB
"""How many outcomes are cached, and how much memory they may take, by estimate."""
_LARGEST, _PER_PART = 100_000, 10
"""Characters of an outcome that is not cached, and what each log, call or value counts for besides
its text."""
_BYTES_PER_CHARACTER = 30
"""Memory that a character of JSON may take as a value: an empty list is two, and takes 60 bytes."""


def needs_replay(entry: ConversationEntry) -> bool:
    """Return whether the outcome of this entry can be computed by a replay."""
    return isinstance(entry, CodeBlock) and entry.replayable and entry.outcome is None


def run_block(toolset: Toolset, state: ProgramState, block: CodeBlock, limits: Limits) -> Outcome:
    """Run a block's program with its journal, and return the outcome. This blocks until the program
    stops.

    Raises `Diverged`, which mentions it if the server was upgraded since the program began.
    """
    try:
        return toolset.evaluate(state.program, block.journal, limits, state.tools)
    except Diverged as error:
        if state.fingerprint in ("", toolset.fingerprint):
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
        self._cache = WeighedCache[tuple[object, str], Outcome](_MAX_CACHED, _MAX_CACHED_BYTES)

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
        if block.state is None:
            return None
        program = block.state.program
        if program.language != toolset.language:
            toolset = self._toolsets.of(toolset.tools, program.language)
        key = (toolset.identity, _digest(block.state, block.journal))
        cached = self._cache.get(key)
        if cached is not None and cached.fuel < fuel:
            return cached
        limits = replace(self._limits, fuel=fuel)
        outcome = toolset.evaluate(program, block.journal, limits, block.state.tools)
        length = _length(outcome)
        if outcome.fuel < fuel and length < _LARGEST:
            self._cache.put(key, outcome, _BYTES_PER_CHARACTER * length)
        return outcome


def _digest(state: ProgramState, journal: Sequence[Entry]) -> str:
    program = state.program
    parts: list[Json] = [program.language, program.id, program.created, program.source]
    parts.append(None if state.tools is None else sorted(state.tools))
    for entry in journal:
        result = entry.result
        answer = [result.error.message] if isinstance(result, Raised) else {"value": result.value}
        parts.append([entry.name, entry.digest or entry.arguments, answer])
    return hashlib.sha256(dump(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _length(outcome: Outcome) -> int:
    """Return how many characters an outcome has as JSON, or more than are cached."""
    try:
        return sum(len(dump(part)) + _PER_PART for part in outcome_parts(outcome))
    except NotJson:
        return _LARGEST
