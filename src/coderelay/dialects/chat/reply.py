"""Encodes the reply of a turn as a Chat Completions response, whole or in chunks.

With the `ids` protocol, everything is one assistant message. With `messages`, all new messages are
also in `choices[0].messages`, in order, for the client to append; in a stream each of them comes in
its own chunk as soon as it is complete.
"""

from collections.abc import Iterable, Sequence
from typing import assert_never

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    DirectCalls,
    HandedCall,
    NewEntry,
    ProgramFinished,
    ProgramStarted,
    ReasoningStreamed,
    Receipt,
    TextStreamed,
    TokenUsage,
    TurnEvent,
    TurnReply,
    TurnRequest,
    TurnStarted,
)
from coderelay.core import Completed, Failed, Json
from coderelay.core.json_values import dump
from coderelay.dialects.chat.code_messages import code_message
from coderelay.dialects.kit.code_mode import receipt_to_json
from coderelay.wire import outcome_to_json


def encode(reply: TurnReply, request: TurnRequest) -> dict[str, Json]:
    """Return the response to a request that is not streamed."""
    choice: dict[str, Json] = {"index": 0, "message": _message(reply.entries), "logprobs": None}
    if request.protocol == "messages":
        choice["messages"] = [message for entry in reply.entries for message in _messages(entry)]
    choice["finish_reason"] = reply.finish
    return {
        "id": f"chatcmpl-{reply.id}",
        "object": "chat.completion",
        "created": reply.created,
        "model": reply.model,
        "choices": [choice],
        "usage": _usage(reply.usage),
        **_code_mode(reply.receipt, request),
    }


class ChatStream:
    """Encodes a streamed response as chunks. The chunks for `TurnReply` are the last ones."""

    def __init__(self, request: TurnRequest) -> None:
        self._request = request
        self._started = TurnStarted("", 0, request.model)
        self._has_text = False
        self._break = False

    def feed(self, event: TurnEvent) -> list[Json]:
        """Return the chunks for an event."""
        match event:
            case TurnStarted():
                self._started = event
                return [self._chunk({"role": "assistant", "content": ""})]
            case TextStreamed(text):
                pause = "\n\n" if self._break else ""
                self._has_text, self._break = True, False
                return [self._chunk({"content": pause + text})]
            case ReasoningStreamed(text):
                return [self._chunk({"reasoning_content": text})]
            case TurnReply():
                return self._last(event)
            case CallsHandedOut(_, calls):
                return [*self._calls([_call(call) for call in calls]), *self._whole(event)]
            case DirectCalls(calls):
                return [*self._calls([dict(call) for call in calls]), *self._whole(event)]
            case AssistantText(text, refused=True):
                return [self._chunk({"refusal": text}), *self._whole(event)]
            case AssistantText() | ProgramStarted() | ProgramFinished():
                self._break = self._has_text
                return self._whole(event)
            case _:
                assert_never(event)

    def fail(self, error: Json) -> list[Json]:
        """Return the last chunk of an answer that breaks off: the body of the error."""
        return [error]

    def _chunk(self, delta: Json, **choice: Json) -> dict[str, Json]:
        one = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None, **choice}
        return {
            "id": f"chatcmpl-{self._started.id}",
            "object": "chat.completion.chunk",
            "created": self._started.created,
            "model": self._started.model,
            "choices": [one],
        }

    def _calls(self, calls: list[dict[str, Json]]) -> list[Json]:
        numbered = [{"index": place, **call} for place, call in enumerate(calls)]
        return [self._chunk({"tool_calls": numbered})]

    def _whole(self, entry: NewEntry) -> list[Json]:
        """Return chunks with the complete messages of an entry, in the `messages` protocol."""
        if self._request.protocol == "ids":
            return []
        return [self._chunk({}, messages=[message]) for message in _messages(entry)]

    def _last(self, reply: TurnReply) -> list[Json]:
        last = self._chunk({}, finish_reason=reply.finish)
        last.update(_code_mode(reply.receipt, self._request))
        if not self._request.include_usage:
            return [last]
        return [last, {**self._chunk({}), "choices": [], "usage": _usage(reply.usage)}]


def _message(entries: Sequence[NewEntry]) -> dict[str, Json]:
    """Return everything that a turn added as one assistant message."""
    texts, reasonings, calls = [], [], []
    extra: dict[str, Json] = {}
    for entry in entries:
        match entry:
            case AssistantText(text, reasoning, more, refused):
                texts.append("" if refused else text)
                reasonings.append(reasoning)
                extra.update({**more, "refusal": text} if refused else more)
            case ProgramStarted(_, text, reasoning):
                texts.append(text)
                reasonings.append(reasoning)
            case DirectCalls(made, text, reasoning):
                texts.append(text)
                reasonings.append(reasoning)
                calls += [dict(call) for call in made]
            case CallsHandedOut(_, handed):
                calls += [_call(call) for call in handed]
            case ProgramFinished():
                pass
            case _:
                assert_never(entry)
    return _assistant(_joined(texts), calls, reasoning=_joined(reasonings), extra=extra)


def _messages(entry: NewEntry) -> list[dict[str, Json]]:
    """Return the messages for an entry that a client appends to its history."""
    match entry:
        case AssistantText():
            return [_message([entry])]
        case ProgramStarted(state, text, reasoning):
            before = [_assistant(text, [], reasoning=reasoning)] if text else []
            return [*before, code_message(state)]
        case CallsHandedOut(_, calls):
            return [_assistant("", [_call(call) for call in calls])]
        case DirectCalls(calls, text, reasoning):
            return [_assistant(text, [dict(call) for call in calls], reasoning=reasoning)]
        case ProgramFinished(state, outcome):
            return [{"role": "code_result", "id": state.program.id, **_result(outcome)}]
        case _:
            assert_never(entry)


def _assistant(
    text: str, calls: list[dict[str, Json]], *, reasoning: str = "", extra: Json = None
) -> dict[str, Json]:
    message = {**(extra or {}), "role": "assistant", "content": text}
    if "refusal" in message:
        message["content"] = text or None
    if reasoning:
        message["reasoning_content"] = reasoning
    if calls:
        message["content"] = text or None
        message["tool_calls"] = calls
    return message


def _result(outcome: Completed | Failed) -> dict[str, Json]:
    written = outcome_to_json(outcome)
    result = (
        {"status": "success", "data": written["value"]}
        if isinstance(outcome, Completed)
        else {"status": "error", "error": written["error"]}
    )
    return {"result": result, "logs": written["logs"]}


def _call(call: HandedCall) -> dict[str, Json]:
    function = {"name": call.name, "arguments": dump(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(text for text in texts if text)


def _usage(usage: TokenUsage) -> dict[str, Json]:
    return {
        **usage.details,
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.total,
    }


def _code_mode(receipt: Receipt | None, request: TurnRequest) -> dict[str, Json]:
    mode: dict[str, Json] = {}
    if request.protocol == "messages":
        mode = {"protocol": "messages", "language": request.language}
    if receipt is not None:
        mode["receipt"] = receipt_to_json(receipt, _usage(receipt.usage))
    return {"code_mode": mode} if mode else {}
