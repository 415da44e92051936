"""`coderelay run`: run a program with local functions as its tools, or replay it from a journal."""

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from coderelay.cli import options
from coderelay.cli.exit_codes import UsageError, exit_code, reported
from coderelay.cli.run_display import Display
from coderelay.cli.setting_flags import command_line_flags, with_setting_flags
from coderelay.cli.source_file import read_program
from coderelay.cli.warmup import ready
from coderelay.client import Answered, Event, Report, Stepped, drive, load_functions, load_tools
from coderelay.core import (
    DEFAULT_LIMITS,
    Call,
    Entry,
    InvalidJournal,
    Journal,
    Limits,
    Outcome,
    Program,
    Result,
    Suspended,
)
from coderelay.core.json_values import NotJson
from coderelay.declare import UndeclaredArguments
from coderelay.programs import evaluate, start
from coderelay.server.setting_sources import resolve
from coderelay.server.settings import PROGRAM_LIMITS, UNDECLARED
from coderelay.wire import journal_from_json, journal_to_json, outcome_to_json, parse, render


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings that a single run shares with the server."""

    undeclared_arguments: Annotated[
        UndeclaredArguments, replace(UNDECLARED, group="The program")
    ] = "refuse"
    limits: Annotated[Limits, PROGRAM_LIMITS] = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to run, and where to show it."""

    program: Program
    tools: Path | None
    settings: RunSettings
    display: Display | None
    """None where only the outcome is wanted."""


@reported
@with_setting_flags(RunSettings, environment=False)
def run(
    context: typer.Context,
    file: options.ProgramFile,
    tools: options.ToolsFile = None,
    json: options.OutputJson = False,
    journal: options.JournalFile = None,
    replay: options.ReplayFile = None,
    language: options.ProgramLanguage = None,
    id: options.ProgramId = None,
    created: options.ProgramCreated = None,
    **flags: object,
) -> None:
    """Run a program with the functions of tools.py as its tools.

    The program runs in a sandbox. Its tools are called in this process, all calls
    of a batch at the same time. Calls, logs and the result are shown as they come.

    [bold]Examples[/]
      coderelay run news.ts --tools tools.py
      coderelay run news.ts --tools tools.py --json | jq .value
      coderelay run news.ts --tools tools.py --journal calls.json
      coderelay run news.ts --tools tools.py --replay calls.json
    """
    if journal and replay:
        raise UsageError("--journal writes a journal and --replay reads one: give only one of them")
    if journal and not journal.parent.is_dir():
        raise UsageError(f"cannot write {journal}: there is no folder {journal.parent}")
    program = read_program(file, language=language, id=id, created=created)
    display = None if json else Display(Console())
    on_command_line = command_line_flags(context, flags)
    settings = resolve(RunSettings, flags=on_command_line, environment={}).build()
    request = RunRequest(program, tools, settings, display)
    with contextlib.redirect_stdout(sys.stderr) if json else contextlib.nullcontext():
        outcome = _replay(request, replay) if replay else _live(request, journal)
    if json:
        typer.echo(render(outcome_to_json(outcome)))
    raise typer.Exit(exit_code(outcome))


def _live(request: RunRequest, journal: Path | None) -> Outcome:
    tools = load_functions(request.tools) if request.tools else ()
    ready(request.program.language)
    declared = [tool.declaration for tool in tools]
    started = start(
        request.program,
        declared,
        limits=request.settings.limits,
        undeclared_arguments=request.settings.undeclared_arguments,
    )
    recorder = _JournalRecorder(request.display.watch if request.display else None)
    try:
        report: Report = asyncio.run(drive(started, tools, watch=recorder.watch))
    finally:  # Ctrl-C does not undo what the tools did, so it is recorded too
        if journal:
            _write(journal, recorder.journal())
    if request.display:
        request.display.outcome(report.outcome)
        request.display.summary(report)
    return report.outcome


class _JournalRecorder:
    """Collects the journal of a live run as it happens, so that it outlives an interruption."""

    def __init__(self, watch: Callable[[Event], None] | None) -> None:
        self._watch = watch
        self._batches: list[Sequence[Call]] = []
        self._results: dict[int, Result] = {}

    def watch(self, event: Event) -> None:
        match event:
            case Stepped(outcome=Suspended(calls=calls)):
                self._batches.append(calls)
            case Answered(call=call, result=result):
                self._results[call.index] = result
        if self._watch:
            self._watch(event)

    def journal(self) -> tuple[Entry, ...]:
        """The calls of each batch that was answered as a whole: only such a journal can be
        replayed."""
        entries: list[Entry] = []
        for calls in self._batches:
            if not all(call.index in self._results for call in calls):
                break
            entries += [
                Entry(call.name, call.arguments, self._results[call.index]) for call in calls
            ]
        return tuple(entries)


def _replay(request: RunRequest, journal: Path) -> Outcome:
    entries = _read(journal)
    tools = load_tools(request.tools) if request.tools else ()
    ready(request.program.language)
    began = time.perf_counter()
    outcome = evaluate(
        request.program,
        tools,
        entries,
        limits=request.settings.limits,
        undeclared_arguments=request.settings.undeclared_arguments,
    )
    if request.display:
        request.display.outcome(outcome)
        seconds = time.perf_counter() - began
        request.display.replayed(outcome, answers=len(entries), seconds=seconds)
    return outcome


def _read(path: Path) -> tuple[Entry, ...]:
    try:
        return journal_from_json(parse(path.read_bytes()))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (NotJson, InvalidJournal) as error:
        raise UsageError(f"{path}: {error}") from error


def _write(path: Path, journal: Journal) -> None:
    try:
        path.write_bytes(render(journal_to_json(journal)) + b"\n")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
