"""Replays are bounded, by fuel and by number."""

from coderelay.conversation import CodeBlock
from coderelay.core import Completed, Limits, Program
from coderelay.gateway.program_replay import Replays
from coderelay.gateway.toolset import Toolsets
from coderelay.languages.language_registry import engine


def test_however_small_the_programs_only_so_many_are_replayed_in_one_request() -> None:
    toolsets, limits = Toolsets(engine), Limits()
    replays = Replays(toolsets, limits, limits.fuel // 5)
    blocks = [
        CodeBlock(Program("typescript", f"return {number};", id=f"p{number}"), replayable=True)
        for number in range(80)
    ]
    resolved = replays.resolve(blocks, toolsets.of((), "typescript"))
    values = [
        each.outcome.value
        for each in resolved
        if isinstance(each, CodeBlock) and isinstance(each.outcome, Completed)
    ]
    assert values == list(range(30, 80))
