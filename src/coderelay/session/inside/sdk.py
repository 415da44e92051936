"""Your tools, as functions: sdk.get_weather(city="Paris").

search(query)      the tools that fit some words, best first: sdk.search("weather forecast")
help(sdk.NAME)     a tool's arguments, answer and types
dir(sdk)           the names of all tools; the file sdk.py holds their declarations as text
gather(...)        several calls at once:
                   a, b = sdk.gather(sdk.NAME.later(city="Paris"), sdk.NAME.later(city="Rome"))
ToolError          raised by a tool that failed: error.message, error.tool
ArgumentsError     raised where arguments do not fit, with what to change; a ToolError too
"""

import linecache as _linecache
from collections.abc import Callable as _Callable
from collections.abc import Iterable as _Iterable
from typing import Any

__invoke__: _Callable[[list[tuple[str, Any]]], list[Any]]
ToolError: Any
_invoke = __invoke__
del __invoke__

_OWN = ["ArgumentsError", "ToolError", "gather", "search"]
_AT_ONCE = 64
_names: list[str] = []
_tools: dict[str, _Callable[..., Any]] = {}
_space: dict[str, Any] = {"__name__": "sdk"}
exec("from typing import Any, Literal, Never, NotRequired, TypeAlias, TypedDict, Unpack", _space)


class ArgumentsError(ToolError):  # type: ignore[misc]
    """The arguments do not fit the tool; the message says what to change."""


class Found(list[dict[str, str]]):
    """What a search found: for each tool `name`, `signature` and `description`."""

    def __repr__(self) -> str:
        return "\n".join(f"{each['signature']}\n    {each['description']}" for each in self) or "[]"


class Later:
    """A call that is not made yet; `sdk.gather` makes it."""

    def __init__(self, name: str, arguments: dict[str, Any]) -> None:
        self.name = name
        self.arguments = arguments

    def __repr__(self) -> str:
        return f"<sdk.{self.name}.later(...) is not called yet: give it to sdk.gather(...)>"


def search(query: str, limit: int = 10) -> Found:
    """The tools that fit the words of a query, best first."""
    return Found(_call("sdk.search", {"query": query, "limit": limit}))


search_tools = search  # its name in programs of the gateway


def gather(*calls: Any, return_errors: bool = False) -> list[Any]:
    """Make several calls at once, and return their answers in order.

    Each is made with `later`: sdk.gather(sdk.add.later(a=1), sdk.add.later(a=2)); one list of
    them will do as well. All are made, whatever comes of them. Then the first error is raised,
    or, with return_errors=True, each error stands in its answer's place.
    """
    if len(calls) == 1 and not isinstance(calls[0], Later) and isinstance(calls[0], _Iterable):
        calls = tuple(calls[0])
    for call in calls:
        if not isinstance(call, Later):
            raise TypeError(
                f"gather takes calls that are not made yet, and not {type(call).__name__}: "
                "write sdk.gather(sdk.NAME.later(argument=value), ...)"
            )
    requests = [(call.name, call.arguments) for call in calls]
    answers: list[Any] = []
    for start in range(0, len(requests), _AT_ONCE):
        answers += map(_typed, _invoke(requests[start : start + _AT_ONCE]))
    if not return_errors:
        for answer in answers:
            if isinstance(answer, ToolError):
                raise answer from None
    return answers


def _call(name: str, arguments: Any) -> Any:
    [answer] = _invoke([(name, arguments)])
    if isinstance(answer, ToolError):
        raise _typed(answer) from None
    return answer


def _typed(answer: Any) -> Any:
    """Return an answer; if it is an error, with a class that the program can catch by its name.

    The host makes a new class for each error, such as `LookupError`, which is not Python's own and
    would not be caught by `except LookupError`. So a traceback names it `sdk.ToolError (…)`.
    """
    if isinstance(answer, ToolError) and type(answer) is not ToolError:
        kind = type(answer)
        if kind.__name__ == "ArgumentsError":
            answer.__class__ = ArgumentsError
        else:
            kind.__module__, kind.__qualname__ = "sdk", f"ToolError ({kind.__name__})"
    return answer


def _named(name: str, parameters: list[str], args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return all arguments by name, without those that are `...`, the default in declarations."""
    if len(args) > len(parameters):
        known = ", ".join(parameters) or "none"
        raise TypeError(f"{name}() takes {len(parameters)} arguments ({known}), not {len(args)}")
    named = dict(zip(parameters, args, strict=False))
    for each in named:
        if each in kwargs:
            raise TypeError(f"{name}() got two values for its argument {each!r}")
    return {key: value for key, value in (named | kwargs).items() if value is not ...}


def _function(source: dict[str, Any]) -> _Callable[..., Any]:
    """Return the function of a tool. Its stub is never called; `help` and `inspect` read it."""
    name, parameters = source["name"], source["parameters"]
    types = "\n\n".join(source["types"])
    text = f"{types}\n\n{source['stub']}" if types else source["stub"]
    file = f"<sdk.{name}>"
    _linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    _define(source["types"])
    line = text.count("\n") - source["stub"].count("\n")
    exec(compile("\n" * line + source["stub"], file, "exec"), _space)
    stub = _space[name]

    def tool(*args: Any, **kwargs: Any) -> Any:
        return _call(name, _named(name, parameters, args, kwargs))

    def later(*args: Any, **kwargs: Any) -> Later:
        return Later(name, _named(name, parameters, args, kwargs))

    tool.__name__ = tool.__qualname__ = name
    about = [part for part in (stub.__doc__, types and f"Types:\n{types}") if part]
    tool.__doc__ = "\n\n".join(about) or None
    tool.__annotate__ = stub.__annotate__  # type: ignore[attr-defined]
    tool.__wrapped__ = stub  # type: ignore[attr-defined]
    tool.later = later  # type: ignore[attr-defined]
    return tool


def _define(types: list[str]) -> None:
    """Define the types of a tool, in any order in which each finds those that it refers to.

    Types that refer to themselves or to each other stay undefined, and are only text in `help`.
    """
    pending = types
    for _ in types:
        left = []
        for each in pending:
            try:
                exec(each, _space)
            except Exception:
                left.append(each)
        if len(left) in (0, len(pending)):
            return
        pending = left


def _load(names: list[str]) -> None:
    missing = [name for name in names if name not in _tools]
    for source in _call("sdk.source", {"names": missing}) if missing else ():
        function = _tools.get(source["name"]) or _function(source)
        for name in (source["name"], *source["aliases"]):
            _tools[name] = function


def _all() -> list[str]:
    if not _names:
        _names.extend(_call("sdk.names", {}))
    return _names


def __getattr__(name: str) -> Any:
    if name == "__all__":
        _load(_all())
        return ["gather", "search", *_all()]
    if not name.startswith("__"):
        try:
            _load([name])
            return _tools[name]
        except ToolError as error:
            if name in _space:  # a type of a tool's
                return _space[name]
            raise AttributeError(f"{error.message}; sdk.search(...) finds more") from None
    raise AttributeError(f"module 'sdk' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*_OWN, *_all(), "__doc__", "__name__"})
