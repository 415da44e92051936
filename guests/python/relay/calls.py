"""A call leaves the guest when it is made; what it returns must be awaited."""

import inspect
import sys
from asyncio import Future
from collections.abc import Callable, Generator, Sequence
from types import CodeType
from typing import Any

from relay.forms import FILE
from relay.pristine import __builtins__  # noqa: F401
from relay.values import NoForm, encode

_getframe = sys._getframe
_coroutine = inspect._is_coroutine_mark  # type: ignore[attr-defined]
_await, _add_done_callback = Future.__await__, Future.add_done_callback
_MISUSES = (
    "abs add aenter aexit aiter and anext call contains delitem divmod enter exit float floordiv "
    "format ge getitem gt index int iter le len lt matmul mod mul neg or pos pow radd rand "
    "reversed rfloordiv rmod rmul ror rsub rtruediv setitem str sub truediv xor bool"
)
_VALUES = (str, int, float, complex, bytes, list, dict, tuple, set, frozenset, type(None))


class ToolError(Exception):
    """A tool failed: `tool` is its name, `message` what it said."""

    def __init__(self, message: str = "", tool: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.tool = tool

    __module__ = "builtins"  # shown without a module
    _relay: Any = ("exception", None)


def tool_error(error: list[str], tool: str, place: Any) -> ToolError:
    """The exception that a call failed with, as the host told it."""
    kind, name, message = error
    made = (
        ToolError if name == "ToolError" else type(name, (ToolError,), {"__module__": "builtins"})
    )
    failure = made(message, tool)
    failure._relay = (kind, place)
    return failure  # type: ignore[no-any-return]


class ToolCall(Future[Any]):
    """A call under way. Using it as if it were the result says which call was not awaited."""

    __slots__ = ("_idle", "_place", "_tool")

    def unawaited(self) -> str:
        """What is wrong with using this call as a value."""
        return f"{self._describe()}, which was not awaited: write `await {self._tool}(…)`"

    def _describe(self) -> str:
        place = place_of(self)
        return f"the call {self._tool}(…)" + (f" on line {place[0]}" if place else "")

    def _seen(self) -> None:
        """Something waits for this call."""
        self._idle.pop(self, None)

    def __await__(self) -> Generator[Any, None, Any]:
        self._seen()
        return _await(self)

    def add_done_callback(self, callback: Callable[..., Any], *, context: Any = None) -> None:
        """As in any future: `asyncio.gather` and its like wait in this way."""
        self._seen()
        _add_done_callback(self, callback, context=context)

    def __repr__(self) -> str:
        return f"<{self.unawaited()}>"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"this is {self.unawaited()}", name=name, obj=None)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _VALUES):
            raise TypeError(f"this is {self.unawaited()}")
        return self is other

    __hash__ = Future.__hash__


def _misused(self: ToolCall, *args: object) -> Any:
    raise TypeError(f"this is {self.unawaited()}")


ToolCall.__name__ = ToolCall.__qualname__ = "UnawaitedToolCall"  # others' messages name the type
for _name in _MISUSES.split():
    setattr(ToolCall, f"__{_name}__", _misused)


class Calls:
    """Makes tools, and keeps the calls that wait."""

    def __init__(self, tell: Callable[[str, str], int], loop: Any, limit: int) -> None:
        self._tell = tell
        self._loop = loop
        self._limit = limit
        self.waiting: dict[int, ToolCall] = {}
        self.idle: dict[ToolCall, None] = {}
        """The calls that nothing has awaited, in call order."""
        self.over = False

    def tool(self, name: str, identifier: str, parameters: Sequence[str]) -> Callable[..., Any]:
        """The function that calls a tool."""

        def tool(*args: Any, **kwargs: Any) -> ToolCall:
            if args:
                kwargs = _named(args, kwargs, identifier, parameters)
            return self._call(name, identifier, kwargs)

        tool.__name__ = tool.__qualname__ = identifier
        tool._is_coroutine_marker = _coroutine  # type: ignore[attr-defined]
        return tool

    def settle(self, index: int, error: Any, value: Any) -> None:
        """Deliver one result."""
        call = self.waiting.pop(index, None)
        if call is None or call.done():
            return
        if not error:
            call.set_result(value)
            return
        call.set_exception(tool_error(value, call._tool, place_of(call)))

    def never_awaited(self) -> list[str]:
        """What to say of the calls that nothing awaited, once for each place in the program. Those
        that failed say so themselves when they are dropped."""
        idle = {
            call._place: call for call in self.idle if not (call.cancelled() or call._exception)
        }
        self.idle.clear()
        return [f"{call._describe()} was never awaited" for call in idle.values()]

    def _call(self, name: str, identifier: str, arguments: dict[str, Any]) -> ToolCall:
        if self.over:
            raise RuntimeError("the program is over")
        try:
            text = encode(arguments, "", self._limit)
        except NoForm as error:
            raise TypeError(f"{identifier}(): argument {error}") from None
        call = ToolCall(loop=self._loop)
        call._tool = identifier  # type: ignore[attr-defined]
        call._place = _caller()  # type: ignore[attr-defined]
        call._idle = self.idle  # type: ignore[attr-defined]
        self.idle[call] = None
        self.waiting[self._tell(name, text)] = call
        return call


def place_of(call: ToolCall) -> tuple[int, int | None] | None:
    """The line and column (counted in bytes, from 0) where a call was made."""
    if call._place is None:
        return None
    code, instruction = call._place
    return position(code, instruction)


def position(code: CodeType, instruction: int) -> tuple[int, int | None] | None:
    """The line and column of an instruction."""
    for number, (line, _, column, _) in enumerate(code.co_positions()):
        if number == instruction // 2 and line is not None:
            return line, column
    return None


def _caller() -> tuple[CodeType, int] | None:
    frame = _getframe(3)
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            return frame.f_code, frame.f_lasti
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _named(
    args: tuple[Any, ...], kwargs: dict[str, Any], identifier: str, parameters: Sequence[str]
) -> dict[str, Any]:
    """Give positional arguments their names, in schema order."""
    if len(args) > len(parameters):
        known = ", ".join(parameters) or "none"
        raise TypeError(
            f"{identifier}() takes {len(parameters)} positional arguments ({known}), "
            f"but {len(args)} were given"
        )
    named = dict(zip(parameters, args, strict=False))
    for name in named:
        if name in kwargs:
            raise TypeError(f"{identifier}() got two values for its argument {name!r}")
    return named | kwargs
