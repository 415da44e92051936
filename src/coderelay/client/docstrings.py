"""A function's docstring, Google, NumPy or reST, is the documentation of its tool."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import getdoc
from typing import Any

import docstring_parser


@dataclass(frozen=True, slots=True)
class Documentation:
    """What a docstring says: of the function, of each parameter, and of what it returns."""

    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""


def documentation(function: Callable[..., Any]) -> Documentation:
    """The documentation of a function; a docstring in no known style is all description."""
    text = getdoc(function) or ""
    try:
        parsed = docstring_parser.parse(text)
    except docstring_parser.ParseError:
        return Documentation(text)
    parts = (parsed.short_description, parsed.long_description)
    parameters = {
        parameter.arg_name.lstrip("*"): _line(parameter.description)
        for parameter in parsed.params
        if parameter.description
    }
    returns = parsed.returns.description if parsed.returns else None
    return Documentation("\n\n".join(part for part in parts if part), parameters, _line(returns))


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
