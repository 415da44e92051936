"""`coderelay serve`: the gateway over HTTP."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from coderelay.cli.exit_codes import UsageError, reported
from coderelay.cli.printable import printable
from coderelay.cli.setting_flags import command_line_flags, with_setting_flags
from coderelay.cli.warmup import ready
from coderelay.languages.language_registry import LANGUAGES
from coderelay.server import SCRIPTED, Settings
from coderelay.server.setting_sources import resolve
from coderelay.server.settings_text import in_force

NO_UPSTREAM = """the upstream is missing: name the endpoint of a model, for example

  coderelay serve --upstream http://127.0.0.1:11434/v1      a model on this machine
  OPENAI_BASE_URL=https://…/v1 OPENAI_API_KEY=… coderelay serve
  coderelay serve --config coderelay.toml                   a file with upstream = "http://…"
  coderelay serve --upstream scripted                       no model: a script, to try things out"""

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        envvar="CODERELAY_CONFIG",
        help="A TOML file with settings. Flags and environment variables go before it.",
    ),
]
PrintConfig = Annotated[
    bool,
    typer.Option(
        "--print-config",
        help="Print each setting with its value and where that comes from, and exit.",
    ),
]


@reported
@with_setting_flags(Settings)
def serve(
    context: typer.Context,
    config: ConfigFile = None,
    print_config: PrintConfig = False,
    **flags: object,
) -> None:
    """Serve the gateway: an OpenAI-compatible API in front of any model.

    Point the base URL of a client at it. The model writes programs, the server
    runs them, and the client is asked to call its tools as usual. The server keeps
    nothing between requests, so any number of servers can share one address.

    Each setting is a flag, an environment variable and a key of the configuration
    file. A flag goes before the environment, and the environment before the file.
    The variables of OpenAI's clients (OPENAI_…) count only if no other source does.

    [bold]Examples[/]
      coderelay serve --upstream http://127.0.0.1:11434/v1
      coderelay serve --upstream http://127.0.0.1:11434/v1 --language python
      coderelay serve --upstream scripted          no model, to try things out
      coderelay serve --config coderelay.toml
      coderelay serve --print-config               what is in force, and why
      CODERELAY_CLIENT_KEYS="one two" coderelay serve --host 0.0.0.0 --workers 4
    """
    found = resolve(
        Settings, flags=command_line_flags(context, flags), environment=os.environ, file=config
    )
    if print_config:
        typer.echo(printable(in_force(found.entries)), nl=False)
        return
    if any(entry.missing for entry in found.entries if entry.declared.name == "upstream"):
        raise UsageError(NO_UPSTREAM)
    start(found.build())


def start(settings: Settings) -> None:
    """Say what is served, and serve it until a signal stops it."""
    from coderelay.server.launch import serve as serve_until_stopped  # it takes a while to load

    console = Console(stderr=True)
    if settings.upstream == SCRIPTED:
        warning = "NOT A REAL MODEL: answers come from a script, to try things out"
        console.print(Text(warning, style="bold reverse yellow"), soft_wrap=True)
    if settings.workers > 1:  # or else all of them would compile at the same time
        for name in LANGUAGES:
            ready(name)
    serve_until_stopped(
        settings,
        lambda url: console.print(Text(f"serving {url}", style="bold"), soft_wrap=True),
    )
