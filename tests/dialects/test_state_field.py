"""The recipe "a field of the state" of CONTRIBUTING.md, followed with a toy field.

One row in `FIELDS` and one field of `ProgramState` put it into everything that carries a state.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from coderelay.conversation import DamagedState, NewerState, call_ids, program_state
from coderelay.conversation.program_state import FIELDS, ProgramState, StateField
from coderelay.conversation.state_text import DamagedText, InflateBudget
from coderelay.core import Json, Program
from coderelay.dialects.anthropic import code_execution
from coderelay.dialects.chat import code_messages
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.responses import program_items

Carried = Any
PROGRAM = Program("python", "await web_search(query='x')", "p1", 1_763_200_000)


@dataclass(frozen=True, slots=True)
class ColouredState(ProgramState):
    """Step 1: the state with the toy field."""

    colour: str = ""


def read_colour(value: Json) -> str:
    if value not in ("red", "green"):
        raise DamagedText("cannot be read")
    return str(value)


def reads_or_raises(read: tuple[ProgramState, Exception | None]) -> ProgramState:
    state, problem = read
    if problem is not None:
        raise problem
    return state


def read_call_id(id: Carried) -> ProgramState:
    state = call_ids.decode(id)
    assert isinstance(state, ProgramState)
    return state


CARRIERS: dict[str, tuple[Callable[[ProgramState], Carried], Callable[[Carried], ProgramState]]] = {
    "call id": (call_ids.first_id, read_call_id),
    "code message": (
        code_messages.code_message,
        lambda message: reads_or_raises(
            code_messages.read_code(Fields(message), "python", InflateBudget())
        ),
    ),
    "program item": (
        program_items.program_item,
        lambda item: reads_or_raises(
            program_items.read_program(Fields(item), "python", InflateBudget())
        ),
    ),
    "code execution block": (
        code_execution.program_block,
        lambda block: reads_or_raises(code_execution.read_program(Fields(block), InflateBudget())),
    ),
}
carriers = pytest.mark.parametrize(("write", "read"), CARRIERS.values(), ids=CARRIERS)


@contextmanager
def newer_server(*, needed: bool = False) -> Iterator[None]:
    """A server whose next release has the field. Step 2: the row."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program_state, "ProgramState", ColouredState)
        patch.setitem(FIELDS, "colour", StateField(write=str, read=read_colour, needed=needed))
        yield


def coloured(colour: str = "red") -> ColouredState:
    return ColouredState(PROGRAM, arguments="0" * 16, colour=colour)


@carriers
@pytest.mark.parametrize("needed", [False, True], ids=["may be ignored", "needed"])
def test_a_new_field_comes_back_from_everything_that_carries_a_state(
    write: Any, read: Any, needed: bool
) -> None:
    with newer_server(needed=needed):
        state = read(write(coloured()))
        assert isinstance(state, ColouredState) and state.colour == "red"
        assert state.program == PROGRAM


@carriers
def test_an_older_server_ignores_a_new_field(write: Any, read: Any) -> None:
    with newer_server():
        carried = write(coloured())
    state = read(carried)
    assert not isinstance(state, ColouredState)
    assert state.program == PROGRAM


@carriers
def test_an_older_server_refuses_a_new_field_that_is_needed(write: Any, read: Any) -> None:
    with newer_server(needed=True):
        carried = write(coloured())
    with pytest.raises(NewerState, match="needs colour: upgrade all servers"):
        read(carried)


@carriers
def test_a_needed_field_without_a_value_refuses_nobody(write: Any, read: Any) -> None:
    with newer_server(needed=True):
        carried = write(coloured(""))
    assert read(carried).program == PROGRAM


@carriers
def test_a_new_server_reads_a_state_without_the_field(write: Any, read: Any) -> None:
    carried = write(ProgramState(PROGRAM, arguments="0" * 16))
    with newer_server(needed=True):
        assert read(carried).colour == ""


@carriers
def test_a_value_of_the_wrong_type_is_refused_as_damaged(write: Any, read: Any) -> None:
    with newer_server():
        carried = write(coloured("loud"))
        with pytest.raises(DamagedState, match="cannot be read: send it back exactly"):
            read(carried)


def test_every_field_of_the_table_is_a_field_of_the_state() -> None:
    assert set(FIELDS) <= set(ProgramState.__dataclass_fields__)
