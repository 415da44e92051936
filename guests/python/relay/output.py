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
_TEXT = (str, type(None))
_format_warning = warnings.formatwarning


class _Sink(io.RawIOBase):
    def __init__(self, level: int, log: Callable[[int, str], None], most: Callable[[], int]):
        self._level = level
        self._log = log
        self._most = most

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        # Cut before it is decoded: a copy of forty megabytes would not fit into the memory.
        self._log(self._level, str(data[: self._most()], "utf-8", "replace"))
        return len(data)


def redirect(log: Callable[[int, str], None], most: Callable[[], int]) -> None:
    """Send `print`, the standard streams and warnings to the host. `most` says how many bytes of
    one message are enough for the host to see that there are too many."""
    stdout = sys.stdout = sys.__stdout__ = _stream(PRINT, log, most)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(STDERR, log, most)  # type: ignore[misc]
    sys.stdin = sys.__stdin__ = io.StringIO()  # type: ignore[assignment, misc]
    warnings.formatwarning = _warning

    def print(
        *values: object,
        sep: str | None = " ",
        end: str | None = "\n",
        file: Any = None,
        flush: bool = False,
    ) -> None:
        # One message per call: the built-in one writes each value by itself. Whatever is unusual is
        # left to it, so that it behaves, and fails, as it always does.
        usual = file is None and type(sep) in _TEXT and type(end) in _TEXT
        if not usual or getattr(sys, "stdout", None) is not stdout or stdout.closed:
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


def _stream(
    level: int, log: Callable[[int, str], None], most: Callable[[], int]
) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        _Sink(level, log, most),  # type: ignore[arg-type]
        encoding="utf-8",
        errors="backslashreplace",
        newline="\n",
        write_through=True,
    )
