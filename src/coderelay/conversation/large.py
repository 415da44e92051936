"""Whether something is large: then it is not worked on in the event loop, where others wait."""

from collections.abc import Iterator
from typing import assert_never

from coderelay.conversation.entries import (
    Called,
    CalledDirectly,
    Ended,
    Event,
    ReasoningDelta,
    Reply,
    Said,
    Started,
    TextDelta,
    Wrote,
)
from coderelay.core import Completed, Failed, Json, Outcome, Suspended
from coderelay.core.jsonwriter import is_small

_MANY_LOGS = 1_000


def is_large_outcome(outcome: Outcome) -> bool:
    """Whether a program's value, its calls or its logs are large."""
    return len(outcome.logs) > _MANY_LOGS or not is_small(*_of_outcome(outcome))


def is_large_event(event: Event) -> bool:
    """Whether what is written to a client for an event is large."""
    if isinstance(event, Ended) and len(event.outcome.logs) > _MANY_LOGS:
        return True
    if isinstance(event, Reply):
        return any(is_large_event(entry) for entry in event.entries)
    return not is_small(*_of_event(event))


def _of_outcome(outcome: Outcome) -> Iterator[Json]:
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


def _of_event(event: Event) -> Iterator[Json]:
    match event:
        case TextDelta(text) | ReasoningDelta(text):
            yield text
        case Said(text, reasoning, extra):
            yield from (text, reasoning, extra)
        case Wrote(program, text, reasoning):
            yield from (program.source, text, reasoning)
        case CalledDirectly(calls, text, reasoning):
            yield from (calls, text, reasoning)
        case Called(_, handed):
            yield from ([call.id, call.arguments] for call in handed)
        case Ended(_, outcome):
            yield from _of_outcome(outcome)
        case Started() | Reply():
            pass
        case _:
            assert_never(event)
