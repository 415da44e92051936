"""Shows a run in the terminal: calls, logs and results as they come, and what the run took."""

from collections.abc import Sequence
from typing import assert_never

from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.text import Text

from coderelay.cli.printable import one_line, pretty, printable
from coderelay.client import Answered, Called, Event, Report, Stepped
from coderelay.core import (
    Call,
    Completed,
    Failed,
    Failure,
    Log,
    Outcome,
    Raised,
    Result,
    Returned,
    Suspended,
)

_MARGIN = 24
"""Columns that are kept free for what stands beside a value on its line."""
_LEVEL_STYLES = {"warn": "yellow", "error": "red", "debug": "dim", "text": "bold"}


class Display:
    """Prints one run: give its method `watch` to `drive`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = max(console.width - _MARGIN, 40)
        self._logs_printed = 0

    def watch(self, event: Event) -> None:
        """Print one event."""
        match event:
            case Stepped(outcome):
                self.logs(outcome.logs)
            case Called(call):
                self._line(_call(call, self._width))
            case Answered(call, result, seconds):
                self._line(_answer(call, result, self._width) + _took(seconds))
            case _:
                assert_never(event)

    def logs(self, logs: Sequence[Log]) -> None:
        """Print those logs that have not been printed yet."""
        for log in logs[self._logs_printed :]:
            style = _LEVEL_STYLES.get(log.level, "")
            self._line(Text(f"{printable(log.level):<6}", style="dim") + _text(log.text, style))
        self._logs_printed = max(self._logs_printed, len(logs))

    def outcome(self, outcome: Outcome) -> None:
        """Print the outcome of the run."""
        self.logs(outcome.logs)
        match outcome:
            case Completed(value):
                self._line(Text("✓ completed", style="bold green"))
                self._line(JSONHighlighter()(pretty(value)))
            case Failed(error):
                self._failure(error)
            case Suspended(calls):
                noun = "call" if len(calls) == 1 else "calls"
                self._line(Text(f"… waits for {len(calls)} {noun}", style="bold yellow"))
                for call in calls:
                    self._line(_call(call, self._width))
            case _:
                assert_never(outcome)

    def summary(self, report: Report) -> None:
        """Print the calls, the fuel and the time that a live run took."""
        calls, batches = len(report.journal), report.batches
        total = duration(report.sandbox_seconds + report.tools_seconds)
        self._line(
            Text(
                f"{calls} {'call' if calls == 1 else 'calls'} "
                f"in {batches} {'batch' if batches == 1 else 'batches'} · "
                f"{report.outcome.fuel:,} fuel · {total}: "
                f"sandbox {duration(report.sandbox_seconds)}, "
                f"tools {duration(report.tools_seconds)}",
                style="dim",
            )
        )

    def replayed(self, outcome: Outcome, *, answers: int, seconds: float) -> None:
        """Print the answers, the fuel and the time that a replay took."""
        noun = "answer" if answers == 1 else "answers"
        text = f"replayed {answers} {noun} · {outcome.fuel:,} fuel · {duration(seconds)}"
        self._line(Text(text, style="dim"))

    def _failure(self, failure: Failure) -> None:
        kind = f"{failure.kind}: {failure.limit}" if failure.limit else failure.kind
        self._line(_text(f"✗ failed ({kind})", "bold red"))
        name = f"{failure.name}: " if failure.name else ""
        self._line(_text(f"{name}{failure.message}", "red"))
        if failure.frame:
            self._line(_text(failure.frame, ""))
        elif failure.line is not None:
            self._line(_text(f"at line {failure.line}, column {failure.column}", "dim"))
        if failure.limit and failure.calls:
            self._line(_text(failure.calls, ""))

    def _line(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True)


def duration(seconds: float) -> str:
    """Seconds with a fitting unit, such as `12 ms` or `1.5 s`."""
    if seconds >= 10:
        return f"{seconds:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def _call(call: Call, width: int) -> Text:
    arguments = Text(one_line(call.arguments, width), style="dim")
    return Text(f"→ {call.index} ", style="cyan") + _text(call.name, "bold") + " " + arguments


def _answer(call: Call, result: Result, width: int) -> Text:
    match result:
        case Returned(value):
            return Text(f"← {call.index} ", style="green") + Text(one_line(value, width))
        case Raised(error):
            line = f"{error.name}: {error.message}"
            return Text(f"✗ {call.index} ", style="red") + _text(line, "red")
        case _:
            assert_never(result)


def _took(seconds: float) -> Text:
    return Text(f"  {duration(seconds)}", style="dim")


def _text(text: str, style: str) -> Text:
    return Text(printable(text), style=style)
