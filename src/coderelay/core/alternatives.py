"""Writes the choices that a reader has, for error messages and help."""

from collections.abc import Iterable


def alternatives(choices: Iterable[str]) -> str:
    """Return choices as a text: `a`, `a or b`, `a, b or c`."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last
