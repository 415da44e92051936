"""A session: cell after cell in one interpreter, whose names stay.

Calls are answered by the host before `invoke` returns, so nothing here is ever suspended.
"""

import asyncio
import builtins
import gc
import io
import linecache
import os
import random
import sys
from asyncio import events
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol

from relay import failures, jsontext, output
from relay.calls import ToolError, tool_error
from relay.forms import CELL, compiled, is_async
from relay.host_modules import HostModules, linecache_entry
from relay.liveloop import Deadlock, LiveLoop
from relay.pristine import __builtins__  # noqa: F401
from relay.values import NoForm, encode

_set_running_loop = events._set_running_loop
_set_asyncgen_hooks = sys.set_asyncgen_hooks
_modules = sys.modules
_lines = linecache.cache
_exit = SystemExit
_REFUSED = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_LIBRARY = (*failures.HIDDEN, linecache.__file__.removesuffix("linecache.py"))
_ROOT = "/"
_AT_ONCE = 1 << 17
_RESERVE = 4 << 20
_NOTHING = io.BytesIO()
_system_chdir, _system_pwrite, _working, _path = os.chdir, os.pwrite, os.getcwd, os.fspath
_join, _normal = os.path.join, os.path.normpath
_CUT = "\n… {} characters left out …\n"


class Host(Protocol):
    """The host's functions."""

    complete: Callable[[str], None]
    fail: Callable[[str], None]
    wait: Callable[[int], int]
    invoke: Callable[[str], str]


class OutputLimit(BaseException):
    """The cell may print no more. Not an `Exception`: a cell that catches those is over too."""

    __module__ = "builtins"


OutputLimit.__name__ = OutputLimit.__qualname__ = "LimitError"


class LiveSession:
    """The names, the event loop and the modules of one session."""

    def __init__(self, host: Host, tell: Callable[[int, str], None], setup: dict[str, Any]) -> None:
        self._host = host
        self._tell = tell
        self._setup = setup
        self._left = 0
        self._reserve = _reserved()
        """Given up when memory has run out, so that a cell can free some."""
        self._main: Any = None
        self._loop = LiveLoop(host.wait, self._warn)
        self._names: dict[str, Any] = {}

    def open(self) -> None:
        """Make the interpreter ready for cells."""
        program, tools = ModuleType("__main__"), ModuleType("tools", "The tools.")
        _modules["__main__"], _modules["tools"] = program, tools
        names = self._names = program.__dict__
        names["__builtins__"] = builtins
        names["asyncio"] = asyncio
        names["ToolError"] = tools.ToolError = ToolError  # type: ignore[attr-defined]
        host_modules = HostModules(
            self._setup["modules"], {"__invoke__": self.invoke, "ToolError": ToolError}
        )
        sys.meta_path.insert(0, host_modules)
        sys.path[:] = [_ROOT]
        sys.dont_write_bytecode = True
        builtins.help = _help  # type: ignore[assignment]
        os.chdir, os.pwrite = _chdir, _pwrite
        random.seed(int(self._setup["seed"], 16))
        gc.enable()

    def cell(self, number: str, source: str) -> None:
        """Run one cell, and tell its value or its failure."""
        file = f"{CELL}{number}>"
        _lines[file] = linecache_entry(source, file)
        self._left = self._setup["output"]
        try:
            parts = compiled(source, file, awaited=False)
        except _REFUSED as error:
            self._refused(error, source, file)
            return
        try:
            self._host.complete(self._value_text(self._run(parts)))
            if self._reserve is None:
                self._reserve = _reserved()
        except BaseException as error:
            self._raised(error, source, file)

    def invoke(self, calls: Iterable[tuple[str, Any]]) -> list[Any]:
        """Make calls, all at once, and wait for their results: values, and `ToolError`s."""
        names, lines, limit, left = [], [], self._setup["arguments"], self._setup["batch"]  # type: ignore[var-annotated]
        for name, arguments in calls:
            try:
                text = encode(arguments, "", limit)
            except NoForm as error:
                raise TypeError(f"{name}(): argument {error}") from None
            if len(text) > limit:
                raise ValueError(f"the arguments of {name} are over {limit} bytes: pass less")
            names.append(name)
            lines += jsontext.write(name), text
            left -= len(text)
            if left < 0:
                raise ValueError(
                    "the arguments of all these calls are too long: use smaller groups"
                )
        if not names:
            return []
        answer = self._host.invoke("\n".join(lines))
        if answer.startswith("!"):
            raise RuntimeError(answer[1:])
        return [
            tool_error(value, name, None) if error else value
            for name, (_, error, value) in zip(names, jsontext.read(answer), strict=True)
        ]

    def tell(self, level: int, text: str) -> None:
        """Tell output, within the cell's limit. The host counts for itself, in bytes as well."""
        self._left -= len(text) if text.isascii() else len(text.encode())
        self._tell(level, text)
        if self._left < 0:
            raise OutputLimit

    def run_nested(self, main: Any) -> Any:
        """What `asyncio.run` does."""
        return self._loop.run_nested(main)

    def _run(self, parts: tuple[CodeType, ...]) -> Any:
        loop, value = self._loop, None
        _set_running_loop(loop)
        _set_asyncgen_hooks(loop._asyncgen_firstiter_hook, loop._asyncgen_finalizer_hook)  # type: ignore[attr-defined]
        for code in parts:
            value = FunctionType(code, self._names)()
            if is_async(code):
                self._main = value
                value = loop.run_nested(value)
        return value

    def _value_text(self, value: Any) -> str:
        """The value as a notebook shows it; nothing for None."""
        if value is None:
            return ""
        self._names["_"] = value
        text, limit = str.__str__(repr(value)), self._setup["value"]
        if len(text) > limit:
            half = limit // 2
            text = text[:half] + _CUT.format(len(text) - 2 * half) + text[-half:]
        return output.safe(text)

    def _refused(self, error: BaseException, source: str, file: str) -> None:
        if isinstance(error, MemoryError):
            self._reserve = None
        if failures.is_full(error):
            self._raised(error, source, file)
        else:
            self._fail(failures.describe_syntax(error))

    def _raised(self, error: BaseException, source: str, file: str) -> None:
        if isinstance(error, MemoryError):
            self._reserve = None
        if type(error) is _exit and not error.code:
            self._host.complete("")
            return
        try:
            if isinstance(error, Deadlock):
                failure = failures.describe_deadlock(self._main, source, file)
            else:
                failure = failures.describe(error, source, file=file, own=_is_own)
        except BaseException:  # an error that does not let itself be looked at
            failure = failures.describe_hidden(error, file)
        self._fail(failure)

    def _fail(self, failure: dict[str, Any]) -> None:
        self._host.fail(jsontext.write(failure))

    def _warn(self, message: str, error: BaseException | None) -> None:
        text = f"{message}: {failures.summary(error)}" if error is not None else message
        self._tell(output.WARNING, output.safe(text) + "\n")


def _reserved() -> object | None:
    """Memory that is taken and not touched, if there is any."""
    try:
        return io.BufferedReader(_NOTHING, _RESERVE)
    except MemoryError:
        return None


def _is_own(file: str) -> bool:
    """Whether a file is a cell, or a module that the session's program wrote."""
    return file.startswith(CELL) or (file.startswith(_ROOT) and not file.startswith(_LIBRARY))


def _chdir(path: Any) -> None:
    """Change the working directory. WASI's own way leaves `..` in its name."""
    _system_chdir(_normal(_join(_working(), _path(path))))


def _pwrite(fd: int, data: Any, offset: int, /) -> int:
    """Write at an offset, as much as goes to the host at once."""
    return _system_pwrite(fd, memoryview(data)[:_AT_ONCE], offset)


def _help(*request: Any) -> Any:
    """Show the documentation of an object."""
    import pydoc

    return pydoc.help(*request)


_help.__name__ = _help.__qualname__ = "help"
