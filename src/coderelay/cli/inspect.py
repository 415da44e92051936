"""`coderelay inspect`: show what an id, a fingerprint or a `state` carries."""

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from coderelay.cli.exit_codes import UsageError, reported
from coderelay.cli.printable import printable
from coderelay.conversation import call_ids
from coderelay.conversation.program_state import (
    BESIDE_SOURCE,
    ProgramState,
    decode_state,
    state_error,
)
from coderelay.conversation.state_text import InflateBudget, UnreadableState, is_state
from coderelay.core import Program
from coderelay.dialects.anthropic.code_execution import decode_block_id

Carrier = Annotated[
    str,
    typer.Argument(metavar="ID", help="An id, a fingerprint or a state, or - for standard input."),
]


@reported
def inspect(id: Carrier) -> None:
    """Show the program inside a tool call's id.

    The id of a program's first call carries the program. The ids of its other
    calls only name the program and the call. The id of a code execution block,
    the fingerprint of a program item and the state of a code message carry
    everything but the source. They are neither secret nor signed.

    [bold]Examples[/]
      coderelay inspect cr1__eF…
      jq -r '.choices[0].message.tool_calls[0].id' answer.json | coderelay inspect -
    """
    id = sys.stdin.read().strip() if id == "-" else id.strip()
    match _read(id):
        case ProgramState() as state:
            _show_state(state)
        case call_ids.LaterCall(program, index, digest):
            _line(f"call {index} of the program {program}, arguments digest {digest}")
            _line("the program itself is in the id of its first call: inspect that one")


def _read(id: str) -> ProgramState | call_ids.LaterCall:
    if call_ids.is_ours(id):
        return call_ids.decode(id)
    budget = InflateBudget()
    try:
        state = decode_state(id, BESIDE_SOURCE, budget) if is_state(id) else None
        state = state or decode_block_id(id, budget)
    except UnreadableState as error:
        raise state_error(repr(id[:60]), error) from error
    if state is None:
        raise UsageError(
            f"{id[:60]!r} carries no program: ids of calls begin with 'cr1_', ids of blocks with "
            "'srvtoolu__', fingerprints and states with '_'. Others come from the model's "
            "endpoint, from another server, or from a client that makes its own"
        )
    return state


def _show_state(state: ProgramState) -> None:
    which = f"the program {state.program.id}"
    _line(f"call 0 of {which}, arguments digest {state.arguments}" if state.arguments else which)
    _line(f"guest {state.fingerprint or 'unknown'}")
    _line(f"declared tools that it mentions: {_names(state.tools)}")
    for earlier in state.earlier:
        _line("")
        _line("a program before it, which ended without a call:")
        _show(earlier)
    _line("")
    if not state.source_digest:
        _show(state.program)
        return
    _line(_beginning(state.program))
    _line(f"its source is beside this text in the history, with the digest {state.source_digest}")


def _show(program: Program) -> None:
    _line(_beginning(program))
    _line("")
    typer.echo(printable(program.source.rstrip()))


def _beginning(program: Program) -> str:
    return f"{program.language}, created {_time(program.created)}"


def _names(tools: frozenset[str] | None) -> str:
    return "unknown" if tools is None else ", ".join(sorted(tools)) or "none"


def _time(created: int) -> str:
    try:
        return datetime.fromtimestamp(created, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):  # an id may have been made up, with any number
        return str(created)


def _line(text: str) -> None:
    Console().print(Text(printable(text), style="dim"), soft_wrap=True)
