"""The n-th call is the n-th entry."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from coderelay.core.call import Call, Result
from coderelay.core.errors import Diverged
from coderelay.core.json_values import Json, canonical, digest, same

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One answered call. Where a `digest` of the arguments was recorded, it decides, because
    clients drop keys and round big integers; otherwise the arguments are compared as JSON."""

    name: str
    arguments: Json
    result: Result
    digest: str | None = None

    def records(self, call: Call) -> bool:
        """Whether this entry is the record of that call."""
        if call.name != self.name:
            return False
        if self.digest is not None:
            return self.digest == digest(call.arguments)
        return same(call.arguments, self.arguments)


Journal: TypeAlias = Sequence[Entry]
"""The answered calls so far, in call order."""


def check(call: Call, entry: Entry) -> None:
    """Raise `Diverged`, and say how, unless the entry is the record of this call."""
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


def ended_early(made: int, recorded: Entry) -> Diverged:
    """The error for a journal that goes on after the program has ended."""
    return Diverged(
        f"call {made} diverged: the journal has {_show(recorded.name, recorded.arguments)}, "
        f"the program ended after {made} calls",
        index=made,
        recorded={"name": recorded.name, "arguments": recorded.arguments},
        came=None,
    )


def _show(name: str, arguments: Json) -> str:
    text = canonical(arguments)
    return f"{name}({text if len(text) <= _SHOWN else text[:_SHOWN] + '…'})"
