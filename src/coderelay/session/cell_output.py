"""What the model reads of a cell: its output within a budget, and its failure in any case.

Of an output that is too long the head and the tail are shown, and the whole is kept in a file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from coderelay.core import Failure
from coderelay.engines.python.live.interpreter import Cell

BUDGET = 20_000
"""Characters of output, unless the user says otherwise."""

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

Keep: TypeAlias = Callable[[str], str | None]
"""Stores a text as a file and gives its name; None where there is no room for it."""


@dataclass(frozen=True, slots=True)
class CellOutput:
    """The text for the model, and whether it tells of a failure."""

    text: str
    failed: bool = False


def shown(cell: Cell, budget: int, keep: Keep) -> CellOutput:
    """A cell in words: what it printed, its value, why it failed, each where there is one."""
    parts = [part for part in (cell.output.rstrip("\n"), cell.value) if part]
    said = _within("\n".join(parts), budget, keep)
    if cell.failure is None:
        return CellOutput(said or _NOTHING)
    why = failed(cell.failure, alive=cell.alive)
    return CellOutput(f"{said}\n\n{why.text}" if said else why.text, failed=True)


def failed(failure: Failure, *, alive: bool) -> CellOutput:
    """A failure in words."""
    plain = failure.limit or failure.kind == "syntax" or not failure.stack
    told = _plainly(failure) if plain else failure.stack.rstrip("\n")
    text = _middle(told, _FAILURE, "[… {cut:,} characters are left out …]")
    text = f"{text}\n{failure.calls}" if failure.calls else text
    if failure.name == "TypeError" and any(each in failure.message for each in _NOT_AWAITABLE):
        text = f"{text}\n{_NOT_ASYNC}"
    return CellOutput(text if alive else f"{text}\n{RESTARTED}", failed=True)


def _plainly(failure: Failure) -> str:
    what = ": ".join(part for part in (failure.name, failure.message) if part)
    if failure.limit:
        what = f"The code was stopped by a limit ({failure.limit}): {failure.message}"
    if failure.frame:
        return f"{what}\n{failure.frame}"
    return what if failure.line is None else f"{what} (line {failure.line})"


def _within(text: str, budget: int, keep: Keep) -> str:
    if len(text) <= budget:
        return text
    name = keep(text)
    advice = "print less: counts, keys, a few rows"
    if name is not None:
        end = min(len(text), budget)
        advice = f'the whole is in {name}: read on with open("/{name}").read()[{budget // 2}:{end}]'
    note = f"[… {{cut:,}} of {len(text):,} characters are left out here; {advice} …]"
    return _middle(text, budget, note)


def _middle(text: str, budget: int, note: str) -> str:
    """The text with what is over its budget taken out of the middle."""
    if len(text) <= budget:
        return text
    head = budget // 2
    tail = budget - head
    told = note.replace("{cut:,}", f"{len(text) - budget:,}")
    return f"{text[:head]}\n{told}\n{text[len(text) - tail :] if tail else ''}"
