"""`coderelay inspect`: show the program that the id of a tool call carries."""

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from coderelay.cli.exit_codes import UsageError, reported
from coderelay.cli.printable import printable
from coderelay.conversation import call_ids
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Program

CallId = Annotated[
    str, typer.Argument(metavar="ID", help="A tool call's id, or - for standard input.")
]


@reported
def inspect(id: CallId) -> None:
    """Show the program inside a tool call's id.

    The id of a program's first call carries the program. The ids of its other
    calls only name the program and the call. They are neither secret nor signed.

    [bold]Examples[/]
      coderelay inspect cr1__eF…
      jq -r '.choices[0].message.tool_calls[0].id' answer.json | coderelay inspect -
    """
    id = sys.stdin.read().strip() if id == "-" else id.strip()
    if not call_ids.is_ours(id):
        raise UsageError(
            f"{id[:60]!r} is not an id of Coderelay: those begin with 'cr1_'. Other ids come from "
            "the model's endpoint, or from a client that makes its own"
        )
    match call_ids.decode(id):
        case ProgramState() as first:
            _show_first(first)
        case call_ids.LaterCall(program, index, digest):
            _line(f"call {index} of the program {program}, arguments digest {digest}")
            _line("the program itself is in the id of its first call: inspect that one")


def _show_first(first: ProgramState) -> None:
    _line(f"call 0 of the program {first.program.id}, arguments digest {first.arguments}")
    _line(f"guest {first.fingerprint}")
    for earlier in first.earlier:
        _line("")
        _line("a program before it, which ended without a call:")
        _show(earlier)
    _line("")
    _show(first.program)


def _show(program: Program) -> None:
    _line(f"{program.language}, created {_time(program.created)}")
    _line("")
    typer.echo(printable(program.source.rstrip()))


def _time(created: int) -> str:
    try:
        return datetime.fromtimestamp(created, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):  # an id may have been made up, with any number
        return str(created)


def _line(text: str) -> None:
    Console().print(Text(printable(text), style="dim"), soft_wrap=True)
