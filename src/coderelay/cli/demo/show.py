"""The demo in full: every message, what the model saw, and a timeline of calls."""

from collections.abc import Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from coderelay.cli.demo.client import Span
from coderelay.cli.printable import printable
from coderelay.cli.run_display import duration
from coderelay.core import Json
from coderelay.core.json_values import NotJson
from coderelay.wire import parse

_BAR = 40
_STYLES = {"user": "bold blue", "assistant": "bold magenta", "tool": "green", "system": "dim"}
_LONG_ID = 40


class Show:
    """Prints scenarios in full."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = max(console.width - 16, 40)

    def title(self, text: str) -> None:
        """Print the title of a scenario."""
        self._console.print()
        self._console.print(Rule(Text(text, style="bold"), style="cyan"))

    def note(self, text: str, style: str = "dim") -> None:
        """Print what happened to the server."""
        self._console.print(Text(text, style=style), soft_wrap=True)

    def message(self, message: Mapping[str, Json]) -> None:
        """Print a message of the client's conversation."""
        role = str(message["role"])
        if message.get("content"):
            failed = bool(message.get("is_error"))
            content = str(message["content"])
            text = f"{'✗ ' if failed else ''}{self._cut(content) if role == 'tool' else content}"
            self._line(role, Text(printable(text), style="red" if failed else ""))
        for call in message.get("tool_calls") or ():
            function = call["function"]
            arguments = Text(f" {printable(self._cut(function['arguments']))}", style="dim")
            self._line(role, Text(function["name"], style="bold") + arguments)
            self._line("", Text(_described(call["id"]), style="dim"))

    def model(self, requests: Sequence[Mapping[str, Json]], language: str) -> None:
        """Print the last request that the model was sent."""
        if not requests:
            return
        body = requests[-1]
        offered = ", ".join(str(tool["function"]["name"]) for tool in body.get("tools", ()))
        parts: list[RenderableType] = [
            Text(f"{len(requests)} requests to the model; tools offered: {offered}", style="dim")
        ]
        for message in body["messages"]:
            parts += self._seen(message, language)
        title = Text("What the model saw", style="bold")
        self._console.print(Panel(Group(*parts), title=title, border_style="magenta"))

    def timeline(self, spans: Sequence[Span]) -> None:
        """Print the calls as bars on one scale of time."""
        if not spans:
            return
        start, end = min(span.began for span in spans), max(span.ended for span in spans)
        scale = _BAR / max(end - start, 1e-6)
        table = Table.grid(padding=(0, 1))
        for span in sorted(spans, key=lambda span: span.began):
            offset = min(int((span.began - start) * scale), _BAR - 1)
            length = max(1, min(round((span.ended - span.began) * scale), _BAR - offset))
            bar = Text(" " * offset) + Text("━" * length, style="red" if span.failed else "green")
            took = Text(duration(span.ended - span.began), style="dim")
            label = Text(printable(self._cut(span.label, self._width - _BAR)), no_wrap=True)
            table.add_row(bar, took, label)
        title = Text(f"Timeline of calls: {duration(end - start)}", style="bold")
        self._console.print(Panel(table, title=title, border_style="green"))

    def _seen(self, message: Mapping[str, Json], language: str) -> list[RenderableType]:
        role = str(message["role"])
        content = str(message.get("content") or "")
        parts: list[RenderableType] = []
        if role == "system":
            text = f"{len(content):,} characters of instructions and declarations"
            return [_labelled(role, Text(text, style="dim"))]
        if role == "tool":
            return [_labelled(role, Text("")), _indented(Text(printable(content)))]
        if content:
            parts.append(_labelled(role, Text(printable(content))))
        for call in message.get("tool_calls") or ():
            function = call["function"]
            parts.append(_labelled(role, Text(function["name"], style="bold")))
            code = Syntax(_code(function), language, background_color="default", word_wrap=True)
            parts.append(_indented(code))
        return parts

    def _line(self, role: str, text: Text) -> None:
        self._console.print(_labelled(role, text), soft_wrap=True)

    def _cut(self, text: str, width: int | None = None) -> str:
        width = self._width if width is None else max(width, 20)
        return text if len(text) <= width else text[: width - 1] + "…"


def _labelled(role: str, text: Text) -> Text:
    return Text(f"{role:<10} ", style=_STYLES.get(role, "")) + text


def _indented(block: RenderableType) -> Padding:
    return Padding(block, (0, 0, 0, 4))


def _described(id: str) -> str:
    if len(id) <= _LONG_ID:
        return f"id {printable(id)}"
    return f"id {printable(id[:_LONG_ID])}… ({len(id):,} characters: the program rides in it)"


def _code(function: Mapping[str, Json]) -> str:
    """The program in a call of the code tool, or the arguments of another call."""
    text = str(function["arguments"])
    try:
        arguments = parse(text)
    except NotJson:
        return printable(text)
    code = arguments.get("code") if isinstance(arguments, Mapping) else None
    return printable(code.strip() if isinstance(code, str) else text)
