"""What a turn used, and the receipt for it. Saved tokens are estimated: four characters each."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from coderelay.conversation import (
    CallsHandedOut,
    CodeBlock,
    ConversationEntry,
    NewEntry,
    ProgramStarted,
    Receipt,
    TokenUsage,
)
from coderelay.conversation.model_view import outcome_for_model
from coderelay.core import Json, Returned
from coderelay.core.json_values import NotJson, dump
from coderelay.models.model_answer import ModelAnswer

CHARACTERS = 4
"""How many characters count as a token in an estimate."""


@dataclass(slots=True)
class TurnTotals:
    """What a turn has used so far. `model` is the model that answered, by the upstream's name."""

    model: str
    usage: TokenUsage = field(default_factory=TokenUsage)
    fuel: int = 0
    model_calls: int = 0

    def add_answer(self, answer: ModelAnswer) -> None:
        """Add what an answer of the model used."""
        self.usage += answer.usage
        self.model = answer.model or self.model

    def receipt(self, new: Sequence[NewEntry], entries: Sequence[ConversationEntry]) -> Receipt:
        """Return the receipt for a turn that added the `new` entries to a history, which now has
        these `entries`."""
        return Receipt(
            programs=sum(isinstance(entry, ProgramStarted) for entry in new),
            calls=sum(len(each.calls) for each in new if isinstance(each, CallsHandedOut)),
            fuel=self.fuel,
            model_calls=self.model_calls,
            usage=self.usage,
            saved=saved_tokens(entries) if self.model_calls else 0,
        )


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
