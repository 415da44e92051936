"""`coderelay chat`: a conversation in the terminal, through an embedded gateway or a server."""

import contextlib
import secrets
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from coderelay.cli import options
from coderelay.cli.conversation_display import ConversationDisplay
from coderelay.cli.exit_codes import UsageError, reported
from coderelay.cli.printable import printable
from coderelay.cli.setting_flags import variables
from coderelay.cli.warmup import ready
from coderelay.client import Agent, EndpointError, load_functions
from coderelay.core import EngineError

PROMPT = "› "

ChatTools = Annotated[
    Path | None,
    typer.Option(
        "--tools",
        metavar="FILE",
        help="A Python file: the functions marked with @tool, or else all public ones, are the "
        "tools.",
    ),
]
Upstream = Annotated[
    str | None,
    typer.Option(
        "--upstream",
        metavar="URL",
        envvar=variables("upstream"),
        help="Base URL of the model's endpoint. The gateway to it runs in this process.",
    ),
]
Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="A running server to use instead, such as http://127.0.0.1:8700/v1. Any Chat "
        "Completions endpoint works, but only with ours does the model write programs.",
    ),
]
ServerKey = Annotated[
    str | None,
    typer.Option("--key", metavar="KEY", envvar="CODERELAY_KEY", help="The key for --server."),
]
ModelName = Annotated[str, typer.Option("--model", metavar="NAME", help="Name of the model.")]
System = Annotated[str | None, typer.Option("--system", metavar="TEXT", help="The system prompt.")]
ProgramLanguage = Annotated[
    str | None,
    typer.Option(
        "--language", metavar="NAME", help=f"Language of programs: {options.LANGUAGE_NAMES}."
    ),
]


@reported
def chat(
    model: ModelName,
    upstream: Upstream = None,
    upstream_key: options.UpstreamKey = None,
    server: Server = None,
    key: ServerKey = None,
    tools: ChatTools = None,
    language: ProgramLanguage = None,
    system: System = None,
) -> None:
    """Chat with a model that writes programs, with the functions of tools.py as its tools.

    Each program, each call and the answer are shown as they come. Each line that
    you type, or that comes through a pipe, is a question. Ctrl-D ends the chat.

    [bold]Examples[/]
      coderelay chat --upstream http://127.0.0.1:11434/v1 --model qwen3 --tools tools.py
      coderelay chat --server http://127.0.0.1:8700/v1 --model qwen3 --tools tools.py
      echo "What is new?" | coderelay chat --model gpt-5 --tools tools.py
    """
    functions = load_functions(tools) if tools else ()
    with contextlib.ExitStack() as stack:
        if server is None:
            if upstream is None:
                raise UsageError(
                    "the model's endpoint is missing: name it, as in "
                    "--upstream http://127.0.0.1:11434/v1, or name a running server with --server"
                )
            server, key = stack.enter_context(_embedded(upstream, upstream_key, language))
        agent = Agent(
            server, model=model, tools=functions, api_key=key, language=language, system=system
        )
        _talk(agent, Console(highlight=False))


@contextlib.contextmanager
def _embedded(upstream: str, key: str | None, language: str | None) -> Iterator[tuple[str, str]]:
    """Serve a gateway of our own. Yields its address and its key, which keeps others out."""
    # imported here: the server's libraries would slow down the start of every other command
    from coderelay.cli.hosting import hosted
    from coderelay.server import Settings
    from coderelay.server.app import create_app

    ours = secrets.token_urlsafe(24)
    settings = Settings(upstream, upstream_key=key, client_keys=(ours,))
    if language is not None:
        settings = replace(settings, language=language)
    ready(settings.language)
    with hosted(create_app(settings)) as address:
        yield f"{address}/v1", ours


def _talk(agent: Agent, console: Console) -> None:
    """Run one turn for each line. After an error, a terminal goes on and a pipe ends."""
    interactive = sys.stdin.isatty()
    display = ConversationDisplay(console)
    for question in _questions(console, interactive):
        try:
            agent.run_sync(question, watch=display.watch)
        except EndpointError as error:
            if not interactive:
                raise EngineError(str(error)) from error
            display.broken(str(error))
        except KeyboardInterrupt:
            if not interactive:
                raise
            display.broken("interrupted")


def _questions(console: Console, interactive: bool) -> Iterator[str]:
    if interactive:
        with contextlib.suppress(ImportError):  # it makes lines editable; Windows has none
            import readline  # noqa: F401
    while True:
        try:
            line = input(PROMPT) if interactive else sys.stdin.readline()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return
        if not interactive and not line:
            return
        if not (question := line.strip()):
            continue
        if not interactive:
            console.print(Text(f"{PROMPT}{printable(question)}", style="bold"), soft_wrap=True)
        yield question
