"""The sample programs without a server: each is run, and then replayed from every prefix."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from coderelay.cli.run_display import Display
from coderelay.cli.source_file import read_program
from coderelay.client import Event, Report, Stepped, drive
from coderelay.client.local_tool import AnyLocalTool
from coderelay.core import EngineError, Journal, Outcome, Program, Suspended, Tool
from coderelay.programs import evaluate, start


@dataclass(frozen=True, slots=True)
class Replay:
    """One run from a prefix of the journal, beside what the live run came to at that point."""

    answers: int
    outcome: Outcome
    live: Outcome

    @property
    def same(self) -> bool:
        """Whether calls, value, error, logs and fuel are all equal."""
        return self.outcome == self.live


def play_locally(console: Console, path: Path, tools: tuple[AnyLocalTool, ...]) -> None:
    """Show a sample, run it, and replay it."""
    program = read_program(path, language=None, id=None, created=None)
    console.print(Rule(Text(path.name, style="bold"), style="dim"))
    source = program.source.strip()
    console.print(Syntax(source, program.language, background_color="default", word_wrap=True))
    console.print()
    report, steps = _run(console, program, tools)
    console.print(Text("\nThe same from its journal, each time in a new sandbox:", style="dim"))
    declared = [tool.declaration for tool in tools]
    for replay in replays(program, declared, report.journal, steps):
        console.print(_line(replay, len(report.journal)), soft_wrap=True)
        if not replay.same:
            raise EngineError(
                f"{path.name}: the replay with {replay.answers} answers ended with "
                f"{replay.outcome}, the live run with {replay.live}"
            )
    console.print()


def _run(
    console: Console, program: Program, tools: tuple[AnyLocalTool, ...]
) -> tuple[Report, list[Outcome]]:
    """Run a program and print its calls. Returns the report and the outcome of every step."""
    display = Display(console)
    steps: list[Outcome] = []

    def watch(event: Event) -> None:
        if isinstance(event, Stepped):
            steps.append(event.outcome)
        display.watch(event)

    run = start(program, [tool.declaration for tool in tools])
    report = asyncio.run(drive(run, tools, watch=watch))
    display.outcome(report.outcome)
    display.summary(report)
    return report, steps


def _line(replay: Replay, total: int) -> Text:
    match replay.outcome:
        case Suspended(calls):
            counted = Counter(call.name for call in calls).items()
            found = "waits for " + ", ".join(
                name if times == 1 else f"{times}x {name}" for name, times in counted
            )
        case ended:
            found = type(ended).__name__.lower()
    verdict = Text("✓ as live", "green") if replay.same else Text("✗ not as live", "red")
    text = f"{replay.answers:>3} of {total} answers · {replay.outcome.fuel:,} fuel · {found} "
    return Text(text) + verdict


def replays(
    program: Program, tools: Sequence[Tool], journal: Journal, steps: Sequence[Outcome]
) -> Iterator[Replay]:
    """Run a program through every prefix of its journal; `steps` are the live outcomes."""
    for answers in range(len(journal) + 1):
        outcome = evaluate(program, tools, journal[:answers])
        yield Replay(answers, outcome, live_outcome(steps, answers))


def live_outcome(steps: Sequence[Outcome], answers: int) -> Outcome:
    """The outcome of the live run after that many answers, also inside a batch."""
    for outcome in steps:
        if not isinstance(outcome, Suspended):
            return outcome
        waiting = tuple(call for call in outcome.calls if call.index >= answers)
        if waiting:
            return replace(outcome, calls=waiting)
    raise ValueError(f"the live run never came to {answers} answers")
