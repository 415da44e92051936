"""What a model is: it takes the body of a request and gives its answer in pieces."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from coderelay.conversation import TokenUsage, UpstreamError, UpstreamTimeout
from coderelay.core import Json


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of the assistant's text."""

    text: str


@dataclass(frozen=True, slots=True)
class RefusalPiece:
    """A piece of the text in which the model refuses, where the endpoint marks it as such."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """A piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A piece of a tool call: pieces with the same `place` belong to one call. `extra` has the
    other fields of the call, which the endpoint may want back with the history."""

    place: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FinishPiece:
    """Why the model stopped, in the endpoint's word."""

    reason: str


@dataclass(frozen=True, slots=True)
class UsagePiece:
    """The tokens that the answer took."""

    usage: TokenUsage


@dataclass(frozen=True, slots=True)
class NewMessagesPiece:
    """Whole messages that our own server adds to the conversation, in its protocol `messages`.
    No other endpoint sends them."""

    messages: Sequence[Json]


@dataclass(frozen=True, slots=True)
class ModelNamePiece:
    """The model that really answers, and further fields of its message, to be passed on."""

    model: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)


Delta: TypeAlias = (
    TextPiece
    | RefusalPiece
    | ReasoningPiece
    | CallPiece
    | FinishPiece
    | UsagePiece
    | NewMessagesPiece
    | ModelNamePiece
)


class Model(Protocol):
    """Anything that answers a Chat Completions request."""

    def stream(self, body: Mapping[str, Json], *, key: str | None) -> AsyncGenerator[Delta, None]:
        """The answer to a request, in pieces. `body["stream"]` decides whether an endpoint is
        asked to send it in pieces, too; `key` is the key to use there.

        Raises `UpstreamError` and `UpstreamTimeout`.
        """


__all__ = [
    "CallPiece",
    "Delta",
    "FinishPiece",
    "Model",
    "ModelNamePiece",
    "NewMessagesPiece",
    "ReasoningPiece",
    "RefusalPiece",
    "TextPiece",
    "UpstreamError",
    "UpstreamTimeout",
    "UsagePiece",
]
