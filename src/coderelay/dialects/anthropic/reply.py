"""Encodes the reply of a turn as a message of the Anthropic API.

Plain clients get `text` and `tool_use` blocks. Clients that declare code execution also get the
programs, and the caller of each call. Clients that enable thinking get the model's reasoning.
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
from coderelay.core import Json
from coderelay.dialects.anthropic.code_execution import block_id, program_block, result_block
from coderelay.dialects.anthropic.request_state import state_of
from coderelay.dialects.kit.code_mode import receipt_to_json
from coderelay.dialects.kit.history_limits import parse_arguments
from coderelay.dialects.kit.token_usage import detail

SIGNATURE = "coderelay"
"""The signature of thinking blocks. The API signs them, and clients drop blocks without a
signature; this server does not check it."""
_CONTAINER_LIFETIME = timedelta(days=30)
_STOPS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}

Block = dict[str, Json]


def encode(reply: TurnReply, request: TurnRequest) -> dict[str, Json]:
    """Return the response to a request that is not streamed."""
    return {
        **message(reply.id, reply.model),
        "content": [block for entry in reply.entries for block in blocks(entry, request)],
        **ending(reply, request),
        "usage": usage_to_json(reply.usage),
        **code_mode(reply.receipt),
    }


def encode_count(tokens: int) -> dict[str, Json]:
    """Return the response of the endpoint that counts tokens."""
    return {"input_tokens": tokens}


def message(id: str, model: str) -> dict[str, Json]:
    """Return an empty message, as it is at the beginning of a stream."""
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
    """Return the fields that say why a message ended. `stop_sequence` is always null, because an
    upstream does not say which one it met."""
    refused = any(isinstance(entry, AssistantText) and entry.refused for entry in reply.entries)
    reason = "refusal" if refused else _STOPS[reply.finish]
    fields: dict[str, Json] = {"stop_reason": reason, "stop_sequence": None}
    if _ran(reply.entries) and request.protocol == "messages":
        # There is no container. But clients read its id, and send it with their next request.
        expires = datetime.fromtimestamp(reply.created, UTC) + _CONTAINER_LIFETIME
        id = state_of(request).container or f"container_{reply.id}"
        fields["container"] = {"id": id, "expires_at": expires.isoformat()}
    return fields


def code_mode(receipt: Receipt | None) -> dict[str, Json]:
    """Return the receipt as the field `code_mode`, if the client asked for one."""
    if receipt is None:
        return {}
    return {"code_mode": {"receipt": receipt_to_json(receipt, usage_to_json(receipt.usage))}}


def usage_to_json(usage: TokenUsage) -> dict[str, Json]:
    """Return the token usage. In this API, `input_tokens` does not include cached tokens."""
    cached = min(detail(usage, "prompt_tokens_details", "cached_tokens"), usage.prompt)
    return {
        "input_tokens": usage.prompt - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": usage.completion,
    }


def blocks(entry: NewEntry, request: TurnRequest) -> list[Block]:
    """Return an entry as content blocks: reasoning and text first, then everything else."""
    match entry:
        case AssistantText(text, reasoning):
            return _text_blocks(text, reasoning, request)
        case ProgramStarted(_, text, reasoning) | DirectCalls(_, text, reasoning):
            return [*_text_blocks(text, reasoning, request), *blocks_besides_text(entry, request)]
        case CallsHandedOut() | ProgramFinished():
            return blocks_besides_text(entry, request)
        case _:
            assert_never(entry)


def blocks_besides_text(entry: NewEntry, request: TurnRequest) -> list[Block]:
    """Return the blocks of an entry besides its text: programs, results and calls."""
    caller = state_of(request).caller
    match entry:
        case AssistantText():
            return []
        case ProgramStarted(state):
            return [program_block(state)] if caller else []
        case ProgramFinished(state, outcome):
            return [result_block(state, outcome)] if caller else []
        case CallsHandedOut(state, calls):
            by = {"caller": {"type": caller, "tool_id": block_id(state)}} if caller else {}
            return [_call(call, by) for call in calls]
        case DirectCalls(calls):
            direct = {"caller": {"type": "direct"}} if caller else {}
            return [_direct_call(call, direct) for call in calls]
        case _:
            assert_never(entry)


def thinking_block(text: str, *, signature: str = SIGNATURE) -> Block:
    """Return the block for the model's reasoning."""
    return {"type": "thinking", "thinking": text, "signature": signature}


def _text_blocks(text: str, reasoning: str, request: TurnRequest) -> list[Block]:
    found: list[Block] = []
    if reasoning and state_of(request).wants_reasoning:
        found.append(thinking_block(reasoning))
    if text:
        found.append({"type": "text", "text": text})
    return found


def _call(call: HandedCall, by: Block) -> Block:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments, **by}


def _direct_call(call: Message, by: Block) -> Block:
    """Return the block for a direct call. In this API arguments are always an object, so other ones
    are wrapped."""
    function = call["function"]
    input = parse_arguments(function["arguments"])
    if not isinstance(input, Mapping):
        input = {"INVALID_JSON": function["arguments"]}
    return {"type": "tool_use", "id": call["id"], "name": function["name"], "input": input, **by}


def _ran(entries: Sequence[NewEntry]) -> bool:
    return any(
        isinstance(entry, (ProgramStarted, CallsHandedOut, ProgramFinished)) for entry in entries
    )
