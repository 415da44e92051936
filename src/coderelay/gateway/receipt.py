"""What code mode saved is an estimate, and is called one: four characters count as a token."""

from collections.abc import Sequence

from coderelay.conversation import CodeBlock, ConversationEntry
from coderelay.conversation.model_view import told
from coderelay.core import Json, Returned
from coderelay.core.json_values import NotJson, dump

CHARACTERS = 4
"""What counts as a token, where nobody counted."""


def saved_tokens(entries: Sequence[ConversationEntry]) -> int:
    """The tokens of calls and results that the model was not shown, less those of the programs
    and their results that it was."""
    saved = 0
    for block in entries:
        if isinstance(block, CodeBlock) and block.outcome is not None and block.program is not None:
            hidden = sum(_length(each.arguments) for each in block.journal)
            hidden += sum(
                _length(each.result.value)
                for each in block.journal
                if isinstance(each.result, Returned)
            )
            saved += hidden - len(block.program.source) - len(told(block.outcome))
    return max(0, saved // CHARACTERS)


def _length(value: Json) -> int:
    try:
        return len(dump(value))
    except NotJson:
        return 0
