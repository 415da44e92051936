"""The host's own functions: programs call them as they call tools, and the host answers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from coderelay.core import Json, ToolName
from coderelay.declare.argument_errors import Describer
from coderelay.declare.tool_search import MAX_QUERY
from coderelay.languages.language import MOST_TOOLS_FOUND, Language
from coderelay.languages.naming import Claims, camel, snake
from coderelay.schemas.validation import SchemaCompiler, Walk

_NAME = 1_000
_REASONS = 3
_DRAFT = 2020
_STEPS = 1_000_000
"""More steps than these schemas can take, with arguments of any size."""


class HostFunction:
    """A function of the host. `declaration` gets its declaration from a language."""

    def __init__(
        self,
        words: tuple[str, ...],
        parameters: Mapping[str, Mapping[str, Any]],
        declaration: Callable[[Language], str],
    ) -> None:
        self.declaration = declaration
        self.parameters = tuple(parameters)
        self._words = words
        schema = {
            "properties": dict(parameters),
            "required": [self.parameters[0]],
            "additionalProperties": False,
        }
        self._compiled = SchemaCompiler(schema, _DRAFT)

    def identifiers(self, language: Language) -> tuple[str, ...]:
        """Its names in a program: in the language's style first, then in the usual ones, because
        models mix them up."""
        styles = (language.naming.join, camel, snake)
        return tuple(dict.fromkeys(join(self._words) for join in styles))

    def named(self, arguments: Json) -> dict[str, Json] | None:
        """The arguments by name, also where a program passed them by position; None where there
        are too many. An argument that is null counts as left out."""
        if not isinstance(arguments, dict):
            several = arguments if isinstance(arguments, list) else [arguments]
            if len(several) > len(self.parameters):
                return None
            arguments = dict(zip(self.parameters, several, strict=False))
        return {name: value for name, value in arguments.items() if value is not None}

    def find_error(self, arguments: dict[str, Json] | None, language: Language) -> str | None:
        """What is wrong with the arguments, or None where they are right."""
        if arguments is None:
            reasons = [f"it takes no more than {len(self.parameters)} arguments"]
        else:
            errors = Walk(_STEPS).errors(self._compiled.root, arguments, ())
            found = Describer(language.wording).reasons(errors, _REASONS)
            if not found:
                return None
            reasons = [each.reason for each in found]
        expected = self._signature(language)
        return f"{self.identifiers(language)[0]}: {'; '.join(reasons)}\nexpected: {expected}"

    def _signature(self, language: Language) -> str:
        """The part of the declaration from the name to the end of the parameters."""
        text = self.declaration(language)
        start = text.index(f"{self.identifiers(language)[0]}(")
        return text[start : text.index(")", start) + 1]


SEARCH = HostFunction(
    ("search", "tools"),
    {
        "query": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY},
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST_TOOLS_FOUND},
    },
    lambda language: language.guide.search_tools,
)
DESCRIBE = HostFunction(
    ("describe", "tool"),
    {"name": {"type": "string", "minLength": 1, "maxLength": _NAME}},
    lambda language: language.guide.describe_tool,
)
HOST_FUNCTIONS = (SEARCH, DESCRIBE)


@dataclass(frozen=True, slots=True)
class BoundFunction:
    """A host function, and the names by which a program reaches it."""

    function: HostFunction
    name: ToolName


def bind(names: Iterable[ToolName], language: Language) -> dict[str, BoundFunction]:
    """The host functions by wire names that none of these tools has.

    Their names in a program are reserved, so a tool with such a name gets another one there.
    """
    claims = Claims(each for name in names for each in (name.name, *name.identifiers))
    bound = {}
    for function in HOST_FUNCTIONS:
        identifiers = function.identifiers(language)
        name = claims.claim(identifiers[0])
        bound[name] = BoundFunction(function, ToolName(name, identifiers, function.parameters))
    return bound
