"""A program with its tools: names from `declare`, an execution from `engines`, laws from `core`.

Why this is a layer of its own is told in docs/design/run-layer.md.
"""

from collections.abc import Sequence

from coderelay.core import DEFAULT_LIMITS, Journal, Limits, Outcome, Program, Run, Tool
from coderelay.declare import ToolHost, check_tools, names
from coderelay.engines.registry import engine


def start(program: Program, tools: Sequence[Tool], *, limits: Limits = DEFAULT_LIMITS) -> Run:
    """A live run of a program, for callers that keep it between a batch and its results."""
    runner = engine(program.language)
    check_tools(tools)
    known = names(tools, program.language)
    host = ToolHost(tools, known, program.language)
    return Run(runner.start(program, known, limits), host)


def evaluate(
    program: Program, tools: Sequence[Tool], journal: Journal, *, limits: Limits = DEFAULT_LIMITS
) -> Outcome:
    """Run a program from its start with the recorded answers, until it can go no further.

    The same program, tools and journal give the same outcome, in any process. Raises `Diverged`
    where the journal is not this program's, and `TimedOut` where the server was too slow.
    """
    run = start(program, tools, limits=limits)
    try:
        return run.proceed(journal)
    finally:
        run.close()


__all__ = ["evaluate", "start"]
