"""Encodes the reply of a turn as a Responses object."""

from collections.abc import Mapping, Sequence

from coderelay.conversation import (
    AssistantText,
    Finish,
    Receipt,
    TokenUsage,
    TurnReply,
    TurnRequest,
)
from coderelay.core import Json
from coderelay.dialects.kit.code_mode import receipt_to_json
from coderelay.dialects.kit.token_usage import detail
from coderelay.dialects.responses.items import (
    Item,
    Status,
    entry_items,
    message_item,
    reasoning_item,
    text_and_reasoning,
)
from coderelay.dialects.responses.request_state import state_of

_REASONS: Mapping[Finish, str] = {
    "length": "max_output_tokens",
    "content_filter": "content_filter",
}


def encode(reply: TurnReply, request: TurnRequest) -> dict[str, Json]:
    """Return the response to a request that is not streamed."""
    output: list[Item] = []
    vendor, wants_reasoning = request.protocol == "messages", state_of(request).wants_reasoning
    for entry in reply.entries:
        text, reasoning = text_and_reasoning(entry)
        if reasoning and wants_reasoning:
            output.append(reasoning_item(numbered("rs", reply.id, output), reasoning))
        if text.strip():
            refused = isinstance(entry, AssistantText) and entry.refused
            output.append(message_item(numbered("msg", reply.id, output), text, refused=refused))
        for item in entry_items(entry, vendor=vendor):
            output.append(item | {"id": item["id"] or numbered("fc", reply.id, output)})
    if not output:
        output.append(message_item(numbered("msg", reply.id, output), ""))
    if output[-1]["type"] == "message":
        output[-1]["status"] = last_status(reply)
    return whole(reply, request, output)


def whole(reply: TurnReply, request: TurnRequest, output: Sequence[Item]) -> dict[str, Json]:
    """Return the complete response."""
    response = snapshot(request, id=reply.id, created=reply.created, model=reply.model)
    reason = _REASONS.get(reply.finish)
    return {
        **response,
        "status": last_status(reply),
        "incomplete_details": {"reason": reason} if reason else None,
        "output": list(output),
        "usage": _usage(reply.usage),
        **_code_mode(reply.receipt),
    }


def snapshot(request: TurnRequest, *, id: str, created: int, model: str) -> dict[str, Json]:
    """Return the response at its beginning, without output."""
    return {
        "id": f"resp_{id}",
        "object": "response",
        "created_at": created,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "model": model,
        "output": [],
        "usage": None,
        **state_of(request).echo,
    }


def last_status(reply: TurnReply) -> Status:
    """Return the status of a response that has ended."""
    return "incomplete" if reply.finish in _REASONS else "completed"


def numbered(kind: str, id: str, before: Sequence[Item]) -> str:
    """Return the id of the next item."""
    return f"{kind}_{id}_{len(before)}"


def _usage(usage: TokenUsage) -> dict[str, Json]:
    cached = detail(usage, "prompt_tokens_details", "cached_tokens")
    reasoning = detail(usage, "completion_tokens_details", "reasoning_tokens")
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens": usage.completion,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": usage.total,
    }


def _code_mode(receipt: Receipt | None) -> dict[str, Json]:
    if receipt is None:
        return {}
    return {"code_mode": {"receipt": receipt_to_json(receipt, _usage(receipt.usage))}}
