"""Decides whether an outcome or event is so large that a thread must work on it.

Encoding something large in the event loop would block all other requests.
"""

from collections.abc import Iterator
from typing import assert_never

from coderelay.conversation.entries import (
    AssistantText,
    CallsHandedOut,
    DirectCalls,
    ProgramFinished,
    ProgramStarted,
    ReasoningStreamed,
    TextStreamed,
    TurnEvent,
    TurnReply,
    TurnStarted,
)
from coderelay.core import Completed, Failed, Json, Outcome, Suspended
from coderelay.core.json_writer import is_small

_MANY_LOGS = 1_000


def is_large_outcome(outcome: Outcome) -> bool:
    """Return whether a program's value, its calls or its logs are large."""
    return len(outcome.logs) > _MANY_LOGS or not is_small(*outcome_parts(outcome))


def is_large_event(event: TurnEvent) -> bool:
    """Return whether what the client gets for an event is large."""
    if isinstance(event, ProgramFinished) and len(event.outcome.logs) > _MANY_LOGS:
        return True
    if isinstance(event, TurnReply):
        fields_are_small = is_small(event.model, event.usage.details)
        return not fields_are_small or any(is_large_event(entry) for entry in event.entries)
    return not is_small(*_of_event(event))


def outcome_parts(outcome: Outcome) -> Iterator[Json]:
    """Yield the values and texts in an outcome that may be large."""
    yield from (log.text for log in outcome.logs)
    match outcome:
        case Completed(value):
            yield value
        case Suspended(calls):
            yield from (call.arguments for call in calls)
        case Failed(error):
            yield from (error.message, error.stack, error.frame)
        case _:
            assert_never(outcome)


def _of_event(event: TurnEvent) -> Iterator[Json]:
    match event:
        case TextStreamed(text) | ReasoningStreamed(text):
            yield text
        case AssistantText(text, reasoning, extra):
            yield from (text, reasoning, extra)
        case ProgramStarted(state, text, reasoning):
            yield from (state.program.source, text, reasoning)
        case DirectCalls(calls, text, reasoning):
            yield from (calls, text, reasoning)
        case CallsHandedOut(_, handed):
            yield from ([call.id, call.arguments] for call in handed)
        case ProgramFinished(_, outcome):
            yield from outcome_parts(outcome)
        case TurnStarted() | TurnReply():
            pass
        case _:
            assert_never(event)
