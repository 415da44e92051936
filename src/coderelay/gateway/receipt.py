"""Estimates how many tokens code mode saved, counting four characters as a token."""

from collections.abc import Sequence

from coderelay.conversation import CodeBlock, ConversationEntry
from coderelay.conversation.model_view import outcome_for_model
from coderelay.core import Json, Returned
from coderelay.core.json_values import NotJson, dump

CHARACTERS = 4
"""How many characters count as a token in an estimate."""


def saved_tokens(entries: Sequence[ConversationEntry]) -> int:
    """Return the tokens of the calls and results that the model did not get, minus the tokens of
    the programs and outcomes that it got instead."""
    saved = 0
    for block in entries:
        if isinstance(block, CodeBlock) and block.outcome is not None and block.program is not None:
            hidden = sum(_length(each.arguments) for each in block.journal)
            hidden += sum(
                _length(each.result.value)
                for each in block.journal
                if isinstance(each.result, Returned)
            )
            saved += hidden - len(block.program.source) - len(outcome_for_model(block.outcome))
    return max(0, saved // CHARACTERS)


def _length(value: Json) -> int:
    try:
        return len(dump(value))
    except NotJson:
        return 0
