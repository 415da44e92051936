"""What a model is told of its tools: all of them declared where they are few, else an index."""

from collections.abc import Sequence
from dataclasses import dataclass

from coderelay.core import Tool
from coderelay.declare.host_functions import OWN
from coderelay.declare.instructions import instructions
from coderelay.declare.languages import find, sendable
from coderelay.declare.tool_index import DECLARATION_TOKENS, index
from coderelay.declare.tool_index import tokens as count
from coderelay.declare.tool_names import names

_PROBED = 64


@dataclass(frozen=True, slots=True)
class Prompt:
    """The two parts of a system prompt, and whether the tools are only in an index."""

    instructions: str
    declarations: str
    indexed: bool

    @property
    def text(self) -> str:
        """The whole: the rules, then the declarations or the index of them."""
        return f"{self.instructions}\n\n{self.declarations}"


def prompt(tools: Sequence[Tool], language: str, *, tokens: int = DECLARATION_TOKENS) -> Prompt:
    """What to tell a model. Where the declarations would take more than so many tokens, by
    estimate, they are an index, and a program looks the tools up."""
    known, writes = names(tools, language), find(language)
    for some in dict.fromkeys((min(_PROBED, len(tools)), len(tools))):
        # Some are tried first: declaring thousands, to find them too long, takes a while.
        text = sendable(writes.declare(tools[:some], known[:some]))
        if count(text) > tokens:
            break
    else:
        return Prompt(instructions(language), text, indexed=False)
    own = "\n\n".join(each.declared[language] for each in OWN)
    room = max(0, tokens - count(own))
    listed = sendable(index(tools, known, room))
    text = f"{own}\n\nThe index of {len(tools)} tools:\n\n{listed}"
    return Prompt(instructions(language, indexed=True), text, indexed=True)
