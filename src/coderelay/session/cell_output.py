"""Renders the result of a cell as text for the model.

Output that is too long is cut in the middle, and saved in full to a file of the session. A failure
always follows the output.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from coderelay.core import Failure
from coderelay.engines.python.live.interpreter import Cell

BUDGET = 20_000
"""How many characters of output the model gets from one cell, by default."""

_FAILURE = 4_000
_NOTHING = "(no output)"
RESTARTED = (
    "The session was restarted: its variables, functions and imports are gone, its files remain."
)

_NOT_AWAITABLE = (
    "object can't be awaited",
    "a coroutine or an awaitable is required",
    "a coroutine was expected, got",
)
_NOT_ASYNC = (
    "The functions of sdk are not async: they return the answer itself. If this was a call of one, "
    "it was carried out, and only its answer is lost: do not use `await` or asyncio with it."
)

SaveOutput: TypeAlias = Callable[[str], str | None]
"""Saves a text to a file and returns the file's name, or None if the file does not fit."""


@dataclass(frozen=True, slots=True)
class CellOutput:
    """The text for the model, and whether the cell failed."""

    text: str
    failed: bool = False


def render_cell(cell: Cell, budget: int, save: SaveOutput) -> CellOutput:
    """Return what a cell printed, its value and its failure as one text.

    Output and value together get at most `budget` characters; `save` stores what is longer.
    """
    parts = [part for part in (cell.output.rstrip("\n"), cell.value) if part]
    output = _cut_and_save("\n".join(parts), budget, save)
    if cell.failure is None:
        return CellOutput(output or _NOTHING)
    failure = _render_failure(cell.failure, alive=cell.alive)
    return CellOutput(f"{output}\n\n{failure}" if output else failure, failed=True)


def _render_failure(failure: Failure, *, alive: bool) -> str:
    """Return a failure as text. `alive` tells whether the interpreter survived it."""
    # A traceback has nothing to add where the code did not run, or was stopped from outside.
    without_stack = failure.limit or failure.kind == "syntax" or not failure.stack
    report = _message_and_place(failure) if without_stack else failure.stack.rstrip("\n")
    text = _cut_middle(report, _FAILURE, "[… {cut:,} characters are left out …]")
    text = f"{text}\n{failure.calls}" if failure.calls else text
    if failure.name == "TypeError" and any(each in failure.message for each in _NOT_AWAITABLE):
        text = f"{text}\n{_NOT_ASYNC}"
    return text if alive else f"{text}\n{RESTARTED}"


def _message_and_place(failure: Failure) -> str:
    what = ": ".join(part for part in (failure.name, failure.message) if part)
    if failure.limit:
        what = f"The code was stopped by a limit ({failure.limit}): {failure.message}"
    if failure.frame:
        return f"{what}\n{failure.frame}"
    return what if failure.line is None else f"{what} (line {failure.line})"


def _cut_and_save(text: str, budget: int, save: SaveOutput) -> str:
    """Return the text, cut to its budget. A text that is cut is saved, and a note says where."""
    if len(text) <= budget:
        return text
    name = save(text)
    advice = "print less: counts, keys, a few rows"
    if name is not None:
        end = min(len(text), budget)
        advice = f'the whole is in {name}: read on with open("/{name}").read()[{budget // 2}:{end}]'
    note = f"[… {{cut:,}} of {len(text):,} characters are left out here; {advice} …]"
    return _cut_middle(text, budget, note)


def _cut_middle(text: str, budget: int, note: str) -> str:
    """Return the text without its middle if it is longer than its budget; `note` replaces it."""
    if len(text) <= budget:
        return text
    head = budget // 2
    tail = budget - head
    filled = note.replace("{cut:,}", f"{len(text) - budget:,}")
    return f"{text[:head]}\n{filled}\n{text[len(text) - tail :] if tail else ''}"
