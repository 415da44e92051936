"""What a turn added, as a message of the Anthropic API.

Plain clients get `text` and `tool_use` blocks. Those that declare code execution also get the
programs, and who made each call; those that ask for thinking get what the model thought aloud.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import assert_never

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    DirectCalls,
    HandedCall,
    Message,
    NewEntry,
    ProgramFinished,
    ProgramStarted,
    Receipt,
    TokenUsage,
    TurnReply,
    TurnRequest,
)
from coderelay.core import Json, Program
from coderelay.dialects.anthropic.code_execution import block_id, program_block, result_block
from coderelay.dialects.kit.code_mode import receipt_to_json
from coderelay.dialects.kit.history_limits import parse_arguments
from coderelay.dialects.kit.token_usage import detail

SIGNATURE = "coderelay"
"""Thoughts are signed in this API, and clients drop those that are not. Nobody checks it here."""
_KEPT = timedelta(days=30)
_STOPS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}

Block = dict[str, Json]


def encode(reply: TurnReply, request: TurnRequest) -> dict[str, Json]:
    """The response to a request that is not streamed."""
    return {
        **message(reply.id, reply.model),
        "content": [block for entry in reply.entries for block in blocks(entry, request)],
        **ending(reply, request),
        "usage": usage_to_json(reply.usage),
        **code_mode(reply.receipt),
    }


def encode_count(tokens: int) -> dict[str, Json]:
    """The answer to a request whose tokens were to be counted."""
    return {"input_tokens": tokens}


def message(id: str, model: str) -> dict[str, Json]:
    """A message of which nothing is known yet."""
    return {
        "id": f"msg_{id}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage_to_json(TokenUsage()),
    }


def ending(reply: TurnReply, request: TurnRequest) -> dict[str, Json]:
    """Why the message ends. An upstream does not say which stop sequence it met, if it did."""
    refused = any(isinstance(entry, AssistantText) and entry.refused for entry in reply.entries)
    reason = "refusal" if refused else _STOPS[reply.finish]
    said: dict[str, Json] = {"stop_reason": reason, "stop_sequence": None}
    if _ran(reply.entries) and request.protocol == "messages":
        # Nothing is kept in it: clients read the id, and send it with their next request.
        expires = datetime.fromtimestamp(reply.created, UTC) + _KEPT
        id = request.dialect_state["container"] or f"container_{reply.id}"
        said["container"] = {"id": id, "expires_at": expires.isoformat()}
    return said


def code_mode(receipt: Receipt | None) -> dict[str, Json]:
    """What code mode did, for those who asked."""
    if receipt is None:
        return {}
    return {"code_mode": {"receipt": receipt_to_json(receipt, usage_to_json(receipt.usage))}}


def usage_to_json(usage: TokenUsage) -> dict[str, Json]:
    """Tokens: in this API, those that were read from a cache are not among the input."""
    cached = min(detail(usage, "prompt_tokens_details", "cached_tokens"), usage.prompt)
    return {
        "input_tokens": usage.prompt - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": usage.completion,
    }


def blocks(entry: NewEntry, request: TurnRequest) -> list[Block]:
    """An entry as content blocks: words first, then what was done."""
    match entry:
        case AssistantText(text, reasoning):
            return _words(text, reasoning, request)
        case ProgramStarted(_, text, reasoning) | DirectCalls(_, text, reasoning):
            return [*_words(text, reasoning, request), *deeds(entry, request)]
        case CallsHandedOut() | ProgramFinished():
            return deeds(entry, request)
        case _:
            assert_never(entry)


def deeds(entry: NewEntry, request: TurnRequest) -> list[Block]:
    """What an entry has besides words."""
    caller = request.dialect_state["caller"]
    match entry:
        case AssistantText():
            return []
        case ProgramStarted(program):
            return [program_block(program)] if caller else []
        case ProgramFinished(program, outcome):
            return [result_block(program, outcome)] if caller else []
        case CallsHandedOut(program, calls):
            return [_call(call, _by(program, caller)) for call in calls]
        case DirectCalls(calls):
            direct = {"caller": {"type": "direct"}} if caller else {}
            return [_direct_call(call, direct) for call in calls]
        case _:
            assert_never(entry)


def thought(text: str, *, signature: str = SIGNATURE) -> Block:
    """What the model thought aloud."""
    return {"type": "thinking", "thinking": text, "signature": signature}


def _words(text: str, reasoning: str, request: TurnRequest) -> list[Block]:
    found: list[Block] = []
    if reasoning and request.dialect_state["thinking"]:
        found.append(thought(reasoning))
    if text:
        found.append({"type": "text", "text": text})
    return found


def _by(program: Program, caller: str | None) -> Block:
    return {"caller": {"type": caller, "tool_id": block_id(program)}} if caller else {}


def _call(call: HandedCall, by: Block) -> Block:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments, **by}


def _direct_call(call: Message, by: Block) -> Block:
    """A call as the model wrote it. This API has only objects for arguments."""
    function = call["function"]
    given = parse_arguments(function["arguments"])
    if not isinstance(given, Mapping):
        given = {"INVALID_JSON": function["arguments"]}
    return {"type": "tool_use", "id": call["id"], "name": function["name"], "input": given, **by}


def _ran(entries: Sequence[NewEntry]) -> bool:
    return any(
        isinstance(entry, (ProgramStarted, CallsHandedOut, ProgramFinished)) for entry in entries
    )
