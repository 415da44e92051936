"""The demo in a few lines: the messages, the calls, and how little the model saw of the answers."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from coderelay.cli.demo.client import Span
from coderelay.cli.printable import printable
from coderelay.cli.run_display import duration
from coderelay.conversation import StateError, call_ids
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Json

_LABEL = 10
_ARGUMENTS = 48


class Story:
    """Prints scenarios in a few lines, with the source of the first program."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._answered = self._programs = 0
        self._source_printed = False

    def title(self, text: str) -> None:
        """Print the title of a scenario."""
        self._answered = self._programs = 0
        self._console.print(Rule(Text(text, style="bold"), style="cyan"))

    def note(self, text: str, style: str = "dim") -> None:
        """Print what happened to the server."""
        self._line("", Text(text, style=style))

    def message(self, message: Mapping[str, Json]) -> None:
        """Print a message of the client's conversation."""
        content = str(message.get("content") or "")
        calls: Sequence[Mapping[str, Json]] = message.get("tool_calls") or ()
        match message["role"]:
            case "user":
                self._line("you", Text(printable(content)), "bold blue")
            case "tool":
                self._answered += len(content)
                if message.get("is_error"):
                    self._line("", Text(f"✗ {printable(content)}", style="red"))
            case _ if calls:
                self._program(str(calls[0]["id"]))
                self._batch(calls)
            case _:
                self._line("model", Text(printable(content)), "bold magenta")

    def model(self, requests: Sequence[Mapping[str, Json]], language: str) -> None:
        """Print how often the model was asked, and how much of the tools' answers it saw."""
        if not requests:
            return
        results = [each for each in requests[-1]["messages"] if each["role"] == "tool"]
        length = sum(len(str(each.get("content") or "")) for each in results)
        text = f"{len(requests)} requests to the model"
        if length < self._answered:  # programs whose results are all that they got save nothing
            text += f"; of {self._answered:,} characters from the tools it saw {length:,}"
        self._line("", Text(text, style="dim"))

    def timeline(self, spans: Sequence[Span]) -> None:
        """Print how long the calls took, and how long they would have taken one after another."""
        calls = [span for span in spans if span.label != "no server"]
        alone = sum(span.ended - span.began for span in calls)
        batches: list[list[Span]] = []
        for span in sorted(calls, key=lambda span: span.began):
            if batches and span.began < max(each.ended for each in batches[-1]):
                batches[-1].append(span)
            else:
                batches.append([span])
        together = sum(max(s.ended for s in each) - each[0].began for each in batches)
        text = f"{len(calls)} calls took {duration(together)}, one by one {duration(alone)}"
        self._line("", Text(text, style="dim"))

    def _program(self, id: str) -> None:
        """Print the program that the id of a first call carries. A client need not know of it."""
        try:
            state = call_ids.decode(id) if call_ids.is_ours(id) else None
        except StateError:
            return
        if not isinstance(state, ProgramState):
            return
        if state.earlier:
            self._line("model", Text("writes a program, which fails, and repairs it"), "magenta")
        lines = state.program.source.strip().splitlines()
        if self._source_printed:
            text = f"writes a program of {len(lines)} lines"
            self._line("model", Text(text), "magenta")
            return
        self._source_printed = True
        self._line(
            "model", Text("writes a program; the id of its first call carries it"), "magenta"
        )
        without_remarks = (each for each in lines if each and not each.startswith(("#", "//")))
        source = printable("\n".join(without_remarks))
        code = Syntax(source, state.program.language, background_color="default", word_wrap=True)
        self._console.print(Padding(code, (0, 0, 0, _LABEL + 1)))

    def _batch(self, calls: Sequence[Mapping[str, Json]]) -> None:
        """Print the calls of a batch: both of two, or the first and how many more there are."""
        printed = calls if len(calls) == 2 else calls[:1]
        for place, call in enumerate(printed):
            arguments = str(call["function"]["arguments"])
            if len(arguments) > _ARGUMENTS:
                arguments = arguments[: _ARGUMENTS - 1] + "…"
            more = len(calls) - len(printed)
            text = Text(printable(str(call["function"]["name"])), style="bold")
            text += Text(f" {printable(arguments)}{f' and {more} more' if more else ''}", "dim")
            self._line("" if place else "your tools", text, "green")

    def _line(self, label: str, text: Text, style: str = "") -> None:
        self._console.print(Text(f"{label:<{_LABEL}} ", style=style) + text, soft_wrap=True)
