"""The interface of a dialect, which is the wire format of one client API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from coderelay.conversation import TurnEvent, TurnReply, TurnRequest
from coderelay.core import Json
from coderelay.dialects.kit.code_mode import Defaults
from coderelay.dialects.kit.operation import Operation


class StreamEncoder(Protocol):
    """Encodes one streamed answer."""

    def feed(self, event: TurnEvent) -> list[Json]:
        """Return what the client gets for an event of the turn."""

    def fail(self, error: Json) -> list[Json]:
        """Return what the client gets if the answer breaks off; `error` is the error's body."""


class ErrorObject(Protocol):
    """Builds an error in the format of an API."""

    def __call__(
        self, message: str, *, type: str, param: str | None = None, code: str | None = None
    ) -> Json:
        """Return the body of the error."""


@dataclass(frozen=True, slots=True)
class TokenCounting:
    """An endpoint that returns how many tokens a prompt has."""

    path: str
    decode: Callable[[Json, Defaults], TurnRequest]
    encode: Callable[[int], Json]
    operation: Operation


def never_relayed(body: Json) -> bool:
    """Return False: the upstream does not have this API, so every request has to be translated."""
    return False


@dataclass(frozen=True, slots=True)
class Dialect:
    """One client API.

    - `decode` reads a request, `encode` writes the whole answer, and `stream` returns the encoder
      of a streamed answer.
    - `can_relay` returns whether a request needs no translation, so that its bytes are sent
      upstream as they are.
    - In a stream, `named_events` means that each event has its `type` as its name, and `done` is
      the content of the last event, if the API has such an event.
    """

    name: str
    path: str
    operation: Operation
    decode: Callable[[Json, Defaults], TurnRequest]
    encode: Callable[[TurnReply, TurnRequest], Json]
    stream: Callable[[TurnRequest], StreamEncoder]
    error_body: Callable[[Exception], tuple[int, Json, Mapping[str, str]]]
    error_object: ErrorObject
    can_relay: Callable[[Json], bool] = never_relayed
    named_events: bool = False
    done: str | None = None
    counting: TokenCounting | None = None
