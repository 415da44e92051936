"""`coderelay declare`: print the declarations of tools, as a model reads them."""

from typing import Annotated

import typer

from coderelay.cli import options
from coderelay.cli.exit_codes import reported
from coderelay.cli.printable import printable
from coderelay.client import load_tools
from coderelay.declare import DECLARATION_TOKENS, check_tools, prompt
from coderelay.languages.language_registry import DEFAULT_LANGUAGE

Language = Annotated[
    str, typer.Option("--language", metavar="NAME", help=f"{options.LANGUAGE_NAMES}.")
]
DeclarationTokens = Annotated[
    int,
    typer.Option(
        "--declaration-tokens",
        min=100,
        metavar="N",
        help="How many tokens the declarations may take, by estimate. Beyond that, an index "
        "is printed instead.",
    ),
]


@reported
def declare(
    tools: options.DeclaredTools,
    language: Language = DEFAULT_LANGUAGE,
    declaration_tokens: DeclarationTokens = DECLARATION_TOKENS,
) -> None:
    """Print tools as typed declarations, as a model reads them.

    [bold]Examples[/]
      coderelay declare --tools tools.py
      coderelay declare --tools tools.json --language python
    """
    declared = load_tools(tools)
    check_tools(declared)
    typer.echo(printable(prompt(declared, language, tokens=declaration_tokens).declarations))
