"""`coderelay demo`: the sample programs, really run, then run again from every prefix."""

import asyncio
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from coderelay.cli import options
from coderelay.cli.display import Display
from coderelay.cli.engines import chosen, ready
from coderelay.cli.exits import UsageError, reported
from coderelay.cli.source import SUFFIXES, read_program
from coderelay.cli.stateless import Replay, replays
from coderelay.client import Event, Report, Stepped, drive, load_functions
from coderelay.client.tool import AnyLocalTool
from coderelay.core import EngineError, Outcome, Program, Suspended
from coderelay.run import start

SAMPLES = ("parallel_news", "stock_analysis", "loop_with_failure")

Save = Annotated[
    Path | None,
    typer.Option("--save", metavar="FOLDER", help="Only copy the samples there, to play with."),
]


@reported
def demo(language: options.Languages = None, save: Save = None) -> None:
    """Run the sample programs with local tools, then replay each from its journal.

    [bold]Examples[/]
      coderelay demo
      coderelay demo --language typescript
      coderelay demo --save samples
    """
    console = Console()
    if save:
        _save(console, save)
        return
    tools = load_functions(examples() / "tools.py")
    for name in chosen(language):
        ready(name)
        for path in programs(name):
            _sample(console, path, tools)


def examples() -> Path:
    """The folder of the sample programs and their tools."""
    return Path(str(files("coderelay").joinpath("examples")))


def programs(language: str) -> list[Path]:
    """The sample programs in a language."""
    suffixes = [suffix for suffix, spoken in SUFFIXES.items() if spoken == language]
    paths = [examples() / f"{name}{suffix}" for name in SAMPLES for suffix in suffixes]
    return [path for path in paths if path.is_file()]


def _sample(console: Console, path: Path, tools: tuple[AnyLocalTool, ...]) -> None:
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
                f"{path.name} came to {replay.outcome} with {replay.answers} answers; "
                f"the live run was at {replay.live}"
            )
    console.print()


def _run(
    console: Console, program: Program, tools: tuple[AnyLocalTool, ...]
) -> tuple[Report, list[Outcome]]:
    """Run a program live and shown, and keep every outcome on its way."""
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


def _save(console: Console, folder: Path) -> None:
    samples = [examples() / "tools.py", *(path for name in chosen(None) for path in programs(name))]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in samples:
            with (folder / path.name).open("xb") as copy:
                copy.write(path.read_bytes())
    except FileExistsError as error:
        raise UsageError(f"{error.filename} is there already: choose another folder") from error
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from error
    console.print(Text(f"{len(samples)} files are in {folder}. Now try:"), soft_wrap=True)
    line = f"  coderelay run {folder / samples[1].name} --tools {folder / 'tools.py'}"
    console.print(Text(line, style="bold"), soft_wrap=True)
