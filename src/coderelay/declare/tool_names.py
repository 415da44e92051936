"""Every tool has a name in a program, and no name is shared.

Names are given in tool order, so a tool that is added at the end renames none before it.
"""

from collections.abc import Iterable, Sequence

from coderelay.core import Tool, ToolName
from coderelay.languages.language_registry import find_language
from coderelay.languages.naming import Claims, NamingStyle
from coderelay.schemas.schema_reader import property_names


def names(
    tools: Sequence[Tool], language: str, *, taken: Iterable[str] = ()
) -> tuple[ToolName, ...]:
    """How a program in a language reaches each tool, in tool order. No tool gets a name that is
    already `taken`."""
    style = find_language(language).naming
    claims = Claims(style.reserved.union(taken), number=style.number)
    return tuple(_name(tool, style, claims) for tool in tools)


def _name(tool: Tool, style: NamingStyle, claims: Claims) -> ToolName:
    """The language's spelling of a tool's name, and the name itself where a program can write
    it."""
    identifiers = [claims.claim(style.identifier(tool.name))]
    if style.allows(tool.name) and tool.name not in claims:
        identifiers.append(claims.claim(tool.name))
    return ToolName(tool.name, tuple(identifiers), property_names(tool.parameters))
