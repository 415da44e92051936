"""The host's own functions: a program calls them as it calls tools, and no client hears of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from coderelay.core import Json, ToolName
from coderelay.declare.argument_errors import Describer
from coderelay.declare.languages import find
from coderelay.declare.tool_names import STYLES, Claims
from coderelay.declare.tool_search import MAX_QUERY
from coderelay.declare.validation import SchemaCompiler, Walk

FOUND = 10
"""How many tools a search finds that does not say how many it wants."""

_MOST_FOUND = 50
_NAME = 1_000
_REASONS = 3
_DRAFT = 2020
_STEPS = 1_000_000
"""More than these schemas can take with arguments of any size."""


class HostFunction:
    """A function, and how each language declares it."""

    def __init__(
        self,
        words: tuple[str, ...],
        parameters: Mapping[str, Mapping[str, Any]],
        declared: Mapping[str, str],
    ) -> None:
        self.declared = declared
        self.parameters = tuple(parameters)
        self._words = words
        schema = {
            "properties": dict(parameters),
            "required": [self.parameters[0]],
            "additionalProperties": False,
        }
        self._compiled = SchemaCompiler(schema, _DRAFT)

    def identifiers(self, language: str) -> tuple[str, ...]:
        """Its names in a program, as of a tool: the language's own first."""
        styles = [STYLES[language], *STYLES.values()]
        return tuple(dict.fromkeys(style.join(self._words) for style in styles))

    def named(self, arguments: Json) -> dict[str, Json] | None:
        """The arguments under their names, for a language that gives them one after another; null
        is as good as nothing. None where there are too many."""
        if not isinstance(arguments, dict):
            several = arguments if isinstance(arguments, list) else [arguments]
            if len(several) > len(self.parameters):
                return None
            arguments = dict(zip(self.parameters, several, strict=False))
        return {name: value for name, value in arguments.items() if value is not None}

    def misfit(self, arguments: dict[str, Json] | None, language: str) -> str | None:
        """What is wrong with arguments, if anything is."""
        if arguments is None:
            reasons = [f"it takes no more than {len(self.parameters)} arguments"]
        else:
            errors = Walk(_STEPS).errors(self._compiled.root, arguments, ())
            found = Describer(find(language).wording).misfits(errors, _REASONS)
            if not found:
                return None
            reasons = [each.reason for each in found]
        expected = self._signature(language)
        return f"{self.identifiers(language)[0]}: {'; '.join(reasons)}\nexpected: {expected}"

    def _signature(self, language: str) -> str:
        text = self.declared[language]
        start = text.index(f"{self.identifiers(language)[0]}(")
        return text[start : text.index(")", start) + 1]


SEARCH = HostFunction(
    ("search", "tools"),
    {
        "query": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY},
        "limit": {"type": "integer", "minimum": 1, "maximum": _MOST_FOUND},
    },
    {
        "typescript": f"""\
/** The tools that fit some words best: {FOUND} of them, or as many as you say, up to \
{_MOST_FOUND}. */
declare function searchTools(query: string, limit?: number): \
Promise<{{ name: string; signature: string; description: string }}[]>;""",
        "python": f'''\
async def search_tools(query: str, limit: int = {FOUND}) -> list[dict[str, str]]:
    """The tools that fit some words best, up to {_MOST_FOUND}: name, signature, description."""''',
    },
)
DESCRIBE = HostFunction(
    ("describe", "tool"),
    {"name": {"type": "string", "minLength": 1, "maxLength": _NAME}},
    {
        "typescript": """\
/** The whole declaration of the tool of this name. */
declare function describeTool(name: string): Promise<string>;""",
        "python": '''\
async def describe_tool(name: str) -> str:
    """The whole declaration of the tool of this name."""''',
    },
)
OWN = (SEARCH, DESCRIBE)


@dataclass(frozen=True, slots=True)
class Bound:
    """One of the functions, under the names that a program reaches it by."""

    own: HostFunction
    name: ToolName


def bind(names: Iterable[ToolName], language: str) -> dict[str, Bound]:
    """The functions by names that none of these tools has on the wire. In a program their names
    are reserved: a tool that is called like one of them has another name there.
    """
    claims = Claims(each for name in names for each in (name.name, *name.identifiers))
    bound = {}
    for own in OWN:
        identifiers = own.identifiers(language)
        name = claims.claim(identifiers[0])
        bound[name] = Bound(own, ToolName(name, identifiers, own.parameters))
    return bound
