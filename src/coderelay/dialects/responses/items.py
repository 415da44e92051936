"""Builds the items of a response: messages, reasoning, programs and calls."""

from collections.abc import Iterator
from typing import Literal, TypeAlias, assert_never

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    DirectCalls,
    HandedCall,
    Message,
    NewEntry,
    ProgramFinished,
    ProgramStarted,
)
from coderelay.core import Json
from coderelay.core.json_values import dump
from coderelay.dialects.responses.program_items import caller, output_item, program_item

Item: TypeAlias = dict[str, Json]
Status: TypeAlias = Literal["in_progress", "completed", "incomplete"]


def text_part(text: str) -> Item:
    """Return a text part of a message."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def refusal_part(text: str) -> Item:
    """Return the part of a message with the model's refusal."""
    return {"type": "refusal", "refusal": text}


def message_item(
    id: str, text: str | None, status: Status = "completed", *, refused: bool = False
) -> Item:
    """Return a message item. `text` is None for a message that has only begun."""
    part = refusal_part if refused else text_part
    return {
        "type": "message",
        "id": id,
        "status": status,
        "role": "assistant",
        "content": [] if text is None else [part(text)],
    }


def reasoning_item(id: str, text: str | None) -> Item:
    """Return a reasoning item. `text` is None for reasoning that has only begun."""
    summary = [] if text is None else [{"type": "summary_text", "text": text}]
    return {"type": "reasoning", "id": id, "summary": summary}


def entry_items(entry: NewEntry, *, vendor: bool) -> Iterator[Item]:
    """Yield the items of an entry besides its text and reasoning. Calls still need an id."""
    match entry:
        case AssistantText():
            pass
        case ProgramStarted(state):
            if vendor:
                yield program_item(state)
        case ProgramFinished(state, outcome):
            if vendor:
                yield output_item(state.program, outcome)
        case CallsHandedOut(state, calls):
            for handed in calls:
                yield _handed(handed) | ({"caller": caller(state.program)} if vendor else {})
        case DirectCalls(calls):
            for call in calls:
                yield _direct(call) | ({"caller": {"type": "direct"}} if vendor else {})
        case _:
            assert_never(entry)


def text_and_reasoning(entry: NewEntry) -> tuple[str, str]:
    """Return the text and the reasoning of an entry."""
    if isinstance(entry, (AssistantText, ProgramStarted, DirectCalls)):
        return entry.text, entry.reasoning
    return "", ""


def _handed(call: HandedCall) -> Item:
    return _call(call.id, call.name, dump(call.arguments))


def _direct(call: Message) -> Item:
    function = call["function"]
    return _call(call["id"], function["name"], function["arguments"])


def _call(id: str, name: str, arguments: str) -> Item:
    return {
        "type": "function_call",
        "id": "",
        "call_id": id,
        "name": name,
        "arguments": arguments,
        "status": "completed",
    }
