"""`coderelay demo`: three conversations through a real server that is killed in between."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from coderelay.cli import options
from coderelay.cli.demo.local import play_locally
from coderelay.cli.demo.samples import examples, programs, save
from coderelay.cli.exit_codes import UsageError, reported
from coderelay.cli.warmup import chosen, ready
from coderelay.client import load_functions

Save = Annotated[
    Path | None,
    typer.Option("--save", metavar="FOLDER", help="Only copy the samples there, to play with."),
]
Local = Annotated[
    bool,
    typer.Option(
        "--local",
        help="Without a server: run the sample programs, and replay each from every prefix.",
    ),
]
RealUpstream = Annotated[
    str | None,
    typer.Option(
        "--upstream", metavar="URL", help="A real model's endpoint, in place of the script."
    ),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", help="Show every message, all that the model saw, and a timeline of calls."
    ),
]
RealModel = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="The model, with --upstream.")
]

_NEXT = """\
Try next: coderelay demo --verbose to see every message and what the model saw;
          coderelay serve --upstream URL for your own model and any client."""


@reported
def demo(
    language: options.Languages = None,
    upstream: RealUpstream = None,
    model: RealModel = None,
    upstream_key: options.UpstreamKey = None,
    local: Local = False,
    verbose: Verbose = False,
    save: Save = None,
) -> None:
    """Play three conversations through a real server, which is killed in mid-program.

    A server process is started, and an ordinary client talks to it. The model is
    a script, so neither a key nor a network is needed.

    [bold]Examples[/]
      coderelay demo
      coderelay demo --language python --verbose
      coderelay demo --upstream http://127.0.0.1:11434/v1 --model qwen3
      coderelay demo --local
      coderelay demo --save samples
    """
    if bool(upstream) != bool(model):
        raise UsageError("--upstream and --model go together: give both, or none for the script")
    console = Console()
    if save:
        _saved(console, save)
        return
    tools = load_functions(examples() / "tools.py")
    for name in chosen(language):
        ready(name)
        if local:
            for path in programs(name):
                play_locally(console, path, tools)
        else:
            # here, not above: the server's libraries would slow down every other command
            from coderelay.cli.demo.play import play

            play(
                console,
                name,
                tools,
                model=model,
                upstream=upstream,
                key=upstream_key,
                verbose=verbose,
            )
    if not local:
        console.print(Rule(style="cyan"))
        console.print(Text(_NEXT), soft_wrap=True)


def _saved(console: Console, folder: Path) -> None:
    copies = save(folder)
    console.print(Text(f"{len(copies)} files are in {folder}. Now try:"), soft_wrap=True)
    program = programs(chosen(None)[0])[0].name
    line = f"  coderelay run {folder / program} --tools {folder / 'tools.py'}"
    console.print(Text(line, style="bold"), soft_wrap=True)
