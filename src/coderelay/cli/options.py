"""The arguments and options of `run`, and those that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from coderelay.cli.setting_flags import variables
from coderelay.core.alternatives import alternatives
from coderelay.languages.language_registry import LANGUAGES

_PROGRAM = "The program"

LANGUAGE_NAMES = alternatives(LANGUAGES)
"""For the help of options that take a language."""

ProgramFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A .ts, .js or .py program, or - for standard input.")
]
ToolsFile = Annotated[
    Path | None,
    typer.Option(
        "--tools",
        metavar="FILE",
        help="A Python file: the functions marked with @tool, or else all public ones, are the "
        "tools. With --replay, also a JSON file of declarations.",
    ),
]
DeclaredTools = Annotated[
    Path,
    typer.Option(
        "--tools",
        metavar="FILE",
        help="A Python file with functions, or a JSON file with declarations in the form of "
        "OpenAI, Anthropic or MCP.",
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
        "--replay", metavar="FILE", help="Take the answers from this journal and call no tool."
    ),
]
ProgramLanguage = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="NAME",
        help=f"{LANGUAGE_NAMES}. Default: by the suffix of the file.",
        rich_help_panel=_PROGRAM,
    ),
]
ProgramId = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="TEXT",
        help="The program's id, which seeds its random numbers.",
        rich_help_panel=_PROGRAM,
    ),
]
ProgramCreated = Annotated[
    str | None,
    typer.Option(
        "--created",
        metavar="TIME",
        help="The time that the program sees at its start: seconds since 1970, or an ISO date.",
        rich_help_panel=_PROGRAM,
    ),
]
Languages = Annotated[
    list[str] | None,
    typer.Option(
        "--language",
        metavar="NAME",
        help=f"{LANGUAGE_NAMES}. Repeat it for several. Default: all.",
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
