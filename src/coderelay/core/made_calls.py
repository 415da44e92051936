"""Which calls of a program succeeded before it failed, in words: what was done is not undone.

Calls that failed or were refused are not among them: it may be right to try those again.
"""

from collections import deque

from coderelay.core.json_values import Json, NotJson, dump

_FIRST, _LAST = 4, 4
_ARGUMENTS = 100
_MADE = "It had made these calls, and they succeeded; do not repeat those that change something"


class MadeCalls:
    """Keeps the first calls and the last ones, and how many there were."""

    def __init__(self) -> None:
        self._count = 0
        self._first: list[tuple[str, Json]] = []
        self._last: deque[tuple[str, Json]] = deque(maxlen=_LAST)

    def add(self, name: str, arguments: Json) -> None:
        """A call was made, and succeeded."""
        self._count += 1
        if len(self._first) < _FIRST:
            self._first.append((name, arguments))
        else:
            self._last.append((name, arguments))

    def text(self) -> str:
        """The calls in words, for the model that wrote the program; nothing where there are none.
        It is short, and the same on every replay."""
        if not self._count:
            return ""
        left_out = self._count - len(self._first) - len(self._last)
        shown = [_call(*call) for call in self._first]
        shown += [f"… {left_out:,} more …"] if left_out else []
        shown += [_call(*call) for call in self._last]
        return f"{_MADE}: {', '.join(shown)}."


def _call(name: str, arguments: Json) -> str:
    try:
        text = dump(arguments)
    except NotJson:
        text = "…"
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
    return f"{name[:_ARGUMENTS]}({text if len(text) <= _ARGUMENTS else text[:_ARGUMENTS] + '…'})"
