"""What the server asks of a dialect: the wire format of one client API, without I/O."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from coderelay.conversation import TurnEvent, TurnReply, TurnRequest
from coderelay.core import Json
from coderelay.dialects.kit.code_mode import Defaults
from coderelay.dialects.kit.operation import Operation


class StreamEncoder(Protocol):
    """An answer in pieces."""

    def feed(self, event: TurnEvent) -> list[Json]:
        """What is sent to the client when this happens."""

    def fail(self, error: Json) -> list[Json]:
        """What is sent when the answer breaks off; `error` is the body of an error."""


class ErrorObject(Protocol):
    """Makes an error in the API's own shape."""

    def __call__(
        self, message: str, *, type: str, param: str | None = None, code: str | None = None
    ) -> Json:
        """The body of the error."""


@dataclass(frozen=True, slots=True)
class TokenCounting:
    """A path that says how many tokens a prompt is."""

    path: str
    decode: Callable[[Json, Defaults], TurnRequest]
    encode: Callable[[int], Json]
    operation: Operation


def never_relayed(body: Json) -> bool:
    """For an API that the upstream does not speak: every request has to be translated."""
    return False


@dataclass(frozen=True, slots=True)
class Dialect:
    """One client API.

    - `decode` reads a request, `encode` writes the whole answer, `stream` makes a writer of its
      pieces.
    - `relays` says whether a request needs nothing of us, so that its bytes are passed upstream.
    - In a stream, `named_events` says that each event carries its `type` as its name, and `done`
      is what stands in the last one, where there is such a one.
    """

    name: str
    path: str
    operation: Operation
    decode: Callable[[Json, Defaults], TurnRequest]
    encode: Callable[[TurnReply, TurnRequest], Json]
    stream: Callable[[TurnRequest], StreamEncoder]
    error_body: Callable[[Exception], tuple[int, Json, Mapping[str, str]]]
    error_object: ErrorObject
    relays: Callable[[Json], bool] = never_relayed
    named_events: bool = False
    done: str | None = None
    counting: TokenCounting | None = None
