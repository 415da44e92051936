"""What a program writes leaves the guest as it is written, so that no trap can lose it."""

import builtins
import io
import sys
import warnings
from collections.abc import Callable
from typing import Any

from relay.forms import CELL, FILE
from relay.pristine import __builtins__  # noqa: F401

PRINT, STDERR, WARNING = 0, 1, 2
_print = builtins.print
_format_warning = warnings.formatwarning


class _Sink(io.RawIOBase):
    def __init__(self, level: int, log: Callable[[int, str], None]) -> None:
        self._level = level
        self._log = log

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._log(self._level, str(data, "utf-8", "replace"))
        return len(data)


def redirect(log: Callable[[int, str], None]) -> None:
    """Send `print`, the standard streams and warnings to the host."""
    stdout = sys.stdout = sys.__stdout__ = _stream(PRINT, log)
    sys.stderr = sys.__stderr__ = _stream(STDERR, log)
    sys.stdin = sys.__stdin__ = io.StringIO()
    warnings.formatwarning = _warning

    def print(
        *values: object,
        sep: str | None = " ",
        end: str | None = "\n",
        file: Any = None,
        flush: bool = False,
    ) -> None:
        # One message per call: the built-in one writes each value by itself.
        if file is not None or sys.stdout is not stdout:
            _print(*values, sep=sep, end=end, file=file, flush=flush)
            return
        text = (" " if sep is None else sep).join([str(value) for value in values])
        log(PRINT, text + ("\n" if end is None else end))

    print.__doc__ = _print.__doc__
    print.__module__ = "builtins"
    print.__qualname__ = "print"
    builtins.print = print


def safe(text: str) -> str:
    """Text that has a UTF-8 form: lone surrogates are shown as their escapes."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()


def _warning(
    message: Any, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """A warning with its place, if that is in the program."""
    if filename != FILE and not filename.startswith(CELL):
        return f"{message}\n"
    return _format_warning(message, category, filename, lineno, line)


def _stream(level: int, log: Callable[[int, str], None]) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        _Sink(level, log),
        encoding="utf-8",
        errors="backslashreplace",
        newline="\n",
        write_through=True,
    )
