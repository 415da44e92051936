"""Shows a conversation in the terminal: each program, each call, and the answer as it streams."""

from typing import assert_never

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from coderelay.cli.printable import one_line, printable
from coderelay.cli.run_display import Display
from coderelay.client import (
    AgentEvent,
    Answer,
    Answered,
    Called,
    ProgramEnded,
    ProgramWritten,
    ReasoningDelta,
    TextDelta,
)
from coderelay.core import Completed, Failed, Program

_CUT = ("length", "content_filter")


class ConversationDisplay:
    """Prints the events of an agent: give its method `watch` to `Agent.run`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._display = Display(console)
        self._within_line = False

    def watch(self, event: AgentEvent) -> None:
        """Print one event."""
        match event:
            case TextDelta(text):
                self._piece(text, "")
            case ReasoningDelta(text):
                self._piece(text, "dim italic")
            case ProgramWritten(program):
                self._program(program)
            case Called() | Answered():
                self._end_line()
                self._display.watch(event)
            case ProgramEnded(outcome=outcome):
                self._ended(outcome)
            case Answer(finish=finish):
                self._end_line()
                if finish in _CUT:
                    self._note(f"(the answer was cut off: {finish})", "yellow")
            case _:
                assert_never(event)

    def broken(self, why: str) -> None:
        """Print why a turn did not end with an answer."""
        self._note(printable(why), "red")

    def _program(self, program: Program) -> None:
        self._note(
            f"program {printable(program.id)} ({printable(program.language)})", "bold magenta"
        )
        source = printable(program.source.strip())
        code = Syntax(source, program.language, background_color="default", word_wrap=True)
        self._console.print(code)
        self._display = Display(self._console)

    def _ended(self, outcome: Completed | Failed) -> None:
        self._end_line()
        if isinstance(outcome, Completed):
            self._display.logs(outcome.logs)
            self._note(f"✓ completed {one_line(outcome.value, self._console.width)}", "green")
        else:
            self._display.outcome(outcome)

    def _piece(self, text: str, style: str) -> None:
        self._console.print(Text(printable(text), style=style), end="", soft_wrap=True)
        self._within_line = not text.endswith("\n")

    def _note(self, text: str, style: str) -> None:
        self._end_line()
        self._console.print(Text(text, style=style), soft_wrap=True)

    def _end_line(self) -> None:
        if self._within_line:
            self._console.print()
        self._within_line = False
