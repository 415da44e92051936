"""The chunks of one completion, put together to the messages that a client appends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, cast

from coderelay.client.agent_events import (
    AgentEvent,
    ProgramEnded,
    ProgramWritten,
    ReasoningDelta,
    TextDelta,
)
from coderelay.client.messages import AssistantMessage, Message, MessageCall
from coderelay.core import Completed, Failed, Failure, Json, Log, Program
from coderelay.core.json_values import dump
from coderelay.core.program import FIXED_DATE

Fields = Mapping[str, Json]
_REASONING = ("reasoning_content", "reasoning")


@dataclass(frozen=True, slots=True)
class CompletionReply:
    """What one request brought. `calls` are those of the last message: the client's turn."""

    messages: tuple[Message, ...]
    finish: str
    usage: Fields

    @property
    def calls(self) -> Sequence[MessageCall]:
        """The calls to answer."""
        wanted = map(_fields, _items(self._last.get("tool_calls")))
        return [_tool_call(call, _fields(call.get("function"))) for call in wanted]

    @property
    def text(self) -> str:
        """What the model said at last."""
        return _words(self._last)

    @property
    def _last(self) -> Fields:
        last = cast(Fields, self.messages[-1]) if self.messages else {}
        return last if last.get("role") == "assistant" else {}


class _PartialCall:
    """A call that comes in pieces: there may be one for every few letters."""

    def __init__(self) -> None:
        self.id = ""
        self.name, self.arguments = StringIO(), StringIO()

    def whole(self) -> MessageCall:
        """The call, all pieces taken in."""
        function = {"name": self.name.getvalue(), "arguments": self.arguments.getvalue()}
        return _tool_call({"id": self.id}, function)


class Gathering:
    """Feed it chunks; it says what is new in each, and has the reply at the end.

    Our server tells whole messages in `choices[0].messages`, and those are the reply. Of any other
    endpoint the deltas are put together; a completion that came whole is one large delta.
    """

    def __init__(self, language: str | None) -> None:
        self._language = language or "typescript"
        self._messages: list[Message] = []
        self._text: list[str] = []
        self._calls: dict[int, _PartialCall] = {}
        self._finish: str | None = None
        self._usage: Fields = {}

    def feed(self, chunk: Fields) -> list[AgentEvent]:
        """Take in a chunk."""
        self._usage = _fields(chunk.get("usage")) or self._usage
        choice = _fields(next(iter(_items(chunk.get("choices"))), None))
        self._finish = _text(choice.get("finish_reason")) or self._finish
        delta = _fields(choice.get("delta")) or _fields(choice.get("message"))
        events: list[AgentEvent] = []
        reasoning = next((text for name in _REASONING if (text := _text(delta.get(name)))), "")
        if reasoning:
            events.append(ReasoningDelta(reasoning))
        if text := _words(delta):
            self._text.append(text)
            events.append(TextDelta(text))
        for place, call in enumerate(map(_fields, _items(delta.get("tool_calls")))):
            self._take(call, place)
        for message in map(_fields, _items(choice.get("messages"))):
            if message.get("role"):
                self._messages.append(cast(Message, dict(message)))
                events += self._told(message)
        return events

    @property
    def ended(self) -> bool:
        """Whether the model's endpoint said that this was all."""
        return self._finish is not None

    def reply(self) -> CompletionReply:
        """The reply, all chunks taken in."""
        messages = self._messages or [self._assistant()]
        return CompletionReply(tuple(messages), self._finish or "stop", self._usage)

    def _take(self, piece: Fields, place: int) -> None:
        """A call comes in pieces with one index; some endpoints leave it out and send it whole."""
        index = piece.get("index")
        key = index if isinstance(index, int) else place
        more = _tool_call(piece, _fields(piece.get("function")))
        call = self._calls.setdefault(key, _PartialCall())
        call.id = more["id"] or call.id
        call.name.write(more["function"]["name"])
        call.arguments.write(more["function"]["arguments"])

    def _assistant(self) -> AssistantMessage:
        text = "".join(self._text)
        if not self._calls:
            return {"role": "assistant", "content": text}
        calls = [call.whole() for _, call in sorted(self._calls.items())]
        return {"role": "assistant", "content": text, "tool_calls": calls}

    def _told(self, message: Fields) -> list[AgentEvent]:
        match message.get("role"):
            case "code":
                return [ProgramWritten(self._program(message))]
            case "code_result":
                return [ProgramEnded(_text(message.get("id")), _outcome(message))]
            case _:
                return []

    def _program(self, message: Fields) -> Program:
        created = message.get("created")
        return Program(
            _text(message.get("language")) or self._language,
            _text(message.get("code")),
            _text(message.get("id")),
            created if isinstance(created, int) else FIXED_DATE,
        )


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
    """Some endpoints give the arguments as an object, not as its text."""
    arguments = function.get("arguments")
    text = dump(arguments) if isinstance(arguments, dict) else _text(arguments)
    return {
        "id": _text(call.get("id")),
        "type": "function",
        "function": {"name": _text(function.get("name")), "arguments": text},
    }


def _words(message: Fields) -> str:
    """What a message or a delta says; words of refusal stand in a field of their own."""
    return _text(message.get("content")) or _text(message.get("refusal"))


def _fields(value: Json) -> Fields:
    return value if isinstance(value, Mapping) else {}


def _items(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
