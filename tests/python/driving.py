"""Runs a program and returns its outcome, with every batch of calls on the way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from textwrap import dedent

from coderelay.core import (
    DEFAULT_LIMITS,
    Call,
    CallError,
    Completed,
    Failed,
    Failure,
    Json,
    Limits,
    Outcome,
    Program,
    Raised,
    Result,
    Returned,
    Suspended,
    ToolName,
)
from coderelay.engines.interface import Engine
from coderelay.languages.language_registry import engine

Answer = Callable[[Call], Result]

NAMES = (
    ToolName("get", ("get",), ("key", "limit")),
    ToolName("webSearch", ("web_search", "webSearch"), ("query",)),
    ToolName("send-mail", ("send_mail",), ("to", "text")),
)
LIMITS = replace(DEFAULT_LIMITS, fuel=4_000_000_000, seconds=600)


@dataclass(frozen=True)
class Ran:
    """A run to its end: the batches it waited on, and the outcome."""

    batches: tuple[tuple[Call, ...], ...]
    outcome: Outcome

    @property
    def value(self) -> Json:
        assert isinstance(self.outcome, Completed), self.outcome
        return self.outcome.value

    @property
    def error(self) -> Failure:
        assert isinstance(self.outcome, Failed), self.outcome
        return self.outcome.error

    @property
    def printed(self) -> list[str]:
        return [log.text for log in self.outcome.logs if log.level == "print"]

    @property
    def keys(self) -> list[list[Json]]:
        """The first argument of every call, batch by batch."""
        return [[next(iter(c.arguments.values()), None) for c in batch] for batch in self.batches]


def echo(call: Call) -> Result:
    """Answers with the first argument and a mark; `fail` fails."""
    key = next(iter(call.arguments.values()), None)
    if key == "fail":
        return Raised(CallError("no such key"))
    return Returned(f"{key}!" if isinstance(key, str) else key)


def run(
    source: str,
    answer: Answer = echo,
    *,
    limits: Limits = LIMITS,
    names: Sequence[ToolName] = NAMES,
    id: str = "program",
    on: Engine | None = None,
) -> Ran:
    """Run a program to its end."""
    program = Program("python", dedent(source), id=id)
    execution = (on or engine("python")).start(program, names, limits)
    batches = []
    try:
        outcome = execution.advance([])
        while isinstance(outcome, Suspended):
            batches.append(outcome.calls)
            outcome = execution.advance([answer(call) for call in outcome.calls])
    finally:
        execution.close()
    return Ran(tuple(batches), outcome)
