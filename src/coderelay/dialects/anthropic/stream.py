"""Encodes the events of a turn as a streamed message, in which one block follows the other."""

from typing import assert_never

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    DirectCalls,
    ProgramFinished,
    ProgramStarted,
    ReasoningStreamed,
    TextStreamed,
    TurnEvent,
    TurnReply,
    TurnRequest,
    TurnStarted,
)
from coderelay.core import Json
from coderelay.core.json_values import dump
from coderelay.dialects.anthropic.reply import (
    SIGNATURE,
    Block,
    blocks_besides_text,
    code_mode,
    ending,
    message,
    thinking_block,
    usage_to_json,
)
from coderelay.dialects.anthropic.request_state import state_of

_PING: Block = {"type": "ping"}


class AnthropicStream:
    """Encodes a streamed response as events. The events for `TurnReply` are the last ones."""

    def __init__(self, request: TurnRequest) -> None:
        self._request = request
        self._index = -1
        self._growing: str | None = None
        """The type of the block that has begun and not ended, if there is one."""

    def feed(self, event: TurnEvent) -> list[Json]:
        """Return the API's events for an event of the turn."""
        match event:
            case TurnStarted(id, _, model):
                return [{"type": "message_start", "message": message(id, model)}, _PING]
            case TextStreamed(text):
                begun = self._grow({"type": "text", "text": ""})
                return [*begun, self._delta({"type": "text_delta", "text": text})]
            case ReasoningStreamed(text):
                return self._think(text)
            case AssistantText(text, refused=True):
                return [*self.feed(TextStreamed(text)), *self._end()]
            case (
                AssistantText()
                | ProgramStarted()
                | CallsHandedOut()
                | ProgramFinished()
                | DirectCalls()
            ):
                added = [self._add(block) for block in blocks_besides_text(event, self._request)]
                return [each for events in added for each in events] or self._end()
            case TurnReply():
                return self._last(event)
            case _:
                assert_never(event)

    def fail(self, error: Json) -> list[Json]:
        """Return the last event of an answer that breaks off: the body of the error."""
        return [error]

    def _think(self, text: str) -> list[Json]:
        if not state_of(self._request).wants_reasoning:
            return []
        begun = self._grow(thinking_block("", signature=""))
        return [*begun, self._delta({"type": "thinking_delta", "thinking": text})]

    def _grow(self, empty: Block) -> list[Json]:
        """Return the events that begin a block of this type, or none if it has already begun."""
        if self._growing == empty["type"]:
            return []
        return [*self._end(), self._begin(empty)]

    def _add(self, block: Block) -> list[Json]:
        """Return the events for a complete block. Its `input` is sent as JSON text in a delta, as
        the API always does in streams."""
        if "input" not in block:
            return [*self._end(), self._begin(block), *self._end()]
        begun = [*self._end(), self._begin({**block, "input": {}})]
        delta = {"type": "input_json_delta", "partial_json": dump(block["input"])}
        return [*begun, self._delta(delta), *self._end()]

    def _begin(self, block: Block) -> Json:
        self._index += 1
        self._growing = block["type"]
        return {"type": "content_block_start", "index": self._index, "content_block": block}

    def _delta(self, delta: Block) -> Json:
        return {"type": "content_block_delta", "index": self._index, "delta": delta}

    def _end(self) -> list[Json]:
        if self._growing is None:
            return []
        sign = {"type": "signature_delta", "signature": SIGNATURE}
        last = [self._delta(sign)] if self._growing == "thinking" else []
        self._growing = None
        return [*last, {"type": "content_block_stop", "index": self._index}]

    def _last(self, reply: TurnReply) -> list[Json]:
        delta = {
            "type": "message_delta",
            "delta": ending(reply, self._request),
            "usage": usage_to_json(reply.usage),
            **code_mode(reply.receipt),
        }
        return [*self._end(), delta, {"type": "message_stop"}]
