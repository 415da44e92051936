"""Runs a program and returns its outcome, with every batch of calls on the way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from coderelay.core import (
    DEFAULT_LIMITS,
    Call,
    CallError,
    Completed,
    Entry,
    Failed,
    Failure,
    Json,
    Limits,
    Outcome,
    Program,
    Raised,
    Result,
    Returned,
    Run,
    Suspended,
    ToolName,
    Work,
)
from coderelay.languages.language_registry import engine

Answer = Callable[[Call], Result]

NAMES = (
    ToolName("get", ("get",)),
    ToolName("web_search", ("webSearch", "web_search")),
    ToolName("send-mail", ("sendMail",)),
)
LIMITS = replace(DEFAULT_LIMITS, fuel=2_000_000_000, seconds=600)


class NoHost:
    """A host that answers nothing: every call is the client's."""

    def answer(self, call: Call, work: Work) -> Result | None:
        return None


@dataclass(frozen=True)
class Ran:
    """A run to its end: the batches it waited on, the journal that grew, and the outcome."""

    batches: tuple[tuple[Call, ...], ...]
    journal: tuple[Entry, ...]
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
    def logs(self) -> list[tuple[str, str]]:
        return [(log.level, log.text) for log in self.outcome.logs]

    @property
    def names(self) -> list[list[str]]:
        return [[call.name for call in batch] for batch in self.batches]

    @property
    def arguments(self) -> list[list[Json]]:
        return [[call.arguments for call in batch] for batch in self.batches]


def echo(call: Call) -> Result:
    """The arguments themselves; a call with `fail` in them fails with its text."""
    if isinstance(call.arguments, dict) and "fail" in call.arguments:
        return Raised(CallError(str(call.arguments["fail"])))
    return Returned(call.arguments)


def start(
    source: str,
    *,
    limits: Limits = LIMITS,
    names: Sequence[ToolName] = NAMES,
    id: str = "program",
) -> Run:
    program = Program("typescript", source, id=id)
    return Run(engine("typescript").start(program, names, limits), NoHost())


def drive(
    source: str,
    answer: Answer = echo,
    *,
    limits: Limits = LIMITS,
    names: Sequence[ToolName] = NAMES,
    id: str = "program",
) -> Ran:
    """Run a program live to its end, answering each batch as it comes."""
    run = start(source, limits=limits, names=names, id=id)
    batches: list[tuple[Call, ...]] = []
    journal: list[Entry] = []
    try:
        outcome = run.proceed([])
        while isinstance(outcome, Suspended):
            batches.append(outcome.calls)
            entries = [Entry(c.name, c.arguments, answer(c)) for c in outcome.calls]
            journal += entries
            outcome = run.proceed(entries)
    finally:
        run.close()
    return Ran(tuple(batches), tuple(journal), outcome)


def replay(
    source: str,
    journal: Sequence[Entry],
    *,
    limits: Limits = LIMITS,
    names: Sequence[ToolName] = NAMES,
    id: str = "program",
) -> Outcome:
    """Run a program from its start through a journal."""
    run = start(source, limits=limits, names=names, id=id)
    try:
        return run.proceed(journal)
    finally:
        run.close()
