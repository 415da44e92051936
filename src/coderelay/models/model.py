"""What a model is: a request body goes in, pieces of one answer come out."""

from collections.abc import AsyncGenerator, Mapping
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
    """A piece of the words in which the model refuses, where the upstream tells them apart."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """A piece of what the model thinks aloud."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A piece of a tool call: pieces of one place belong together. `extra` is all that the
    upstream said of the call besides, for its own use when it comes back."""

    place: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FinishPiece:
    """Why the model stopped, in the upstream's word."""

    reason: str


@dataclass(frozen=True, slots=True)
class UsagePiece:
    """What the answer cost."""

    usage: TokenUsage


@dataclass(frozen=True, slots=True)
class ModelNamePiece:
    """The model that really answers, and other fields of the message worth passing on."""

    model: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)


Delta: TypeAlias = (
    TextPiece
    | RefusalPiece
    | ReasoningPiece
    | CallPiece
    | FinishPiece
    | UsagePiece
    | ModelNamePiece
)


class Model(Protocol):
    """The upstream model."""

    def stream(self, body: Mapping[str, Json], *, key: str | None) -> AsyncGenerator[Delta, None]:
        """The answer to a Chat Completions request, in pieces. `body["stream"]` says whether the
        upstream is asked to send it in pieces, too; `key` is the client's, if it gave one.

        Raises `UpstreamError` and `UpstreamTimeout`.
        """


__all__ = [
    "CallPiece",
    "Delta",
    "FinishPiece",
    "Model",
    "ModelNamePiece",
    "ReasoningPiece",
    "RefusalPiece",
    "TextPiece",
    "UpstreamError",
    "UpstreamTimeout",
    "UsagePiece",
]
