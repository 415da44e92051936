"""`coderelay inspect`: what is inside a call id."""

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

    The first call of a program carries it; the ids of its other calls say only
    to which program and call they belong. Nothing in them is secret or signed.

    [bold]Examples[/]
      coderelay inspect cr1__eF…
      jq -r '.choices[0].message.tool_calls[0].id' answer.json | coderelay inspect -
    """
    id = sys.stdin.read().strip() if id == "-" else id.strip()
    if not call_ids.is_ours(id):
        raise UsageError(
            f"{id[:60]!r} is no id of Coderelay: those begin with 'cr1_'. Other ids belong to the "
            "model's endpoint or to a client that makes its own"
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
        _line("ended before it, without a call:")
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
    except (OverflowError, ValueError, OSError):  # whoever made the id chose any number
        return str(created)


def _line(text: str) -> None:
    Console().print(Text(printable(text), style="dim"), soft_wrap=True)
