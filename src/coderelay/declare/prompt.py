"""What a model is told: how to write a program, and which tools it may call.

The tools are declared in full where they are few. Else they are listed in an index, and programs
look them up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from coderelay.core import Tool
from coderelay.core.unicode import sendable
from coderelay.declare.host_functions import HOST_FUNCTIONS
from coderelay.declare.tool_index import DECLARATION_TOKENS, index
from coderelay.declare.tool_index import tokens as count
from coderelay.declare.tool_names import names
from coderelay.languages.language_registry import find_language

_PROBED = 64
_INDEXED = """\
The tools are many: below is an index of them, in groups. Look up what you have not seen declared \
before you call it, in a program that returns what it finds: `{search}` gives the name, signature \
and description of the tools that fit these words best, `{describe}` the whole declaration of one. \
You can call every tool that a search finds, even if the index does not list it."""
_EXAMPLES = "Two programs, for tools that you may not have:"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The two parts of a system prompt, and whether the tools are only listed in an index."""

    instructions: str
    declarations: str
    indexed: bool

    @property
    def text(self) -> str:
        """The whole: the rules, then the declarations or the index of them."""
        return f"{self.instructions}\n\n{self.declarations}"


def prompt(tools: Sequence[Tool], language: str, *, tokens: int = DECLARATION_TOKENS) -> Prompt:
    """What to tell a model about its tools. Declarations that would take more than `tokens`, by
    estimate, are replaced by an index."""
    known, writer = names(tools, language), find_language(language)
    for some in dict.fromkeys((min(_PROBED, len(tools)), len(tools))):
        # Some are tried first: declaring thousands, only to find them too long, takes a while.
        text = sendable(writer.tools.declare(tools[:some], known[:some]))
        if count(text) > tokens:
            break
    else:
        return Prompt(instructions(language), text, indexed=False)
    own = "\n\n".join(each.declaration(writer) for each in HOST_FUNCTIONS)
    room = max(0, tokens - count(own))
    listed = sendable(index(tools, known, room))
    text = f"{own}\n\nThe index of {len(tools)} tools:\n\n{listed}"
    return Prompt(instructions(language, indexed=True), text, indexed=True)


def declarations(tools: Sequence[Tool], language: str) -> str:
    """The declarations of all tools, however long: what a program may call, and with what."""
    return sendable(find_language(language).tools.declare(tools, names(tools, language)))


def instructions(language: str, *, indexed: bool = False) -> str:
    """The text for the system prompt. The declarations come after it, or the index of them."""
    found = find_language(language)
    parts = [found.guide.rules]
    if indexed:
        guide = found.guide
        parts.append(_INDEXED.format(search=guide.search_call, describe=guide.describe_call))
    fence = found.fence_tags[0]
    examples = [f"```{fence}\n{example}\n```" for example in found.guide.examples]
    return "\n\n".join([*parts, _EXAMPLES, *examples])


def code_tool(language: str) -> Tool:
    """The one tool that a model is offered: it runs a program."""
    found = find_language(language)
    return Tool(
        found.code_tool,
        f"Run a {found.title} program that calls the declared tools, and get its result.",
        {
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": f"The whole {found.title} program."}
            },
            "required": ["code"],
            "additionalProperties": False,
        },
    )
