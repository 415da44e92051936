"""A program with its tools: names from `declare`, an execution from `engines`, laws from `core`.

Why this is a layer of its own is told in docs/design/run-layer.md.
"""

from collections.abc import Sequence

from coderelay import core
from coderelay.core import (
    DEFAULT_LIMITS,
    CallHost,
    Execution,
    Journal,
    Limits,
    Outcome,
    Program,
    Run,
    Tool,
)
from coderelay.declare import ToolHost, UndeclaredArguments, check_tools, names
from coderelay.engines.wasm.off_main import OffMainThread
from coderelay.languages.language_registry import engine


def start(
    program: Program,
    tools: Sequence[Tool],
    *,
    limits: Limits = DEFAULT_LIMITS,
    undeclared_arguments: UndeclaredArguments = "refuse",
) -> Run:
    """A live run of a program, for callers that keep it between a batch and its results.

    A call with an argument that its tool does not declare is refused with the nearest name, unless
    the tool's schema lets it pass or `undeclared_arguments` is `allow`.
    """
    return Run(*_started(program, tools, limits, undeclared_arguments))


def evaluate(
    program: Program,
    tools: Sequence[Tool],
    journal: Journal,
    *,
    limits: Limits = DEFAULT_LIMITS,
    undeclared_arguments: UndeclaredArguments = "refuse",
) -> Outcome:
    """Run a program from its start with the recorded answers, until it can go no further.

    The same program, tools and journal give the same outcome, in any process. Raises `Diverged`
    where the journal is not this program's, and `TimedOut` where the server was too slow. For
    `undeclared_arguments` see `start`: a replay needs what the first run had.
    """
    execution, host = _started(program, tools, limits, undeclared_arguments)
    # As one piece of work: the main thread then waits once, and not for every batch.
    return OffMainThread().run(lambda: core.evaluate(execution, journal, host), end=execution.close)


def _started(
    program: Program, tools: Sequence[Tool], limits: Limits, undeclared: UndeclaredArguments
) -> tuple[Execution, CallHost]:
    runner = engine(program.language)
    check_tools(tools)
    known = names(tools, program.language)
    host = ToolHost(tools, known, program.language, undeclared_arguments=undeclared)
    return runner.start(program, host.names, limits), host


__all__ = ["evaluate", "start"]
