"""The journal of a run: its n-th entry records the program's n-th call and the result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from coderelay.core.call import Call, Result
from coderelay.core.errors import Diverged
from coderelay.core.json_values import Json, canonical, digest, same

_MAX_CHARACTERS = 200
"""How much of a call's arguments an error message quotes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An answered call.

    If a `digest` of the arguments was recorded, a replayed call is compared with that, because
    some clients drop keys or round big integers when they send arguments back. Without one, the
    arguments are compared as JSON.
    """

    name: str
    arguments: Json
    result: Result
    digest: str | None = None

    def records(self, call: Call) -> bool:
        """Return whether this entry records that call."""
        if call.name != self.name:
            return False
        if self.digest is not None:
            return self.digest == digest(call.arguments)
        return same(call.arguments, self.arguments)


Journal: TypeAlias = Sequence[Entry]
"""The answered calls so far, in call order."""


def check(call: Call, entry: Entry) -> None:
    """Raise `Diverged` unless the entry records this call."""
    if entry.records(call):
        return
    recorded, came = _show(entry.name, entry.arguments), _show(call.name, call.arguments)
    if recorded == came:
        came += " with another digest"
    raise Diverged(
        f"call {call.index} diverged: the journal has {recorded}, the program called {came}",
        index=call.index,
        recorded={"name": entry.name, "arguments": entry.arguments},
        came={"name": call.name, "arguments": call.arguments},
    )


def journal_too_long(made: int, recorded: Entry) -> Diverged:
    """Return the error for a journal that has more entries than the program made calls."""
    return Diverged(
        f"call {made} diverged: the journal has {_show(recorded.name, recorded.arguments)}, "
        f"the program ended after {made} calls",
        index=made,
        recorded={"name": recorded.name, "arguments": recorded.arguments},
        came=None,
    )


def _show(name: str, arguments: Json) -> str:
    text = canonical(arguments)
    if len(text) > _MAX_CHARACTERS:
        text = text[:_MAX_CHARACTERS] + "…"
    return f"{name}({text})"
