"""The application: it registers all commands. Each command has a module of its own."""

import sys
from importlib.metadata import PackageNotFoundError, version
from io import TextIOWrapper
from typing import Annotated

import typer

from coderelay.cli.chat import chat
from coderelay.cli.declare import declare
from coderelay.cli.demo import demo
from coderelay.cli.exit_codes import EXIT_CODES
from coderelay.cli.inspect import inspect
from coderelay.cli.run import run
from coderelay.cli.serve import serve
from coderelay.cli.warmup import warmup

app = typer.Typer(
    name="coderelay",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command(epilog=EXIT_CODES)(run)
app.command()(declare)
app.command()(warmup)
app.command()(demo)
app.command()(chat)
app.command()(serve)
app.command()(inspect)


def _print_version(requested: bool) -> None:
    if not requested:
        return
    try:
        found = version("coderelay")
    except PackageNotFoundError:
        found = "(not installed)"
    typer.echo(f"coderelay {found}")
    raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
    ),
]


@app.callback()
def coderelay(version: Version = False) -> None:
    """Run programs that call tools, in a sandbox that keeps no state.

    A program in TypeScript or Python calls tools as functions. It runs in
    WebAssembly, and whoever owns the tools answers its calls.

    [bold]Start here[/]
      coderelay demo                        see it work
      coderelay serve --upstream URL        serve clients of OpenAI and Anthropic
      coderelay chat --upstream URL …       talk to a model in the terminal
      coderelay demo --save samples         get the sample programs
      coderelay run FILE --tools tools.py   run a program with your functions
      coderelay declare --tools tools.py    see what a model is told of your tools
    """


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a console without arrows shows an escape instead
            stream.reconfigure(errors="backslashreplace")
    app()
