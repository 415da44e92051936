"""`coderelay serve`: the gateway over HTTP."""

from dataclasses import replace
from typing import Annotated, cast

import typer
from rich.console import Console
from rich.text import Text

from coderelay import declare
from coderelay.cli.engine_progress import ready
from coderelay.cli.exit_codes import UsageError, reported
from coderelay.core import DEFAULT_LIMITS
from coderelay.core.limits import KB, MB
from coderelay.engines.engine_registry import languages
from coderelay.server import SCRIPTED, Settings

_DEFAULT = Settings(SCRIPTED)
_UPSTREAM, _CLIENTS, _CAPACITY = "The model", "Clients", "Capacity, of each worker process"
_PROGRAMS, _LOGS = "Limits of a program", "Logs"

NO_UPSTREAM = """no upstream: say which model's endpoint the programs come from, for example

  coderelay serve --upstream http://127.0.0.1:11434/v1      a model on this machine
  OPENAI_BASE_URL=https://…/v1 OPENAI_API_KEY=… coderelay serve
  coderelay serve --upstream scripted                       no model: a script, to try things out"""

Upstream = Annotated[
    str | None,
    typer.Option(
        "--upstream",
        metavar="URL",
        envvar=["CODERELAY_UPSTREAM", "OPENAI_BASE_URL"],
        help="Base URL of an OpenAI-compatible endpoint, or 'scripted'.",
        rich_help_panel=_UPSTREAM,
    ),
]
UpstreamKey = Annotated[
    str | None,
    typer.Option(
        "--upstream-key",
        metavar="KEY",
        envvar=["CODERELAY_UPSTREAM_KEY", "OPENAI_API_KEY"],
        help="Its key. Default: each client's own key is passed on.",
        rich_help_panel=_UPSTREAM,
        show_default=False,
    ),
]
UpstreamTimeout = Annotated[
    float,
    typer.Option(
        "--upstream-timeout",
        min=0.1,
        metavar="S",
        envvar="CODERELAY_UPSTREAM_TIMEOUT",
        help="How long it may be silent.",
        rich_help_panel=_UPSTREAM,
    ),
]
MaxAnswer = Annotated[
    int,
    typer.Option(
        "--max-answer",
        min=1,
        metavar="MB",
        envvar="CODERELAY_MAX_ANSWER",
        help="Its longest answer that comes whole, and the longest event of a stream.",
        rich_help_panel=_UPSTREAM,
    ),
]
MaxStream = Annotated[
    int,
    typer.Option(
        "--max-stream",
        min=1,
        metavar="MB",
        envvar="CODERELAY_MAX_STREAM",
        help="Its longest answer that is streamed or passed on.",
        rich_help_panel=_UPSTREAM,
    ),
]
Language = Annotated[
    str,
    typer.Option(
        "--language",
        metavar="NAME",
        envvar="CODERELAY_LANGUAGE",
        help="What the model writes, unless a request says: typescript or python.",
        rich_help_panel=_UPSTREAM,
    ),
]
MaxPrograms = Annotated[
    int,
    typer.Option(
        "--max-programs",
        min=1,
        metavar="N",
        envvar="CODERELAY_MAX_PROGRAMS",
        help="How many programs the model may write in one turn.",
        rich_help_panel=_UPSTREAM,
    ),
]
DeclarationTokens = Annotated[
    int,
    typer.Option(
        "--declaration-tokens",
        min=100,
        metavar="N",
        envvar="CODERELAY_DECLARATION_TOKENS",
        help="How long the tools' declarations may be; beyond, an index and a search.",
        rich_help_panel=_UPSTREAM,
    ),
]
UndeclaredArguments = Annotated[
    str,
    typer.Option(
        "--undeclared-arguments",
        metavar="WHAT",
        envvar="CODERELAY_UNDECLARED_ARGUMENTS",
        help="Calls with arguments that their tool does not declare: refuse or allow.",
        rich_help_panel=_UPSTREAM,
    ),
]
Host = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="NAME",
        envvar="CODERELAY_HOST",
        help="Address to listen on; 0.0.0.0: all.",
    ),
]
Port = Annotated[
    int,
    typer.Option(
        "--port",
        min=0,
        max=65_535,
        metavar="N",
        envvar="CODERELAY_PORT",
        help="Port to listen on; 0: any that is free.",
    ),
]
WorkerCount = Annotated[
    int,
    typer.Option(
        "--workers", min=1, metavar="N", envvar="CODERELAY_WORKERS", help="Processes that serve."
    ),
]
Drain = Annotated[
    float,
    typer.Option(
        "--drain",
        min=0,
        metavar="S",
        envvar="CODERELAY_DRAIN",
        help="After SIGTERM, how long requests in progress may take.",
    ),
]
ClientKeys = Annotated[
    list[str] | None,
    typer.Option(
        "--client-key",
        metavar="KEY",
        envvar="CODERELAY_CLIENT_KEYS",
        help="Who may use the server; may be repeated, in the environment divided by spaces. "
        "Default: anybody.",
        rich_help_panel=_CLIENTS,
        show_default=False,
    ),
]
AllowHosts = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="NAME",
        envvar="CODERELAY_ALLOW_HOSTS",
        help="Without client keys: a further name by which the server may be reached, or of a web "
        "page that may use it; '*': any. May be repeated, in the environment divided by spaces.",
        rich_help_panel=_CLIENTS,
        show_default=False,
    ),
]
MaxHeaders = Annotated[
    int,
    typer.Option(
        "--max-headers",
        min=1,
        metavar="KB",
        envvar="CODERELAY_MAX_HEADERS",
        help="The longest headers of a request.",
        rich_help_panel=_CLIENTS,
    ),
]
MaxBody = Annotated[
    int,
    typer.Option(
        "--max-body",
        min=1,
        metavar="MB",
        envvar="CODERELAY_MAX_BODY",
        help="The longest body of a request.",
        rich_help_panel=_CLIENTS,
    ),
]
KeepAlive = Annotated[
    float,
    typer.Option(
        "--keep-alive",
        min=0.01,
        metavar="S",
        envvar="CODERELAY_KEEP_ALIVE",
        help="How long a stream is silent before a comment line.",
        rich_help_panel=_CLIENTS,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        envvar="CODERELAY_THREADS",
        help="Programs that run at once. Default: one for each core.",
        rich_help_panel=_CAPACITY,
        show_default=False,
    ),
]
Turns = Annotated[
    int,
    typer.Option(
        "--turns",
        min=1,
        metavar="N",
        envvar="CODERELAY_TURNS",
        help="Requests with programs at once; one more gets a 503.",
        rich_help_panel=_CAPACITY,
    ),
]
Connections = Annotated[
    int,
    typer.Option(
        "--connections",
        min=1,
        metavar="N",
        envvar="CODERELAY_CONNECTIONS",
        help="Requests of all kinds at once; one more gets a 503.",
        rich_help_panel=_CAPACITY,
    ),
]
Fuel = Annotated[
    int,
    typer.Option(
        "--fuel",
        min=1,
        metavar="N",
        envvar="CODERELAY_FUEL",
        help="What a program may spend in all.",
        rich_help_panel=_PROGRAMS,
    ),
]
StepFuel = Annotated[
    int,
    typer.Option(
        "--step-fuel",
        min=1,
        metavar="N",
        envvar="CODERELAY_STEP_FUEL",
        help="And between two batches of results.",
        rich_help_panel=_PROGRAMS,
    ),
]
Memory = Annotated[
    int | None,
    typer.Option(
        "--memory",
        min=1,
        metavar="MB",
        envvar="CODERELAY_MEMORY",
        help="Its memory. Default: what the language needs.",
        rich_help_panel=_PROGRAMS,
        show_default=False,
    ),
]
Seconds = Annotated[
    float,
    typer.Option(
        "--seconds",
        min=0.001,
        metavar="S",
        envvar="CODERELAY_SECONDS",
        help="Processor time for one step, a backstop.",
        rich_help_panel=_PROGRAMS,
    ),
]
LogLevel = Annotated[
    str,
    typer.Option(
        "--log-level",
        metavar="NAME",
        envvar="CODERELAY_LOG_LEVEL",
        help="debug, info, warning or error. Lines are JSON and hold no content.",
        rich_help_panel=_LOGS,
    ),
]


@reported
def serve(
    upstream: Upstream = None,
    upstream_key: UpstreamKey = None,
    upstream_timeout: UpstreamTimeout = _DEFAULT.upstream_timeout,
    max_answer: MaxAnswer = _DEFAULT.answer // MB,
    max_stream: MaxStream = _DEFAULT.stream // MB,
    language: Language = _DEFAULT.language,
    max_programs: MaxPrograms = _DEFAULT.max_programs,
    declaration_tokens: DeclarationTokens = _DEFAULT.declaration_tokens,
    undeclared_arguments: UndeclaredArguments = _DEFAULT.undeclared_arguments,
    host: Host = _DEFAULT.host,
    port: Port = _DEFAULT.port,
    workers: WorkerCount = _DEFAULT.workers,
    drain: Drain = _DEFAULT.drain,
    client_key: ClientKeys = None,
    allow_host: AllowHosts = None,
    max_headers: MaxHeaders = _DEFAULT.headers // KB,
    max_body: MaxBody = _DEFAULT.body // MB,
    keep_alive: KeepAlive = _DEFAULT.keep_alive,
    threads: Threads = None,
    turns: Turns = _DEFAULT.turns,
    connections: Connections = _DEFAULT.connections,
    fuel: Fuel = DEFAULT_LIMITS.fuel,
    step_fuel: StepFuel = DEFAULT_LIMITS.step_fuel,
    memory: Memory = None,
    seconds: Seconds = DEFAULT_LIMITS.seconds,
    log_level: LogLevel = _DEFAULT.log_level,
) -> None:
    """Serve the gateway: an OpenAI-compatible API in front of any model.

    Point a client's base URL at it. The model writes programs, the server runs
    them, the client's tools are called as ever. Nothing is kept between requests,
    so any number of servers can stand behind one address.

    [bold]Examples[/]
      coderelay serve --upstream http://127.0.0.1:11434/v1
      coderelay serve --upstream http://127.0.0.1:11434/v1 --language python
      coderelay serve --upstream scripted          no model, to try things out
      CODERELAY_CLIENT_KEYS="one two" coderelay serve --host 0.0.0.0 --workers 4
    """
    if not upstream:
        raise UsageError(NO_UPSTREAM)
    settings = Settings(
        upstream=upstream,
        upstream_key=upstream_key or None,
        upstream_timeout=upstream_timeout,
        answer=max_answer * MB,
        stream=max_stream * MB,
        language=language,
        max_programs=max_programs,
        declaration_tokens=declaration_tokens,
        undeclared_arguments=cast(declare.UndeclaredArguments, undeclared_arguments),
        host=host,
        port=port,
        workers=workers,
        drain=drain,
        client_keys=tuple(client_key or ()),
        allow_hosts=tuple(allow_host or ()),
        headers=max_headers * KB,
        body=max_body * MB,
        keep_alive=keep_alive,
        threads=threads or _DEFAULT.threads,
        turns=turns,
        connections=connections,
        limits=replace(
            DEFAULT_LIMITS,
            fuel=fuel,
            step_fuel=step_fuel,
            memory=memory * MB if memory else DEFAULT_LIMITS.memory,
            seconds=seconds,
        ),
        log_level=log_level,
    )
    start(settings)


def start(settings: Settings) -> None:
    """Say what is served, and serve it."""
    from coderelay.server.launch import serve as serve_until_stopped  # it takes a while to load

    console = Console(stderr=True)
    if settings.upstream == SCRIPTED:
        warning = "NOT A REAL MODEL: answers come from a script, to try things out"
        console.print(Text(warning, style="bold reverse yellow"), soft_wrap=True)
    if settings.workers > 1:  # or else each of them would compile, at the same time
        for name in languages():
            ready(name)
    serve_until_stopped(
        settings,
        lambda url: console.print(Text(f"serving {url}", style="bold"), soft_wrap=True),
    )
