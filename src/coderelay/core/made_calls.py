"""Tells the model which calls of a failed program had already succeeded.

A model that repairs its program must not repeat calls that changed something. Calls that failed or
were refused are left out, because it may be right to try those again.
"""

from collections import deque

from coderelay.core.json_values import Json, NotJson, dump

_FIRST, _LAST = 4, 4
_ARGUMENTS = 100
_MADE = "It had made these calls, and they succeeded; do not repeat those that change something"


class MadeCalls:
    """Counts the calls that succeeded, and remembers the first and the last ones."""

    def __init__(self) -> None:
        self._count = 0
        self._first: list[tuple[str, Json]] = []
        self._last: deque[tuple[str, Json]] = deque(maxlen=_LAST)

    def add(self, name: str, arguments: Json) -> None:
        """Record a call that succeeded."""
        self._count += 1
        if len(self._first) < _FIRST:
            self._first.append((name, arguments))
        else:
            self._last.append((name, arguments))

    def text(self) -> str:
        """Return a short text about the calls, for the model that wrote the program, or an empty
        text if there are none. It is the same on every replay."""
        if not self._count:
            return ""
        left_out = self._count - len(self._first) - len(self._last)
        parts = [_call(*call) for call in self._first]
        parts += [f"… {left_out:,} more …"] if left_out else []
        parts += [_call(*call) for call in self._last]
        return f"{_MADE}: {', '.join(parts)}."


def _call(name: str, arguments: Json) -> str:
    try:
        text = dump(arguments)
    except NotJson:
        text = "…"
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
    return f"{name[:_ARGUMENTS]}({text if len(text) <= _ARGUMENTS else text[:_ARGUMENTS] + '…'})"
