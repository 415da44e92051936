"""A local tool is a function with a declaration, made from its type hints and its docstring."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar, overload

from coderelay.client.signature import Signature, documentation, signature
from coderelay.core import InvalidTool, Tool

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class LocalTool(Generic[P, R]):
    """A tool that is a function in this process. It can still be called like the function."""

    declaration: Tool
    function: Callable[P, R]
    signature: Signature

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself. Arguments are not validated, and exceptions are raised."""
        return self.function(*args, **kwargs)


AnyLocalTool = LocalTool[..., Any]


@overload
def tool(function: Callable[P, R], /) -> LocalTool[P, R]: ...


@overload
def tool(
    *, name: str | None = None, description: str | None = None
) -> Callable[[Callable[P, R]], LocalTool[P, R]]: ...


def tool(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
) -> LocalTool[P, R] | Callable[[Callable[P, R]], LocalTool[P, R]]:
    """Make a tool of a plain or async function, with `@tool` or `@tool(name=…, description=…)`.

    Raises `InvalidTool` for a type hint that has no JSON form.
    """

    def make(function: Callable[P, R]) -> LocalTool[P, R]:
        return _local_tool(function, name or _name(function), description)

    return make if function is None else make(function)


def _local_tool(function: Callable[P, R], name: str, description: str | None) -> LocalTool[P, R]:
    documented = documentation(function)
    made = signature(function, name, documented)
    declaration = Tool(
        name,
        documented.description if description is None else description,
        made.parameters_schema(),
        made.returns_schema(documented.returns),
    )
    return LocalTool(declaration, function, made)


def _name(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or not name.isidentifier():
        raise InvalidTool(f"{function!r} has no name to go by: use tool(name=…)")
    return name
