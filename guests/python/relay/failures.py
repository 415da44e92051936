"""Why a program failed, in terms of its own lines; ours are not shown."""

import re
import traceback
from asyncio import InvalidStateError, events
from collections.abc import Callable, Iterable
from types import FrameType, FunctionType, TracebackType
from typing import Any

from relay.calls import ToolCall, ToolError, position
from relay.forms import FILE, needed
from relay.pristine import __builtins__  # noqa: F401

_MESSAGE = 4_000
_STACK = 8_000
_name_of = type.__dict__["__name__"].__get__
_trace = BaseException.__dict__["__traceback__"].__get__
_AWAIT = ": was an `await` forgotten?"
_of_coroutine = re.compile(r"(?<!a )\bcoroutine\b").search
HIDDEN = (__file__.removesuffix("relay/failures.py"), events.__file__)


def hide_frames() -> None:
    """Leave our frames out of the stacks that programs print."""
    extract: Callable[..., Any] = traceback.StackSummary._extract_from_extended_frame_gen.__func__  # type: ignore[attr-defined]

    def extract_program_frames(summary: Any, frames: Iterable[Any], **options: Any) -> Any:
        own = (f for f in frames if not f[0].f_code.co_filename.startswith(HIDDEN))
        return extract(summary, own, **options)

    traceback.StackSummary._extract_from_extended_frame_gen = classmethod(extract_program_frames)  # type: ignore[arg-type, attr-defined]


def describe(
    error: BaseException,
    source: str,
    idle: Iterable[ToolCall] = (),
    *,
    file: str = FILE,
    own: Callable[[str], bool] = FILE.__eq__,
) -> dict[str, Any]:
    """A failure as the host takes it. Calls that nothing has awaited may be its cause.

    Its place is the innermost one in `file`; its stack shows the files that are the program's own.
    """
    lines = source.split("\n")
    cause = _leaf(error)
    kind, place = "exception", None
    if isinstance(cause, ToolError):
        kind, place = cause._relay
    elif is_full(cause):
        kind = "memory"
    if place is None:
        place = _place(_trace(cause), file) or _place(_trace(error), file)
    return {
        "kind": kind,
        "name": _name(error),
        "message": shortened(_message(error)) + _forgotten(cause, idle),
        "stack": _stack(error, own),
        **_at(place, lines),
    }


def is_full(error: BaseException) -> bool:
    """Whether it is one for want of memory, and not for nesting too deep."""
    return isinstance(error, MemoryError) and "Parser stack" not in _message(error)


def describe_hidden(error: BaseException, file: str = FILE) -> dict[str, Any]:
    """A failure of which nothing but its type can be told."""
    place = _place(_trace(error), file)
    return {
        "kind": "exception",
        "name": _name(error),
        "message": "(its message cannot be shown)",
        "stack": "",
        "line": place and place[0],
        "column": None,
    }


def describe_syntax(error: BaseException) -> dict[str, Any]:
    """A failure to compile, as the host takes it."""
    line, column = getattr(error, "lineno", None), getattr(error, "offset", None)
    return {
        "kind": "syntax",
        "name": type(error).__name__ if isinstance(error, SyntaxError) else "SyntaxError",
        "message": shortened(str(getattr(error, "msg", None) or error)),
        "stack": "",
        "line": line or None,
        "column": column or None,
    }


def describe_main(main: FunctionType) -> dict[str, Any]:
    """A `main` that cannot be called."""
    return {
        "kind": "exception",
        "name": "TypeError",
        "message": f"main is called without arguments, but this one needs "
        f"{', '.join(needed(main))}: give them defaults, or call it in the program",
        "stack": "",
        "line": main.__code__.co_firstlineno,
        "column": None,
    }


def describe_deadlock(main: Any, source: str, file: str = FILE) -> dict[str, Any]:
    """A program that waits for what can never happen."""
    frame = _waiting(main, file)
    place = position(frame.f_code, frame.f_lasti) if frame else None
    return {
        "kind": "deadlock",
        "name": "DeadlockError",
        "message": "the program waits for something that can never happen: no call, timer or "
        "task is left",
        "stack": "",
        **_at(place, source.split("\n")),
    }


def summary(error: BaseException) -> str:
    """One line for a log."""
    place = _place(_trace(error))
    where = f" (line {place[0]})" if place else ""
    return f"{_name(error)}: {shortened(_message(error))}{where}"


def shortened(message: str) -> str:
    """A message of at most so many characters; one that was cut says so."""
    if len(message) <= _MESSAGE:
        return message
    return f"{message[:_MESSAGE]}… (the first {_MESSAGE:,} of {len(message):,} characters)"


def _name(error: BaseException) -> str:
    return str(_name_of(type(error)))


def _leaf(error: BaseException) -> BaseException:
    """The first error inside a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _message(error: BaseException) -> str:
    try:
        text = str.__str__(str(error))
    except BaseException:
        return "(its message cannot be shown)"
    if isinstance(error, BaseExceptionGroup):
        inner = "; ".join(f"{_name(e)}: {_message(e)}" for e in error.exceptions[:5])
        return f"{text}: {inner}"
    if text.startswith("a coroutine was expected, got <the call"):  # it is a future
        return text + ". For a task of it, use asyncio.create_task(…)"
    if isinstance(error, TypeError | AttributeError) and _of_coroutine(text):
        return text if "not awaited" in text else text + _AWAIT
    return text


def _forgotten(error: BaseException, idle: Iterable[ToolCall]) -> str:
    """The last call that was not awaited: most of Python can only tell its type, or not even it."""
    calls = list(idle)
    misused = isinstance(error, TypeError | ValueError | AttributeError | InvalidStateError)
    if not calls or not misused or "not awaited" in _message(error):
        return ""
    return f". There is {calls[-1].unawaited()}"


def _place(trace: TracebackType | None, file: str = FILE) -> tuple[int, int | None] | None:
    """The innermost place in the program."""
    found = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace
        trace = trace.tb_next
    if found is None:
        return None
    return position(found.tb_frame.f_code, found.tb_lasti) or (found.tb_lineno, None)


def _at(place: tuple[int, int | None] | None, lines: list[str]) -> dict[str, Any]:
    if place is None:
        return {"line": None, "column": None}
    line, column = place
    if column is not None and 0 < line <= len(lines):
        text = lines[line - 1].encode("utf-8", "replace")[:column]
        column = len(text.decode("utf-8", "replace")) + 1
    return {"line": line, "column": column}


def _stack(error: BaseException, own: Callable[[str], bool]) -> str:
    try:
        report = traceback.TracebackException.from_exception(error, limit=-200)
        _hide_our_frames(report, own, set())
        text = "".join(report.format())
    except BaseException:
        return ""
    if len(text) > _STACK:
        half = _STACK // 2
        text = f"{text[:half]}\n  …\n{text[-half:]}"
    return text


def _hide_our_frames(report: Any, own: Callable[[str], bool], seen: set[int]) -> None:
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    if report.stack is not None:
        report.stack[:] = [frame for frame in report.stack if own(frame.filename)]
    for inner in (report.__cause__, report.__context__, *(report.exceptions or ())):
        _hide_our_frames(inner, own, seen)


def _waiting(awaited: Any, file: str) -> FrameType | None:
    """The program's innermost frame that main waits in."""
    found = None
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "ag_frame", None)
        if frame is not None and frame.f_code.co_filename == file:
            found = frame
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "ag_await", None)
    return found
