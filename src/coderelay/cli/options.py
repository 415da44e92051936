"""The arguments and options that commands share, each with its help."""

from pathlib import Path
from typing import Annotated

import typer

from coderelay.cli.setting_flags import variables

_PROGRAM = "The program"

ProgramFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A .ts, .js or .py program, or - for standard input.")
]
ToolsFile = Annotated[
    Path | None,
    typer.Option(
        "--tools",
        metavar="FILE",
        help="tools.py: its public functions, or those marked with @tool, are the tools. "
        "With --replay also tools.json.",
    ),
]
DeclaredTools = Annotated[
    Path,
    typer.Option(
        "--tools",
        metavar="FILE",
        help="tools.py with functions, or tools.json with a list of declarations as OpenAI, "
        "Anthropic or MCP have them.",
    ),
]
OutputJson = Annotated[
    bool, typer.Option("--json", help="Print only the outcome, as JSON, to standard output.")
]
JournalFile = Annotated[
    Path | None,
    typer.Option("--journal", metavar="FILE", help="Write the answered calls to this file."),
]
ReplayFile = Annotated[
    Path | None,
    typer.Option(
        "--replay", metavar="FILE", help="Take all answers from this journal and call nothing."
    ),
]
ProgramLanguage = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="NAME",
        help="typescript or python; by default from the suffix.",
        rich_help_panel=_PROGRAM,
    ),
]
ProgramId = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="TEXT",
        help="The program's id: all its randomness comes from it.",
        rich_help_panel=_PROGRAM,
    ),
]
ProgramCreated = Annotated[
    str | None,
    typer.Option(
        "--created",
        metavar="TIME",
        help="The time it sees: seconds since 1970 or an ISO date.",
        rich_help_panel=_PROGRAM,
    ),
]
Languages = Annotated[
    list[str] | None,
    typer.Option(
        "--language", metavar="NAME", help="typescript or python; may be repeated. Default: all."
    ),
]
UpstreamKey = Annotated[
    str | None,
    typer.Option(
        "--upstream-key",
        metavar="KEY",
        envvar=variables("upstream_key"),
        help="The key for --upstream.",
    ),
]
