"""The pieces of an answer are put together to the messages that a client appends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from coderelay.client.agent_events import (
    AgentEvent,
    ProgramEnded,
    ProgramWritten,
    ReasoningDelta,
    TextDelta,
)
from coderelay.client.messages import AssistantMessage, Message, MessageCall
from coderelay.conversation import TokenUsage
from coderelay.core import Completed, Failed, Failure, Json, Log, Program
from coderelay.core.program import FIXED_DATE
from coderelay.languages.language_registry import DEFAULT_LANGUAGE
from coderelay.models.model import (
    Delta,
    FinishPiece,
    NewMessagesPiece,
    ReasoningPiece,
    RefusalPiece,
    TextPiece,
    UsagePiece,
)
from coderelay.models.model_answer import ModelAnswer

Fields = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class CompletionReply:
    """The answer to one request. The client answers its `calls`, those of the last message."""

    messages: tuple[Message, ...]
    finish: str
    usage: Mapping[str, int]

    @property
    def calls(self) -> Sequence[MessageCall]:
        """The calls to answer."""
        calls = map(_fields, _items(self._last.get("tool_calls")))
        return [_tool_call(call, _fields(call.get("function"))) for call in calls]

    @property
    def text(self) -> str:
        """The text of the last message, or that of a refusal."""
        return _text(self._last.get("content")) or _text(self._last.get("refusal"))

    @property
    def _last(self) -> Fields:
        last = cast(Fields, self.messages[-1]) if self.messages else {}
        return last if last.get("role") == "assistant" else {}


class ReplyReader:
    """Takes the pieces of an answer, tells which events each of them brings, and has the reply at
    the end.

    Our server sends whole messages, and those are the reply. From any other endpoint the text and
    the calls become one assistant message.
    """

    def __init__(self, language: str | None) -> None:
        self._language = language or DEFAULT_LANGUAGE
        self._messages: list[Message] = []
        self._answer = ModelAnswer()
        self._usage: dict[str, int] = {}
        self.ended = False
        """Whether the endpoint said that the answer is complete."""

    def feed(self, piece: Delta) -> list[AgentEvent]:
        """Take the next piece. Raises `UpstreamError` if the answer is too long."""
        self._answer.add(piece)
        match piece:
            case TextPiece(text) | RefusalPiece(text):
                return [TextDelta(text)]
            case ReasoningPiece(text):
                return [ReasoningDelta(text)]
            case NewMessagesPiece(messages):
                return [event for each in messages for event in self._add(_fields(each))]
            case FinishPiece(reason):
                self.ended = self.ended or reason != ""
            case UsagePiece(usage):
                self._usage = _counts(usage)
            case _:
                pass
        return []

    def reply(self) -> CompletionReply:
        """The reply, once all pieces are taken."""
        messages = self._messages or [assistant_message(self._answer)]
        return CompletionReply(tuple(messages), self._answer.finish, self._usage)

    def _add(self, message: Fields) -> list[AgentEvent]:
        """Add a message of our server, which may be of a role that has an event of its own."""
        role = message.get("role")
        if role:
            self._messages.append(cast(Message, dict(message)))
        if role == "code":
            return [ProgramWritten(self._program(message))]
        if role == "code_result":
            return [ProgramEnded(_text(message.get("id")), _outcome(message))]
        return []

    def _program(self, message: Fields) -> Program:
        created = message.get("created")
        return Program(
            _text(message.get("language")) or self._language,
            _text(message.get("code")),
            _text(message.get("id")),
            created if isinstance(created, int) else FIXED_DATE,
        )


def assistant_message(answer: ModelAnswer) -> AssistantMessage:
    """A model's answer as the message that a client appends to its conversation."""
    if not answer.calls:
        return {"role": "assistant", "content": answer.text}
    calls = [
        _tool_call({"id": call.id}, {"name": call.name, "arguments": call.arguments})
        for call in answer.calls
    ]
    return {"role": "assistant", "content": answer.text, "tool_calls": calls}


def _outcome(message: Fields) -> Completed | Failed:
    logs = tuple(Log("log", _text(line)) for line in _items(message.get("logs")))
    result = _fields(message.get("result"))
    if result.get("status") == "success":
        return Completed(result.get("data"), logs)
    error = _fields(result.get("error"))
    known: dict[str, Any] = {
        field: error[field] for field in Failure.__slots__ if error.get(field) is not None
    }
    return Failed(Failure(**{"kind": "exception", "message": "", **known}), logs)


def _tool_call(call: Fields, function: Fields) -> MessageCall:
    return {
        "id": _text(call.get("id")),
        "type": "function",
        "function": {
            "name": _text(function.get("name")),
            "arguments": _text(function.get("arguments")),
        },
    }


def _counts(usage: TokenUsage) -> dict[str, int]:
    """The counts of a usage by the names that the API has for them."""
    further = {name: count for name, count in usage.details.items() if isinstance(count, int)}
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.total,
        **further,
    }


def _fields(value: Json) -> Fields:
    return value if isinstance(value, Mapping) else {}


def _items(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
