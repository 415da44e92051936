"""Replays are limited by fuel and by number."""

import gc
import weakref
from typing import Any

from coderelay.conversation import CodeBlock
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Completed, Limits, Outcome, Program, Tool
from coderelay.gateway.program_replay import Replays
from coderelay.gateway.toolset import Toolset, Toolsets
from coderelay.languages.language_registry import engine


def test_cached_outcomes_do_not_keep_their_tools_alive() -> None:
    toolsets, limits = Toolsets(engine), Limits()
    replays = Replays(toolsets, limits, limits.fuel // 5)
    block = CodeBlock(ProgramState(Program("typescript", "return 1;", id="p1")), replayable=True)
    toolset = Toolset((), "typescript", engine)
    replays.resolve([block], toolset)
    alive = weakref.ref(toolset)
    del toolset
    gc.collect()
    assert alive() is None


def test_outcomes_are_cached_as_long_as_they_are_small() -> None:
    runs: list[str] = []

    class Counted(Toolset):
        def evaluate(self, program: Program, *arguments: Any) -> Outcome:
            runs.append(program.id)
            return super().evaluate(program, *arguments)

    sources = {
        "small": "return 1;",
        "large": "return 'x'.repeat(200_000);",
        "large calls": "await get({a: 'x'.repeat(200_000)});",
        "many logs": "for (let i = 0; i < 20_000; i++) console.log('');",
    }
    limits = Limits()
    replays = Replays(Toolsets(engine), limits, limits.fuel)
    get = Tool("get", "", {"type": "object", "properties": {"a": {"type": "string"}}})
    toolset = Counted((get,), "typescript", engine)
    for id, source in sources.items():
        block = CodeBlock(ProgramState(Program("typescript", source, id=id)), replayable=True)
        replays.resolve([block], toolset)
        replays.resolve([block], toolset)
    assert runs == ["small", *(id for id in sources if id != "small" for _ in range(2))]


def test_however_small_the_programs_only_so_many_are_replayed_in_one_request() -> None:
    toolsets, limits = Toolsets(engine), Limits()
    replays = Replays(toolsets, limits, limits.fuel // 5)
    blocks = [
        CodeBlock(
            ProgramState(Program("typescript", f"return {number};", id=f"p{number}")),
            replayable=True,
        )
        for number in range(80)
    ]
    resolved = replays.resolve(blocks, toolsets.of((), "typescript"))
    values = [
        each.outcome.value
        for each in resolved
        if isinstance(each, CodeBlock) and isinstance(each.outcome, Completed)
    ]
    assert values == list(range(30, 80))
